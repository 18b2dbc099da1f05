"""Agreement and export of a large campaign: what an annotation costs, with few of them and with ten times as many.

    python benchmarks/speed/results.py [--queries N] [--annotated N] [--assessors N]

200 queries x 40 runs x 20 snippets; two assessors per query did every step of 2 queries, then of 20: labels, nuggets,
nugs with degrees, citations, votes and judgements. The baseline of each figure is the same work on the small campaign
in the same run: the cost per annotation must not grow. Prints seconds of processor time and the largest resident size;
exits with 1 where agreement costs more than half as much again per annotation, or an export takes more memory than
allowed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, func, insert, select

from importing import write_files
from karat.campaign.campaign import Campaign
from karat.campaign.material.importing import import_files
from karat.campaign.people.accounts import create_account
from karat.campaign.store import tables
from karat.campaign.work.annotations import encode_work, key_of, kind_of_work
from karat.campaign.work.assignments import assign
from karat.campaign.work.payloads import (
    CitationWork,
    JudgementWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    VoteWork,
    Work,
)
from karat.model import Nug, SpanSet, encode_record
from measuring import cost_of

STEPS = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
FACTS, KEY_NUGS = 60, 10
"""Different facts that the snippets of a query state; nugs of the imported key."""
MOST_GROWTH, MOST_MEMORY = 1.5, 400e6
OPEN = "import sys; from karat.campaign.campaign import Campaign\n" \
    "with Campaign.open(sys.argv[1]) as campaign, campaign.database.read() as connection:\n"  # fmt: skip
START = OPEN + (
    "    from karat.campaign.results.agreement import agreement; from karat.campaign.results.export import *\n"
    "    import scipy.optimize, scipy.special\n"
)
TASKS = {
    "agreement": START + "    assert agreement(connection).rows",
    "export": START + "    assert sum(1 for _ in export_records(connection))",
}


def annotate_everything(connection: Connection, queries: int, draw: random.Random) -> int:
    """Rows as saving makes them, of the first queries by those who have them; the number of annotations."""
    query = tables.query.c
    chosen = connection.execute(select(query.number, query.query_id).order_by(query.position).limit(queries)).all()
    number = 0
    for query_number, query_id in chosen:
        key = _import_key(connection, query_number, query_id)
        assignment = tables.assignment.c
        people = connection.execute(select(assignment.account).where(assignment.query == query_number)).scalars().all()
        for account in people:
            rows = [
                {"query": query_number, "owner": account, "kind": kind_of_work(work),
                 "key": key_of(work) or name, "version": 1, "record": encode_work(work)}
                for name, work in _work_of(connection, query_number, account, key, draw)
            ]  # fmt: skip
            number += len(rows)
            connection.execute(insert(tables.annotation), rows)
            states = [{"query": query_number, "owner": account, "step": step, "done": 1.0} for step in STEPS]
            connection.execute(insert(tables.step_state), states)
    return number


def _import_key(connection: Connection, query_number: int, query_id: str) -> list[int]:
    first = (connection.execute(select(func.max(tables.key_nug.c.number))).scalar() or 0) + 1
    nugs = [Nug(query_id=query_id, nug_id=f"k{n}", descriptions=(f"Fact {n}.",)) for n in range(KEY_NUGS)]
    rows = [
        {"number": first + n, "query": query_number, "nug_id": nug.nug_id, "position": n,
         "record": encode_record(nug).decode()}
        for n, nug in enumerate(nugs)
    ]  # fmt: skip
    connection.execute(insert(tables.key_nug), rows)
    return [row["number"] for row in rows]  # type: ignore[misc]


def _work_of(
    connection: Connection, query_number: int, account: int, key: list[int], draw: random.Random
) -> Iterator[tuple[str, Work]]:
    """Everything of one assessor for one query: mostly what the other one says, too."""
    passage, response, citation = tables.passage.c, tables.response.c, tables.citation.c
    passages = connection.execute(
        select(passage.number, passage.text).where(passage.query == query_number).order_by(passage.number)
    ).all()
    members: dict[int, list[NugMember]] = {}
    for place, (number, text) in enumerate(passages):
        usual = random.Random(number)
        label = "relevant" if (usual if draw.random() < 0.8 else draw).random() < 0.7 else "irrelevant"
        if label == "relevant" and place and draw.random() < 0.1:
            work = RelevanceWork(passage=number, label="redundant", redundant_with=f"passage:{passages[place - 1][0]}")
        else:
            part = SpanSet([(0, usual.randint(len(text) // 2, len(text)))]) if usual.random() < 0.3 else None
            work = RelevanceWork(passage=number, label=label, text_spans=part)  # type: ignore[arg-type]
        yield str(number), work
        if work.label != "relevant":
            continue
        for nugget in range(usual.randint(1, 2)):
            start = usual.randint(0, len(text) // 2)
            end = usual.randint(start + 5, len(text)) - (draw.randint(0, 4) if draw.random() < 0.3 else 0)
            name = f"n-{account}-{number}-{nugget}"
            yield name, NuggetWork(passage=number, spans=SpanSet([(start, end)]))
            fact = (usual if draw.random() < 0.9 else draw).randrange(FACTS)
            members.setdefault(fact, []).append(NugMember(nugget=name, degree=1.0))
    for fact, nuggets in members.items():
        yield f"g-{account}-{query_number}-{fact}", NugWork(description=f"Fact {fact}.", members=tuple(nuggets))
    cited = select(citation.number).join(tables.passage, passage.number == citation.passage)
    for number in connection.execute(cited.where(passage.query == query_number)).scalars():
        yield "", CitationWork(citation=number, support=draw.choice(("full", "full", "partial", "none")))  # type: ignore[arg-type]
    for nug in key:
        yield "", VoteWork(nug=f"key:{nug}", value=draw.choice(("vital", "okay")))  # type: ignore[arg-type]
    for answer in connection.execute(select(response.number).where(response.query == query_number)).scalars():
        for nug in key:
            yield "", JudgementWork(response=answer, nug=f"key:{nug}", degree=draw.choice((0.0, 0.5, 1.0)))


def make_campaign(folder: Path, queries: int, annotated: int, assessors: int) -> int:
    """A campaign in which some queries are annotated; the number of annotations."""
    folder.mkdir()
    with Campaign.create(folder / "campaign", "Large") as campaign:
        import_files(campaign.database, *write_files(folder, queries))
        with campaign.database.write() as connection:
            for number in range(assessors):
                create_account(connection, f"person{number}", "assessor")
            assign(connection)
            return annotate_everything(connection, annotated, random.Random(7))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--annotated", type=int, default=20)
    parser.add_argument("--assessors", type=int, default=2)
    arguments = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as place:
        costs: dict[str, list[float]] = {}
        for name, part in (("small", 10), ("large", 1)):
            folder = Path(place) / name
            queries, annotated = arguments.queries // part, max(1, arguments.annotated // part)
            annotations = make_campaign(folder, queries, annotated, arguments.assessors)
            print(f"{queries} queries, {annotated} of them annotated: {annotations:,} annotations")
            campaign = str(folder / "campaign")
            empty = cost_of([sys.executable, "-c", START + "    pass", campaign], accept=(0,))
            for task, code in TASKS.items():
                cost = cost_of([sys.executable, "-c", code, campaign], accept=(0,))
                seconds = cost.processor - empty.processor
                costs.setdefault(task, []).append(1e6 * seconds / annotations)
                print(
                    f"    {task:<10} {seconds:6.2f} s of processor time, {costs[task][-1]:6.0f} us per annotation, "
                    f"{cost.memory / 1e6:,.0f} MB"
                )
                if task == "export" and cost.memory > MOST_MEMORY:
                    failed.append(f"{task}: {cost.memory / 1e6:,.0f} MB")
    for task, (small, large) in costs.items():
        print(f"{task}: an annotation costs {large / small:.2f} times as much with ten times as many")
        if large / small > MOST_GROWTH:
            failed.append(f"{task}: the cost per annotation grows")
    for line in failed:
        print(f"FAILED: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
