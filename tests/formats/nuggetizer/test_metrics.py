from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip, sniffed
from karat.formats import Source, open_reading
from karat.model import Collection, Nug, Run, Score

ROWS = [
    {"qid": "q1", "strict_vital_score": 0.5, "vital_score": 0.75},
    {"qid": "all", "strict_vital_score": 0.25, "vital_score": 0.5},
]
DATA = "\n".join(map(json.dumps, ROWS))


def test_reads_a_run_named_after_the_file_and_a_score_a_field() -> None:
    source = Source("runs/best.v2.jsonl.gz", DATA.encode())
    collection = Collection(open_reading(source, format="nuggetizer-metrics"))
    assert collection.runs == [Run(run_id="best.v2")]
    assert collection.scores == [
        Score(run_id="best.v2", query_id="q1", measure="strict_vital_score", value=0.5),
        Score(run_id="best.v2", query_id="q1", measure="vital_score", value=0.75),
        Score(run_id="best.v2", query_id="all", measure="strict_vital_score", value=0.25),
        Score(run_id="best.v2", query_id="all", measure="vital_score", value=0.5),
    ]


def test_number_ids_number_strings_and_undefined_scores_are_read() -> None:
    data = "\ufeff" + json.dumps({"qid": 7, "vital_score": "0.5", "all_score": None}) + "\r\n"
    assert [(score.query_id, score.value) for score in collect(data, "nuggetizer-metrics").scores] == [
        ("7", 0.5),
        ("7", None),
    ]


def test_what_is_no_number_is_reported_and_only_that_score_left_out() -> None:
    rows = [
        {"qid": "q1", "vital_score": "high", "all_score": 1},
        {"qid": "q2", "note": "x"},
        {"qid": "q1", "a_score": 1},
    ]
    data = "\n".join(map(json.dumps, rows))
    assert messages(data, "nuggetizer-metrics") == [
        "1: vital_score: must be a number, not 'high'",
        "2: has no field that ends in _score",
        "3: qid: the scores of 'q1' appear twice",
    ]
    collection, problems = collect_with_problems(data, "nuggetizer-metrics")
    assert [score.measure for score in collection.scores] == ["all_score"]
    assert [problem.code for problem in problems] == ["wrong-type", "missing-field", "duplicate-id"]


def test_round_trip_keeps_unknown_fields() -> None:
    data = json.dumps({"qid": "q1", "vital_score": 0.5, "all_score": None, "model": "m"}) + "\n" + DATA.splitlines()[1]
    written = round_trip(collect(data, "nuggetizer-metrics"), "nuggetizer-metrics")
    assert [json.loads(row) for row in written.splitlines()] == [json.loads(row) for row in data.splitlines()]


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Run(run_id="a", group="g"),
        Run(run_id="b"),
        Score(run_id="a", query_id="q1", measure="all_score", value=0.5, low=0.1, signature="s"),
        Score(run_id="a", query_id="q1", measure="all_score", value=0.4, signature="t"),
        Score(run_id="a", query_id="q1", measure="F3", value=0.4),
        Score(run_id="b", query_id="q1", measure="all_score", value=0.5),
        Nug(query_id="q1", nug_id="n", descriptions=("x",)),
    ]
    assert lost(records, "nuggetizer-metrics") == {
        "run.group": 1,
        "run": 1,
        "score.low": 1,
        "score.signature": 2,
        "score": 3,
        "nug": 1,
    }


def test_is_recognised() -> None:
    assert sniffed(DATA) == "nuggetizer-metrics"


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["command-r-plus", "gpt_4o", "l31_70b_instruct"])
def test_rag24_metrics(real_data: Path, name: str) -> None:
    path = real_data / "nuggetizer-rag24" / "metrics" / f"baseline_rag24.test_{name}_top20.jsonl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    collection = Collection(open_reading(path))
    assert collection.runs == [Run(run_id=f"baseline_rag24.test_{name}_top20")]
    assert len(collection.scores) == sum(len(row) - 1 for row in rows) == 302 * 6
    first, last = collection.scores[0], collection.scores[-1]
    assert (first.query_id, first.measure, first.value) == (rows[0]["qid"], *list(rows[0].items())[1])
    assert (last.query_id, last.measure, last.value) == ("all", *list(rows[-1].items())[-1])
    written = round_trip(collect(path.read_bytes(), "nuggetizer-metrics"), "nuggetizer-metrics")
    assert [json.loads(row) for row in written.splitlines()] == rows
