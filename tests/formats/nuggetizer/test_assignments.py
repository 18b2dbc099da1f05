from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import write_bytes
from karat.model import Citation, Judgement, Nug, Query, Response, Run, Snippet, content_id

ANSWER = {
    "query": "why do bees dance",
    "qid": "q1",
    "answer_text": "They tell the way to food.",
    "response_length": 6,
    "run_id": "a",
    "nuggets": [
        {"text": "the dance tells direction", "importance": "vital", "assignment": "support"},
        {"text": "it tells distance", "importance": "okay", "assignment": "failed"},
    ],
}


def line(**changes: object) -> str:
    return json.dumps(ANSWER | changes)


def test_reads_an_answer_as_query_run_response_nugs_and_judgements() -> None:
    collection = collect(line(), "nuggetizer-assignments")
    first, second = content_id("the dance tells direction"), content_id("it tells distance")
    assert collection.queries == [Query(query_id="q1", text="why do bees dance")]
    assert collection.runs == [Run(run_id="a")]
    assert collection.responses == [
        Response(query_id="q1", run_id="a", snippets=(Snippet(snippet_id="1", text="They tell the way to food."),))
    ]
    assert collection.nugs == [
        Nug(query_id="q1", nug_id=first, descriptions=("the dance tells direction",), importance="vital"),
        Nug(query_id="q1", nug_id=second, descriptions=("it tells distance",), importance="okay"),
    ]
    assert collection.judgements == [
        Judgement(query_id="q1", run_id="a", nug_id=first, degree=1.0, judge="given"),
        Judgement(query_id="q1", run_id="a", nug_id=second, judge="given", status="failed"),
    ]


@pytest.mark.parametrize(
    ("label", "degree"),
    [("Support ", 1.0), ("PARTIAL SUPPORT", 0.5), ("partial-support", 0.5), ("not_support", 0.0)],
)
def test_labels_are_read_tolerantly(label: str, degree: float) -> None:
    row = line(nuggets=[{"text": "x y", "importance": "Vital", "assignment": label}])
    assert collect(row, "nuggetizer-assignments").judgements[0].degree == degree


def test_an_impossible_label_is_reported_and_only_that_judgement_fails() -> None:
    row = line(nuggets=[ANSWER["nuggets"][0], {"text": "b c", "importance": "okay", "assignment": "suport"}])
    collection, problems = collect_with_problems("\n" + row, "nuggetizer-assignments")
    assert [str(problem) for problem in problems] == [
        "<bytes>:2: nuggets[1].assignment: 'suport' is not one of support, partial_support, not_support, failed"
    ]
    assert [judgement.status for judgement in collection.judgements] == ["ok", "failed"]


def test_a_row_without_a_run_is_dropped_and_the_next_one_kept() -> None:
    broken = {name: value for name, value in ANSWER.items() if name != "run_id"}
    data = json.dumps(broken) + "\n" + line(qid=7)
    assert messages(data, "nuggetizer-assignments") == ["1: run_id: is missing"]
    assert [r.query_id for r in collect_with_problems(data, "nuggetizer-assignments")[0].responses] == ["7"]


def test_a_repeated_text_gets_an_ordinal() -> None:
    twice = [ANSWER["nuggets"][0], ANSWER["nuggets"][0]]
    ids = [nug.nug_id for nug in collect(line(nuggets=twice), "nuggetizer-assignments").nugs]
    assert ids == [content_id("the dance tells direction"), content_id("the dance tells direction") + "-2"]


def test_passages_become_snippets_of_one_response() -> None:
    rows = [
        {
            "text": "why",
            "qid": "q1",
            "candidate_text": f"text {d}",
            "docid": d,
            "nuggets": ANSWER["nuggets"][:1],
        }
        for d in ("d1", "d2")
    ]
    collection = collect("\n".join(map(json.dumps, rows)), "nuggetizer-assignments")
    assert [snippet.snippet_id for snippet in collection.responses[0].snippets] == ["d1", "d2"]
    assert collection.responses[0].snippets[0].citations == (Citation(doc_id="d1"),)
    assert [judgement.snippet_id for judgement in collection.judgements] == ["d1", "d2"]
    round_trip(collection, "nuggetizer-assignments")


def test_round_trip_keeps_unknown_fields_and_a_stated_length() -> None:
    data = line(response_length=99, team="x", nuggets=[{**ANSWER["nuggets"][0], "reasoning": "because"}])
    collection = collect(data, "nuggetizer-assignments")
    assert collection.responses[0].extra == {"response_length": 99, "team": "x"}
    written = json.loads(round_trip(collection, "nuggetizer-assignments"))
    assert written == json.loads(data)


def test_is_recognised() -> None:
    assert sniffed(line()) == "nuggetizer-assignments"


def test_what_cannot_be_written_is_counted() -> None:
    collection = collect(line(), "nuggetizer-assignments")
    more = [*collection, Judgement(query_id="q1", run_id="a", nug_id="zz", degree=0.3, judge="ann")]
    assert lost(more, "nuggetizer-assignments") == {"judgement": 1}


@pytest.mark.real_data
def test_trec_rag_2024(real_data: Path) -> None:
    path = real_data / "trec-rag-2024" / "nugget_assignment.20241108.jl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    collection = collect(path.read_bytes(), "nuggetizer-assignments")
    assert len(collection.responses) == len(rows) == 662
    assert len(collection.judgements) == sum(len(row["nuggets"]) for row in rows)
    assert len(collection.runs) == len({row["run_id"] for row in rows}) == 45
    assert len(collection.queries) == len({row["qid"] for row in rows}) == 15
    assert collection.responses[0].run_id == "BEST_cot_gpt3.5"
    assert collection.responses[-1].query_id == rows[-1]["qid"]
    round_trip(collection, "nuggetizer-assignments")


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "impossible"), [("command-r-plus", 26), ("gpt4o", 25), ("l31_70b_instruct", 18)])
def test_rag24_assignments(real_data: Path, name: str, impossible: int) -> None:
    path = real_data / "nuggetizer-rag24" / "assignments" / f"baseline_rag24.test_{name}_top20.jsonl.gz"
    rows = [json.loads(row) for row in gzip.open(path, "rt")]
    collection, problems = collect_with_problems(path.read_bytes(), "nuggetizer-assignments")
    assert sum(problem.path.endswith("assignment") for problem in problems) == impossible
    assert len(collection.responses) == len(rows) == 301
    assert len(collection.judgements) == sum(len(row["nuggets"]) for row in rows)
    assert collection.responses[0].query_id == rows[0]["qid"]
    assert collection.responses[-1].query_id == rows[-1]["qid"]


def test_what_no_row_can_hold_is_reported() -> None:
    collection = collect(line(), "nuggetizer-assignments")
    more = [
        *collection,
        Query(query_id="q2", text="unanswered"),
        Run(run_id="idle"),
        Nug(query_id="q1", nug_id=content_id("never judged"), descriptions=("never judged",)),
        Judgement(query_id="q1", run_id="a", nug_id=content_id("it tells distance"), degree=1.0, judge="other"),
    ]
    assert lost(more, "nuggetizer-assignments") == {"query": 1, "run": 1, "nug": 1, "judgement": 1}


def test_a_judged_run_without_its_text_is_written_with_an_empty_answer() -> None:
    records = [record for record in collect(line(), "nuggetizer-assignments") if not isinstance(record, Response)]
    written = json.loads(write_bytes(records, format="nuggetizer-assignments"))
    assert (written["answer_text"], len(written["nuggets"])) == ("", 2)
