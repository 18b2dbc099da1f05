from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from builders.rows import Matrix, Row, judged_rows, judgement, nug, score_rows, total_rows
from cli.running import karat, karat_here

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


def test_the_tables_are_on_stdout_and_the_talk_on_stderr() -> None:
    done = karat_here("compare", "judged.jsonl", "--measures", "lenient_vital", "--baseline", "main", "--tukey")
    assert done.code == 0
    assert " ".join(done.lines[0].split()) == "lenient_vital, run minus main effect p (all pairs) n verdict"
    assert [line.split()[:2] for line in done.lines[2:4]] == [["worse", "-0.48"], ["same", "0.00"]]
    assert any(line.split()[:1] == ["residual"] for line in done.lines)
    assert any(line.startswith("lenient_vital, Tukey's HSD") for line in done.lines)
    assert "worse gained 0 and lost 8 nugs against main (0 and 8 of them vital)" in done.err.splitlines()
    assert any("lost vital" in line for line in done.lines)
    assert re.match(
        r"signature: lenient_vital\|judge:j\|missing:error\|unjudged:skip\|assessors:mean\|key:[0-9a-f]{16}\|"
        r"test:permutation-holm\|pairs:2\|",
        done.err.splitlines()[-1],
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
    assert {"p", "p_adjusted", "p_t", "significant", "detectable"} <= set(row)


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
    assert done.err.splitlines()[-1] == "worse: worse is 0.484 worse than main in M (p = 0.0078 after correction)"
    for form in ("tsv", "jsonl"):
        assert (
            karat_here("compare", "scores.jsonl", "--baseline", "main", "--fail-if-worse", "--format", form).code == 1
        )


def test_no_regression_ends_with_zero_and_says_what_would_have_shown() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "worse", "--fail-if-worse")
    assert done.code == 0
    last = done.err.splitlines()[-1]
    assert last.startswith("no significant loss was found against worse; a true loss of 0.")
    assert " would be found four times in five; a rare gain or loss" in last
    assert "not worse" not in done.err
    assert karat_here("compare", "scores.jsonl", "--baseline", "main").code == 0


def test_what_could_not_be_decided_ends_with_one() -> None:
    few = write("few.jsonl", score_rows({"main": [0.9, 0.9, 0.9, None], "new": [0.1, 0.1, 0.1, None]}))
    done = karat_here("compare", few, "--baseline", "main", "--fail-if-worse")
    assert done.code == 4
    told = "with 3 queries no difference, however large, is significant (1 pair of runs needs at least 5 queries)"
    assert done.err.splitlines()[-1] == f"undecided: {told}"
    none = write("none.jsonl", score_rows({"main": [0.9] * 8, "new": [None] * 8}))
    done = karat_here("compare", none, "--baseline", "main", "--fail-if-worse")
    assert done.code == 4
    assert "undecided: new and main have no query with M in common" in done.err.splitlines()


def test_a_candidate_whose_judgements_all_failed_does_not_pass() -> None:
    rows = judged_rows({"base": [1.0] * 10, "cand": [None] * 10})
    done = karat_here("compare", write("failed.jsonl", rows), "--baseline", "base", "--fail-if-worse")
    assert done.code == 4
    assert "undecided: cand and base have no query with strict_vital in common" in done.err.splitlines()
    loss = karat_here("compare", "failed.jsonl", "--baseline", "base", "--max-loss", "0.1")
    assert (loss.code, loss.err.splitlines()[-1]) == (
        4, "undecided: cand and base have no query with strict_vital in common",
    )  # fmt: skip


LONG: Matrix = {
    "main": [0.5 + 0.01 * (at * 7 % 5) for at in range(20)],
    "near": [0.5 + 0.01 * (at * 3 % 5) for at in range(20)],
    "lower": [0.44 + 0.01 * (at * 3 % 5) for at in range(20)],
    "noisy": [0.1 + 0.8 * (at % 2) for at in range(20)],
}


@pytest.mark.parametrize(
    ("run", "loss", "code", "said"),
    [
        ("near", "0.05", 0, "not worse: near loses less than 0.05 against main in strict_all (at most 0.0"),
        ("near", "0.001", 4, "not shown: near is not shown to lose less than 0.001 against main in strict_all: it may"),
        ("lower", "0.05", 1, "worse: lower is 0.060 worse than main in strict_all (p < 0.000"),
        ("lower", "0.1", 0, "not worse: lower loses less than 0.1 against main in strict_all (at most 0.0"),
        ("noisy", "0.05", 4, "not shown: noisy is not shown to lose less than 0.05 against main"),
    ],
)
def test_not_worse_is_said_only_where_a_larger_loss_is_ruled_out(run: str, loss: str, code: int, said: str) -> None:
    rows = score_rows({"main": LONG["main"], run: LONG[run]}, measure="strict_all")
    done = karat_here("compare", write("long.jsonl", rows), "--baseline", "main", "--max-loss", loss)
    assert (done.code, done.err.splitlines()[-1][: len(said)]) == (code, said)
    verdict = said.partition(":")[0]
    assert done.lines[2].endswith(verdict)
    assert "|not-worse:" in done.err
    row = json.loads(
        karat_here("compare", "long.jsonl", "--baseline", "main", "--max-loss", loss, "--format", "jsonl").out
    )
    assert row["margin_verdict"] == verdict
    assert (row["margin_low"] > -float(loss)) == (verdict == "not worse")
    assert row["margin_high"] is None


def test_equal_runs_are_shown_to_be_not_worse_by_as_much_as_their_number_of_queries_shows() -> None:
    rows = judged_rows({"main": [0.5] * 20, "new": [0.5] * 20})
    file = write("equal.jsonl", rows)
    options = ("--baseline", "main", "--measures", "lenient_vital", "--max-loss")
    shown, not_shown = (karat_here("compare", file, *options, loss) for loss in ("0.2", "0.1"))
    assert (shown.code, not_shown.code) == (0, 4)
    assert not_shown.err.splitlines()[-1].endswith("; as many as 29 equal queries would show it")


def test_few_queries_without_known_bounds_show_nothing() -> None:
    few = write("few.jsonl", score_rows({"main": [0.75, 0.5, 0.6], "new": [0.75, 0.6, 0.5]}))
    done = karat_here("compare", few, "--baseline", "main", "--max-loss", "0.5")
    assert done.code == 4
    assert done.err.splitlines()[-1].startswith(
        "not shown: new is not shown to lose less than 0.5 against main in M: 3"
    )


def test_a_significant_loss_of_any_size_fails_where_it_is_asked_for() -> None:
    rows = score_rows({"main": LONG["main"], "lower": LONG["lower"]}, measure="strict_all")
    done = karat_here(
        "compare", write("long.jsonl", rows), "--baseline", "main", "--max-loss", "0.1", "--fail-if-worse"
    )
    assert (done.code, done.err.splitlines()[-1][:15]) == (1, "worse: lower is")


def test_a_loss_is_a_gain_where_less_is_better() -> None:
    rows = {
        "main": [2 + value for value in LONG["main"] if value],
        "new": [4 + value for value in LONG["near"] if value],
    }
    file = write("long.jsonl", score_rows(rows, measure="verbosity"))
    worse = karat_here("compare", file, "--baseline", "main", "--max-loss", "1.5")
    assert worse.code == 1
    assert worse.err.splitlines()[-1].startswith("worse: new is 2.000 worse than main in verbosity (p < 0.000")
    assert karat_here("compare", file, "--baseline", "main", "--max-loss", "2.5").code == 0
    assert karat_here("compare", file, "--baseline", "new", "--max-loss", "0.1", "--fail-if-worse").code == 0


@pytest.mark.parametrize(("size", "verdicts"), [("0.05", ["equivalent", "different"]), ("0.001", ["undecided"])])
def test_pairs_are_equivalent_different_or_undecided(size: str, verdicts: list[str]) -> None:
    rows = score_rows({run: LONG[run] for run in ("main", "near", "lower")}, measure="strict_all")
    done = karat_here("compare", write("long.jsonl", rows), "--equivalent", size, "--format", "jsonl")
    assert done.code == 0
    found = {(row["run_id"], row["versus"]): row["margin_verdict"] for row in map(json.loads, done.lines)}
    assert found["main", "near"] == verdicts[0]
    assert found["main", "lower"] == "different"
    assert "|equivalent:" in json.loads(done.lines[0])["signature"]


def test_one_question_at_a_time() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "main", "--max-loss", "0.1", "--equivalent", "0.1")
    assert (done.code, done.err) == (2, "Error: --max-loss and --equivalent ask different questions; choose one\n")


def test_several_pairs_have_intervals_for_all_of_them_together() -> None:
    file = write("long.jsonl", score_rows(LONG, measure="strict_all"))
    done = karat_here("compare", file, "--baseline", "main")
    assert " ".join(done.lines[0].split()) == "strict_all, run minus main all pairs effect p (all pairs) n"
    for row in map(json.loads, karat_here("compare", file, "--baseline", "main", "--format", "jsonl").lines):
        assert row["all_low"] < row["value"] < row["all_high"]
        assert row["significant"] == (row["all_low"] > 0 or row["all_high"] < 0)
    one_sided = karat_here("compare", file, "--baseline", "main", "--fail-if-worse")
    assert " below " in one_sided.lines[2]


def test_permutation_tests_say_that_they_have_no_intervals_for_all_pairs() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "main")
    assert "have no intervals for all pairs together" in done.err
    assert "all pairs  " not in done.lines[0].replace("p (all pairs)", "")


def test_failing_needs_a_baseline() -> None:
    for option in (("--fail-if-worse",), ("--max-loss", "0.1")):
        done = karat_here("compare", "scores.jsonl", *option)
        assert (done.code, done.out) == (2, b"")
        assert "--fail-if-worse and --max-loss need --baseline RUN." in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--baseline", "mian"), 2, "Error: there is no run 'mian'; choose from main, worse, same\n"),
        (("--measures", "N"), 2, "Error: there are no scores of N; there are scores of M\n"),
        (("--average", "pool"), 3, "Error: scores by query cannot be pooled; give the judgements for --average pool\n"),
        (
            ("--average", "median"),
            2,
            "Error: there are tests for mean and pooled scores only; choose --average query or pool\n",
        ),
    ],
)
def test_a_mistake_is_answered_with_the_choices(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = karat_here("compare", "scores.jsonl", *arguments)
    assert (done.code, done.out, done.err) == (code, b"", message)


def test_one_run_is_nothing_to_compare() -> None:
    done = karat_here("compare", write("one.jsonl", score_rows({"main": [0.1, 0.2]})))
    assert (done.code, done.err) == (3, "Error: there is only one run, main: nothing to compare it with\n")


def test_a_hole_in_the_scores_is_an_error_until_the_user_chooses() -> None:
    holed = write("holed.jsonl", [*score_rows({"main": [0.5] * 8}), *score_rows({"new": [0.25] * 7})])
    assert "run new has no score of M for query q7 (1 score missing); " in karat_here("compare", holed).err
    counts = [karat_here("compare", holed, "--missing", one, "--format", "tsv").lines[1].split("\t")[9]
              for one in ("zero", "skip")]  # fmt: skip
    assert counts == ["8", "7"]


def test_scores_over_all_queries_are_distinguished_from_scores_per_query() -> None:
    done = karat_here("compare", write("all.jsonl", total_rows({"main": 0.9, "new": 0.1})))
    assert done.code == 0
    assert "M: no analysis of variance: at least 2 queries must have values, not 1" in done.err


def test_nugs_are_shown_as_many_as_are_asked_for() -> None:
    rows = [nug("q", str(at)) for at in range(6)]
    rows += [judgement("q", run_id, float(run_id == "main"), str(at)) for run_id in ("main", "new") for at in range(6)]
    file = write("nugs.jsonl", rows)
    for asked, shown in (("0", 0), ("2", 2), ("9", 6)):
        done = karat_here("compare", file, "--baseline", "main", "--nugs", asked)
        assert sum("lost vital" in line for line in done.lines) == shown


def test_pooled_runs_that_are_alike_on_what_both_answer_do_not_differ() -> None:
    rows = [nug(f"q{at}") for at in range(10)]
    rows += [judgement(f"q{at}", "a", float(at > 2)) for at in range(10)]
    file = write("pool.jsonl", [*rows, *(judgement(f"q{at}", "b", 0.0) for at in range(3))])
    done = karat_here("compare", file, "--average", "pool", "--missing", "skip", "--measures", "strict_vital")
    assert done.code == 0
    assert done.lines[2].split() == ["a", "b", "0.000", "[0.000,", "0.000]", "1.0000", "3"]
    assert "7 missing responses, left out: b 7" in done.err.splitlines()
    assert "strict_vital: no analysis of variance: it is for means over queries, not for pooled scores" in (
        done.err.splitlines()
    )


def test_pooled_scores_have_no_t_test_and_no_detectable_difference() -> None:
    arguments = ("judged.jsonl", "--average", "pool", "--measures", "lenient_vital", "--format")
    head, *rows = (line.split("\t") for line in karat_here("compare", *arguments, "tsv").lines)
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        assert (cells["p_t"], cells["detectable"]) == ("", "")
        assert cells["p"]
    for line in karat_here("compare", *arguments, "jsonl").lines:
        assert (json.loads(line)["p_t"], json.loads(line)["detectable"]) == (None, None)


def test_measures_of_different_queries_are_compared_each_on_its_own() -> None:
    rows = [*score_rows({"a": [0.5] * 5, "b": [0.25] * 5}), *score_rows({"a": [0.5] * 6, "b": [0.25] * 6}, measure="N")]
    done = karat_here("compare", write("two.jsonl", rows), "--measures", "M,N")
    assert done.code == 0
    assert [line.split()[-1] for line in done.lines if line.startswith("a  ")] == ["5", "better"]


def test_the_order_of_rows_in_a_file_decides_nothing() -> None:
    rows = score_rows({"a": [at * 7 % 13 / 16 for at in range(30)], "b": [at * 5 % 11 / 16 for at in range(30)]})
    files = [write("one.jsonl", rows), write("other.jsonl", sorted(rows, key=lambda row: (row["query_id"], str(row))))]
    for command, rows_each in (("compare", 1), ("score", 2)):
        first, second = (karat_here(command, file, "--format", "jsonl") for file in files)
        assert first.out == second.out
        assert len(first.lines) == rows_each


@pytest.mark.parametrize("command", ["score", "compare", "plan", "stability"])
def test_measures_without_a_name_are_an_error_with_the_choices(command: str) -> None:
    done = karat_here(command, "scores.jsonl", "--measures", ",")
    assert (done.code, done.err.splitlines()[-1]) == (2, "Error: no measure is named; there are scores of M")


def test_a_judge_of_scores_without_judgements_is_an_error() -> None:
    done = karat_here("compare", "scores.jsonl", "--judge", "nope")
    assert done.code == 2
    assert "--judge nope: these are scores without judgements" in done.err


def test_a_score_that_is_too_large_is_named() -> None:
    write("large.jsonl", score_rows({"a": [1e308] * 12, "b": [-1e308] * 12}))
    done = karat_here("compare", "large.jsonl")
    message = "Error: run a, query q0: M is 1e+308, and scores beyond 1e+100 cannot be averaged or compared"
    assert (done.code, done.err.splitlines()) == (3, [message])


def test_measures_of_other_tools_may_be_said_to_be_better_where_they_are_lower() -> None:
    done = karat_here("compare", "scores.jsonl", "--baseline", "worse", "--less-is-better", "M", "--fail-if-worse")
    assert done.code == 1
    assert "worse: main is 0.484 worse than worse in M" in done.err
    assert karat_here("score", "scores.jsonl", "--less-is-better", "M").lines[2].startswith("worse")
