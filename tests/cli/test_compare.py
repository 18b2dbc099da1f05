from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import karat, karat_here
from evaluate.rows import Matrix, Row, judged, judged_rows, nug, score_rows, total_rows

MATRIX: Matrix = {
    "main": [0.75, 0.875, 0.5, 1.0, 0.75, 0.625, 0.5, 0.875],
    "worse": [0.25, 0.125, 0.0, 0.5, 0.5, 0.25, 0.125, 0.25],
    "same": [0.75, 0.75, 0.625, 1.0, 0.875, 0.625, 0.375, 0.875],
}


def write(name: str, rows: list[Row]) -> str:
    Path(name).write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in rows))
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("scores.jsonl", score_rows(MATRIX))
    write("judged.jsonl", judged_rows(MATRIX))


def test_the_tables_stand_on_stdout_and_the_talk_on_stderr() -> None:
    done = karat_here("compare", "judged.jsonl", "--measures", "lenient_vital", "--baseline", "main", "--tukey")
    assert done.code == 0
    assert next(line for line in done.lines if line.startswith("lenient_vital")).split()[1:3] == ["worse", "main"]
    assert any(line.split()[:1] == ["residual"] for line in done.lines)
    assert any(line.startswith("lenient_vital, Tukey's HSD") for line in done.lines)
    assert "worse gained 0 and lost 8 nugs against main" in done.err
    assert any("lost vital" in line for line in done.lines)
    assert done.err.splitlines()[-1].startswith(
        "signature: lenient_vital|judge:j|missing:error|test:permutation-holm|pairs:2|alternative:two-sided|"
    )


def test_tsv_has_one_row_a_pair() -> None:
    done = karat_here("compare", "scores.jsonl", "--format", "tsv")
    head, *rows = (line.split("\t") for line in done.lines)
    assert head[:4] == ["measure", "run_id", "versus", "value"]
    assert [tuple(row[:3]) for row in rows] == [("M", "main", "same"), ("M", "main", "worse"), ("M", "same", "worse")]


def test_the_rows_are_score_records_that_karat_reads() -> None:
    done = karat("compare", "scores.jsonl", "--format", "jsonl")
    assert done.code == 0
    shown = karat("show", "-", stdin=done.out)
    assert (shown.code, shown.err) == (0, "")
    assert any(line.split() == ["score", "3"] for line in shown.lines)
    row = json.loads(done.lines[0])
    assert (row["kind"], row["measure"], row["run_id"], row["versus"]) == ("score", "M-same", "main", "same")
    assert row["low"] <= row["value"] <= row["high"]
    assert {"p", "p_holm", "p_t", "significant", "detectable"} <= set(row)


def test_scores_by_query_give_the_same_as_the_judgements() -> None:
    by_query = karat_here("score", "judged.jsonl", "--measures", "lenient_vital", "--by", "query", "--format", "jsonl")
    Path("by-query.jsonl").write_bytes(by_query.out)
    compared = [
        karat_here("compare", file, "--measures", "lenient_vital", "--format", "tsv")
        for file in ("judged.jsonl", "by-query.jsonl")
    ]
    assert compared[0].out == compared[1].out
    assert len(compared[0].lines) == 4


def test_a_clear_regression_ends_with_one() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "main", "--fail-if-worse")
    assert done.code == 1
    assert done.err.splitlines()[-1] == "worse: worse is 0.484 worse than main in M (p 0.0078 after correction)"
    for form in ("tsv", "jsonl"):
        assert (
            karat_here("compare", "scores.jsonl", "--baseline", "main", "--fail-if-worse", "--format", form).code == 1
        )


def test_no_regression_ends_with_zero_and_says_what_would_have_shown() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "worse", "--fail-if-worse")
    assert done.code == 0
    assert done.err.splitlines()[-1].startswith("not worse: no run is significantly below worse; a true loss of 0.")
    assert karat_here("compare", "scores.jsonl", "--baseline", "main").code == 0


def test_what_could_not_be_decided_is_told() -> None:
    few = write("few.jsonl", score_rows({"main": [0.9, 0.9, 0.9, None], "new": [0.1, 0.1, 0.1, None]}))
    done = karat_here("compare", few, "--baseline", "main", "--fail-if-worse")
    assert done.code == 0
    assert "with 3 queries no difference, however large, is significant (1 pair of runs needs at least 5 queries)" in (
        done.err.splitlines()
    )
    none = write("none.jsonl", score_rows({"main": [0.9] * 8, "new": [None] * 8}))
    done = karat_here("compare", none, "--baseline", "main", "--fail-if-worse")
    assert done.code == 0
    assert "undecided: new and main have no query with M in common" in done.err.splitlines()


def test_failing_needs_a_baseline() -> None:
    done = karat_here("compare", "scores.jsonl", "--fail-if-worse")
    assert (done.code, done.out) == (2, b"")
    assert "--fail-if-worse needs --baseline RUN." in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "mian"), "Error: there is no run 'mian'; choose from main, worse, same\n"),
        (("--measures", "N"), "Error: there are no scores of N; there are scores of M\n"),
        (("--average", "pool"), "Error: scores by query cannot be pooled; give the judgements for --average pool\n"),
        (("--average", "median"), "Error: the tests are of mean or pooled scores; choose --average query or pool\n"),
    ],
)
def test_a_mistake_is_answered_with_the_choices(arguments: tuple[str, ...], message: str) -> None:
    done = karat_here("compare", "scores.jsonl", *arguments)
    assert (done.code, done.out, done.err) == (2, b"", message)


def test_one_run_is_nothing_to_compare() -> None:
    done = karat_here("compare", write("one.jsonl", score_rows({"main": [0.1, 0.2]})))
    assert (done.code, done.err) == (2, "Error: there is one run alone, main: nothing to compare it with\n")


def test_a_hole_in_the_scores_is_an_error_until_the_user_chooses() -> None:
    holed = write("holed.jsonl", [*score_rows({"main": [0.5] * 8}), *score_rows({"new": [0.25] * 7})])
    assert "run new has no score of M for query q7; " in karat_here("compare", holed).err
    counts = [karat_here("compare", holed, "--missing", one, "--format", "tsv").lines[1].split("\t")[9]
              for one in ("zero", "skip")]  # fmt: skip
    assert counts == ["8", "7"]


def test_scores_over_all_queries_can_be_told_from_scores_by_query() -> None:
    done = karat_here("compare", write("all.jsonl", total_rows({"main": 0.9, "new": 0.1})))
    assert done.code == 0
    assert "M: no analysis of variance: at least 2 queries must have values, not 1" in done.err


def test_nugs_are_shown_as_many_as_are_asked_for() -> None:
    rows = [nug("q", str(at)) for at in range(6)]
    rows += [judged("q", run_id, float(run_id == "main"), str(at)) for run_id in ("main", "new") for at in range(6)]
    file = write("nugs.jsonl", rows)
    for asked, shown in (("0", 0), ("2", 2), ("9", 6)):
        done = karat_here("compare", file, "--baseline", "main", "--nugs", asked)
        assert sum("lost vital" in line for line in done.lines) == shown
