"""A small collection with all that the report can show: nuggets, votes, citations, conditions, labels of a part."""

from __future__ import annotations

import random
from collections.abc import Sequence

from builders.reported import Record, record

RUNS = ("ash", "elm", "fir", "oak")
KINDS = ("en", "de"), ("news", "web")
SUBJECTS = (
    "The harbour", "The old bridge", "The museum", "The ferry", "The dam", "The market", "The library", "The tunnel",
    "The school", "The stadium",
)  # fmt: skip
FACTS = ("opened in {year}", "cost {cost} million dollars", "was built by {count} workers", "closes for repairs in May")
IMPORTANCES = ("vital", "vital", "okay", "okay")
ASSESSORS = ("ann", "bob", "cleo")


def whole(queries: int = 8, *, labelled: int | None = None, runs: Sequence[str] = RUNS) -> list[Record]:
    """Runs get worse from first to last. labelled: people judged only the first so many queries."""
    draw = random.Random(7)
    records: list[Record] = [record("run", run_id=run_id) for run_id in runs]
    records += [record("document", doc_id=f"d{q}", text=f"{_facts(q)[0]} {_facts(q)[1]}") for q in range(queries)]
    for q in range(queries):
        query_id = f"q{q + 1}"
        conditions = {"language": KINDS[0][q % 2], "medium": KINDS[1][q // 2 % 2]}
        records.append(
            record("query", query_id=query_id, text=f"What is known of {SUBJECTS[q].lower()}?", conditions=conditions)
        )
        members: dict[int, list[Record]] = {}
        for r, run_id in enumerate(runs):
            had = [at for at in range(len(FACTS)) if draw.random() < 0.9 - 0.2 * r]
            texts = [*(_facts(q)[at] for at in had), "Nothing else is known of it."]
            snippets = [
                {"snippet_id": f"{run_id}{q}{at}", "text": text, "citations": [{"doc_id": f"d{q}"}]}
                for at, text in enumerate(texts)
            ]
            records.append(record("response", query_id=query_id, run_id=run_id, snippets=snippets))
            for at, snippet in enumerate(snippets):
                here = {"query_id": query_id, "run_id": run_id, "snippet_id": snippet["snippet_id"], "assessor": "ann"}
                told = had[at] if at < len(had) else None
                nugget_id = f"g{run_id}{q}{at}"
                records.append(record("relevance", **here, label="relevant" if told is not None else "irrelevant"))
                records.append(record("nugget", **here, nugget_id=nugget_id, spans=[[0, 12]], source="person"))
                support = "full" if told in (0, 1) else draw.choice(["partial", "none"])
                records.append(record("citation_judgement", **here, doc_id=f"d{q}", support=support))
                if told is not None:
                    members.setdefault(told, []).append({"nugget_id": nugget_id, "degree": 1.0})
            if labelled is None or q < labelled:
                for at in range(len(FACTS)):
                    degree = draw.choice([1.0, 1.0, 0.5]) if at in had else 0.0
                    records.append(
                        record("judgement", query_id=query_id, run_id=run_id, nug_id=f"n{at}", degree=degree,
                               judge="person", assessor="ann", status="ok")
                    )  # fmt: skip
        for at, importance in enumerate(IMPORTANCES):
            nug = {"query_id": query_id, "nug_id": f"n{at}"}
            records.append(
                record("nug", **nug, descriptions=[_facts(q)[at]], importance=importance, members=members.get(at, []))
            )
            records += [
                record("vote", **nug, assessor=assessor, value="vital" if draw.random() < 0.8 - 0.2 * at else "okay")
                for assessor in ASSESSORS
            ]
    return records


def _facts(q: int) -> list[str]:
    words = {"year": 1900 + 7 * q, "cost": 3 + 2 * q, "count": 40 * (q + 1)}
    return [f"{SUBJECTS[q]} {fact.format(**words)}." for fact in FACTS]
