from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.running import Outcome, karat, karat_here

MEASURES = ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]


def nug(query_id: str, nug_id: str, importance: str) -> str:
    row = {"kind": "nug", "v": 1, "query_id": query_id, "nug_id": nug_id, "descriptions": [f"{query_id} {nug_id}"]}
    return json.dumps(row | {"importance": importance}) + "\n"


def judged(query_id: str, nug_id: str, degree: object, run_id: str = "a") -> str:
    row = {"kind": "judgement", "v": 1, "query_id": query_id, "run_id": run_id, "nug_id": nug_id, "degree": degree}
    return json.dumps(row | {"judge": "ann", "status": "ok"}) + "\n"


KEY = nug("q1", "v1", "vital") + nug("q1", "v2", "vital") + nug("q1", "o1", "okay") + nug("q1", "o2", "okay")
SECOND = nug("q2", "v1", "vital")
JUDGED = judged("q1", "v1", 1) + judged("q1", "v2", 0.5) + judged("q1", "o1", 0) + judged("q1", "o2", 0)
"""strict_vital 1/2, lenient_vital 1.5/2, strict_all 1/4, lenient_all 1.5/4"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.jsonl").write_text(KEY)
    Path("both.jsonl").write_text(KEY + SECOND)
    Path("judged.jsonl").write_text(JUDGED)


def values(done: Outcome) -> dict[str, float | None]:
    return {row["measure"]: row["value"] for row in map(json.loads, done.lines)}


def test_the_table_has_a_row_a_run_and_a_column_a_measure() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl")
    assert done.code == 0
    head, rule, row = [line for line in done.lines if line]
    assert head.split() == ["run", "n", *MEASURES]
    assert set(rule) == {"-", " "}
    assert re.sub(r"\[.*?\]", "", row).split() == ["a", "1", "0.500", "0.750", "0.250", "0.375"]
    assert done.err.startswith("signature: strict_vital,lenient_vital,strict_all,lenient_all|judge:ann|missing:error|")


def test_jsonl_gives_a_score_record_a_line_and_nothing_on_stderr() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    assert values(done) == dict(zip(MEASURES, (0.5, 0.75, 0.25, 0.375), strict=True))
    rows = [json.loads(line) for line in done.lines]
    assert {(row["kind"], row["run_id"], row["query_id"], row["n"]) for row in rows} == {("score", "a", "all", 1)}


def test_the_scores_are_records_that_karat_reads() -> None:
    scores = karat("score", "key.jsonl", "judged.jsonl", "--format", "jsonl")
    shown = karat("show", "-", stdin=scores.out)
    assert (shown.code, shown.err) == (0, "")
    assert any(line.split() == ["score", "4"] for line in shown.lines)


def test_tsv_has_a_header_and_the_same_values() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--format", "tsv")
    assert (done.code, done.err) == (0, "")
    head, *rows = (line.split("\t") for line in done.lines)
    assert head == ["run_id", "query_id", "measure", "value", "low", "high", "n", "undefined", "signature"]
    assert [(row[0], row[1], row[2], float(row[3])) for row in rows] == [
        ("a", "all", measure, value) for measure, value in zip(MEASURES, (0.5, 0.75, 0.25, 0.375), strict=True)
    ]
    assert {len(row) for row in rows} == {len(head)}


def test_a_row_a_query_on_request() -> None:
    Path("more.jsonl").write_text(judged("q2", "v1", 1))
    files = ("both.jsonl", "judged.jsonl", "more.jsonl", "--by", "query", "--measures", "strict_vital")
    rows = [json.loads(line) for line in karat_here("score", *files, "--format", "jsonl").lines]
    assert [(row["query_id"], row["value"]) for row in rows] == [("q1", 0.5), ("q2", 1.0)]
    head, _rule, *lines = [line.split() for line in karat_here("score", *files).lines if line]
    assert head == ["run", "query", "strict_vital"]
    assert lines == [["a", "q1", "0.500"], ["a", "q2", "1.000"]]


@pytest.mark.parametrize("given", ["strict_all", "strict_all,lenient_vital", " lenient_all , strict_vital "])
def test_measures_come_as_they_were_named(given: str) -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--measures", given, "--format", "jsonl")
    assert list(values(done)) == [name.strip() for name in given.split(",")]


def test_an_unknown_measure_is_answered_with_the_choices() -> None:
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--measures", "strict_vital,strict_vitl")
    assert (done.code, done.out) == (2, b"")
    assert "'strict_vitl'" in done.err
    assert "strict_vital" in done.err.replace("'strict_vitl'", "")


def test_a_query_without_a_response_is_an_error_until_the_user_chooses() -> None:
    done = karat_here("score", "both.jsonl", "judged.jsonl")
    assert (done.code, done.out) == (2, b"")
    assert "run a has no response to query q2" in done.err
    assert "--missing zero|skip" in done.err


@pytest.mark.parametrize(
    ("missing", "value", "n", "note"),
    [("zero", 0.25, 2, "1 missing response, counted as zero"), ("skip", 0.5, 1, "1 missing response, left out")],
)
def test_a_missing_response_counts_as_zero_or_not_at_all(missing: str, value: float, n: int, note: str) -> None:
    done = karat_here(
        "score", "both.jsonl", "judged.jsonl", "--missing", missing, "--measures", "strict_vital", "--format", "jsonl"
    )
    assert done.code == 0
    (row,) = map(json.loads, done.lines)
    assert (row["value"], row["n"]) == (value, n)
    assert f"missing:{missing}" in row["signature"]
    assert done.err.splitlines() == [note]


@pytest.mark.parametrize(
    ("file", "message"),
    [("judged.jsonl", "there is no key"), ("key.jsonl", "there are no judgements")],
)
def test_half_of_what_is_needed_is_not_enough(file: str, message: str) -> None:
    done = karat_here("score", file)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err


def test_an_undefined_score_is_told_and_not_a_number() -> None:
    Path("okay.jsonl").write_text(nug("q3", "o1", "okay"))
    Path("okay-judged.jsonl").write_text(judged("q3", "o1", 1))
    files = ("okay.jsonl", "okay-judged.jsonl", "--measures", "strict_vital")
    done = karat_here("score", *files)
    assert done.code == 0
    assert done.lines[2].split()[-1] == "undefined"
    assert "run a: strict_vital is undefined for 1 query (no vital nug was judged), left out of the mean" in done.err
    (row,) = map(json.loads, karat_here("score", *files, "--format", "jsonl").lines)
    assert row.get("value") is None
    assert (row["n"], row["undefined"]) == (0, 1)
    assert karat_here("score", *files, "--format", "tsv").lines[1].split("\t")[3] == ""


def test_a_bad_judgement_stops_the_scoring() -> None:
    Path("judged.jsonl").write_text(JUDGED.replace("0.5", '"half"'))
    done = karat_here("score", "key.jsonl", "judged.jsonl")
    assert (done.code, done.out) == (1, b"")
    assert done.err.splitlines() == [
        "judged.jsonl:2: degree: 'half' is not a number from 0 to 1",
        "1 problem in 1 file.",
        "Mend the file, or leave the bad parts out with --on-error skip.",
    ]


def test_a_bad_judgement_can_be_skipped_and_the_rest_is_scored() -> None:
    Path("judged.jsonl").write_text(JUDGED.replace("0.5", '"half"'))
    done = karat_here("score", "key.jsonl", "judged.jsonl", "--on-error", "skip", "--format", "jsonl")
    assert done.code == 0
    assert values(done)["strict_vital"] == 1.0
    assert done.err.splitlines() == [
        "skipped: judged.jsonl:2: degree: 'half' is not a number from 0 to 1",
        "skipped in judged.jsonl: 1 impossible-label",
        "run a, query q1: 1 failed judgement, scored on the rest",
    ]


def test_the_seed_is_in_the_signature_and_decides_the_interval() -> None:
    Path("more.jsonl").write_text(judged("q2", "v1", 1))
    files = ("score", "both.jsonl", "judged.jsonl", "more.jsonl", "--format", "jsonl", "--seed")
    assert karat_here(*files, "7").out == karat_here(*files, "7").out
    assert {"seed:7" in json.loads(line)["signature"] for line in karat_here(*files, "7").lines} == {True}
    for row in map(json.loads, karat_here(*files, "7").lines):
        assert row["low"] <= row["value"] <= row["high"]


def test_one_file_may_hold_it_all() -> None:
    answer = {
        "query": "why",
        "qid": "q1",
        "answer_text": "so",
        "run_id": "r",
        "nuggets": [{"text": "the way", "importance": "vital", "assignment": "partial_support"}],
    }
    done = karat_here("score", "-", "--format", "jsonl", stdin=json.dumps(answer).encode())
    assert done.code == 0
    assert values(done) == dict(zip(MEASURES, (0.0, 0.5, 0.0, 0.5), strict=True))


def test_the_best_run_stands_on_top() -> None:
    Path("better.jsonl").write_text("".join(judged("q1", nug_id, 1, "b") for nug_id in ("v1", "v2", "o1", "o2")))
    done = karat_here("score", "key.jsonl", "judged.jsonl", "better.jsonl")
    assert [line.split()[0] for line in done.lines[2:4]] == ["b", "a"]
