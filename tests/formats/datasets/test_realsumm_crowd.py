from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.records import judgement
from helpers import collect, collect_with_problems, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.datasets.realsumm_crowd import sniff_realsumm_crowd
from karat.formats.io.head import Head
from karat.model import Collection, InputError, Judgement, Nug, Response, Run, Snippet, content_id

HEADER = (
    "Input.eventId,Input.summaryId,Input.qIdList,Input.summary_text,"
    "Input.statement_1,Input.statement_2,Input.statement_10,Answer.S10Answer,Answer.S1Answer,Answer.S2Answer"
)
QUESTIONS = "\"['41', '42', '43', '44', '45', '46', '47', '48', '49', '50']\""
DANCE, HUM = content_id("Bees dance."), content_id("Bees, too, hum.")


def row(answers: str, *, event: str = "e1", text: str = "bees dance", second: str = "BLANK") -> str:
    return f'{event},a_out,{QUESTIONS},{text},Bees dance.,{second},"Bees, too, hum.",{answers}'


def label(nug_id: str, assessor: str, degree: float | None, run_id: str = "a_out", **fields: Any) -> Judgement:
    ids = {"query_id": "e1", "run_id": run_id, "judge": "person", "assessor": assessor}
    return judgement(nug_id, degree, **ids | fields)


def test_a_row_is_a_worker_and_padding_is_no_vote() -> None:
    collection = collect("\n".join((HEADER, row("n,p,p"), row("p,p,n"))), "realsumm-crowd")
    assert collection.queries == []
    assert collection.runs == [Run(run_id="a_out")]
    snippets = (Snippet(snippet_id="1", text="bees dance"),)
    assert collection.responses == [Response(query_id="e1", run_id="a_out", snippets=snippets)]
    assert collection.nugs == [
        Nug(query_id="e1", nug_id=DANCE, descriptions=("Bees dance.",), extra={"question_id": "41"}),
        Nug(query_id="e1", nug_id=HUM, descriptions=("Bees, too, hum.",), extra={"question_id": "50"}),
    ]
    # S10 stands before S1 and S2 in the file: answers go by name, not by place.
    assert collection.judgements == [
        label(DANCE, "1", 1.0),
        label(HUM, "1", 0.0),
        label(DANCE, "2", 1.0),
        label(HUM, "2", 1.0),
    ]
    round_trip(collection, "karat")


def test_bom_crlf_a_nameless_column_and_unknown_columns() -> None:
    data = f"\ufeff{HEADER},WorkTime,\r\n{row('n,p,p')},12,\r\n"
    collection = collect(data, "realsumm-crowd")
    assert [judgement.extra for judgement in collection.judgements] == [{"WorkTime": "12"}] * 2


def test_a_bad_answer_fails_and_another_text_drops_the_row() -> None:
    data = "\n".join((HEADER, row("maybe,p,p"), row("p,p,n", text="bees sleep"), row(",n,n")))
    collection, problems = collect_with_problems(data, "realsumm-crowd")
    assert [str(problem) for problem in problems] == [
        "<bytes>:2: Answer.S10Answer: 'maybe' is not one of p, n",
        "<bytes>:3: Input.summary_text: differs from that in an earlier row",
        "<bytes>:4: Answer.S10Answer: '' is not one of p, n",
    ]
    assert collection.judgements == [
        label(DANCE, "1", 1.0),
        label(HUM, "1", None, status="failed"),
        label(DANCE, "2", 0.0),
        label(HUM, "2", None, status="failed"),
    ]


def test_a_missing_column_is_reported() -> None:
    data = f"{HEADER.replace('Input.eventId', 'event')}\n{row('n,p,p')}"
    assert messages(data, "realsumm-crowd") == ["2: Input.eventId: is missing"]


def test_runs_are_named_after_their_folder(tmp_path: Path) -> None:
    for kind, system in (("abs", "a_out"), ("ext", "a_out"), ("abs", "neusumm_out")):
        inside = tmp_path / "votes" / f"results_{kind}_systems"
        inside.mkdir(parents=True, exist_ok=True)
        (inside / f"{system}.csv").write_text(f"{HEADER}\n{row('n,p,p').replace('a_out', system)}\n")
    collection = Collection(open_reading(tmp_path, format="realsumm-crowd"))
    assert [run.run_id for run in collection.runs] == ["abs_a_out", "ext_neusumm_out", "ext_a_out"]
    assert len(collection.nugs) == 2
    assert len(collection.judgements) == 6
    alone = Collection(open_reading(inside / "a_out.csv", format="realsumm-crowd"))
    assert alone.judgements == [label(DANCE, "1", 1.0, "abs_a_out"), label(HUM, "1", 0.0, "abs_a_out")]
    assert sniff_realsumm_crowd(Head(Source(tmp_path)))


def test_a_folder_without_votes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        list(open_reading(tmp_path, format="realsumm-crowd"))


def test_is_recognised(tmp_path: Path) -> None:
    assert sniff_realsumm_crowd(Head(Source("<bytes>", f"{HEADER}\n".encode())))
    assert not sniff_realsumm_crowd(Head(Source("<bytes>", b"Input.eventId,Input.summaryId\n")))
    assert not sniff_realsumm_crowd(Head(Source(tmp_path)))


@pytest.mark.real_data
def test_the_81581_votes(real_data: Path) -> None:
    """25 systems x 100 events x 3 or 4 workers are 7,743 rows of 16 answers: 123,888 answers, of which 42,307 are
    to `BLANK` padding and 81,581 to one of the 1,056 content units."""
    path = real_data / "realsumm-crowd"
    reading = open_reading(path, format="realsumm-crowd", on_error="skip")
    collection = Collection(reading)
    assert reading.source.problems == []
    raw: Counter[str] = Counter()
    rows = padding = 0
    for file in sorted(path.glob("*/*_systems/*.csv")):
        with file.open(newline="", encoding="utf-8") as stream:
            for line in csv.DictReader(stream):
                rows += 1
                for number in range(1, 17):
                    if line[f"Input.statement_{number}"] == "BLANK":
                        padding += 1
                    else:
                        raw[line[f"Answer.S{number}Answer"]] += 1
    assert (rows, padding, rows * 16 - padding) == (7743, 42_307, 81_581)
    assert raw == {"n": 43_679, "p": 37_902}
    assert Counter(vote.degree for vote in collection.judgements) == {0.0: raw["n"], 1.0: raw["p"]}
    assert Counter(vote.assessor for vote in collection.judgements).keys() == {"1", "2", "3", "4"}
    workers = Counter(
        max(int(vote.assessor or 0) for vote in votes) for votes in _by_pair(collection.judgements).values()
    )
    assert workers == {3: 2257, 4: 243}
    assert (len(collection.runs), len(collection.responses), len(collection.nugs)) == (25, 2500, 1056)
    first, last = collection.judgements[0], collection.judgements[-1]
    assert (first.run_id, first.assessor) == ("ext_banditsumm_out", "1")
    assert (last.run_id, last.query_id) == ("ext_refresh_out", line["Input.eventId"])


def _by_pair(judgements: list[Judgement]) -> dict[tuple[str, str], list[Judgement]]:
    pairs: dict[tuple[str, str], list[Judgement]] = {}
    for vote in judgements:
        pairs.setdefault((vote.query_id, vote.run_id), []).append(vote)
    return pairs


@pytest.mark.real_data
def test_votes_and_labels_speak_of_the_same_runs_and_nugs(real_data: Path) -> None:
    """The released labels are the votes' majority wherever there is one; ties (277) became 0."""
    votes = Collection(open_reading(real_data / "realsumm-crowd", format="realsumm-crowd"))
    labels = Collection(open_reading(real_data / "realsumm-pyrxsum-labels" / "REALSumm", format="realsumm"))
    balance: Counter[tuple[str, str, str]] = Counter()
    for vote in votes.judgements:
        balance[vote.query_id, vote.run_id, vote.nug_id] += 1 if vote.degree else -1
    released = {
        (judgement.query_id, judgement.run_id, judgement.nug_id): judgement.degree for judgement in labels.judgements
    }
    assert balance.keys() == released.keys()
    assert all((votes > 0) == (released[pair] == 1.0) for pair, votes in balance.items())
    assert sum(votes == 0 for votes in balance.values()) == 277
