from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from builders.rows import Matrix, Row, judged_rows, score_rows, total_rows
from cli.running import karat, karat_here
from karat.evaluate.compare.correlate import correlate
from karat.stats.correlation.intervals import fisher_interval

A: Matrix = {"r": [0.9, 0.8, 0.3, 0.6], "s": [0.5, 0.7, 0.4, 0.2], "t": [0.25, 0.1, 0.65, 0.35]}
B: Matrix = {"r": [0.8, 0.6, 0.2, 0.7], "s": [0.6, 0.9, 0.3, 0.1], "t": [0.3, 0.2, 0.7, 0.25]}
NAMES = ["pearson", "spearman", "kendall_tau_b", "tau_ap", "weighted_tau", "rmse"]


def write(name: str, rows: list[Row]) -> str:
    Path(name).write_text("".join(json.dumps({"v": 1} | row) + "\n" for row in rows))
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("a.jsonl", score_rows(A))
    write("b.jsonl", score_rows(B))


def test_the_table_has_every_coefficient_at_every_level() -> None:
    done = karat_here("correlate", "a.jsonl", "b.jsonl")
    assert done.code == 0
    rows = [line.split() for line in done.lines[2:20]]
    assert [row[:2] for row in rows] == [[name, level] for level in ("run", "query", "within-query") for name in NAMES]
    assert [rows[at][-2:] for at in (0, 6, 12)] == [["3", "runs"], ["12", "cells"], ["4", "queries"]]
    assert any(line.startswith("M of A differs by") for line in done.lines)
    assert done.err.startswith(
        "A is a.jsonl, the reference; B is b.jsonl\nintervals: 95 %, for the same 3 runs with another 4 q"
    )
    assert done.err.splitlines()[-1].startswith(
        "signature: M|missing:error|unjudged:skip|assessors:mean|with:M|target:queries|"
        "ci:bootstrap-queries|side:both|seed:0|v:"
    )


def test_the_same_side_twice_agrees_in_everything() -> None:
    done = karat_here("correlate", "a.jsonl", "a.jsonl", "--format", "jsonl")
    for row in map(json.loads, done.lines):
        assert row["value"] == pytest.approx(0.0 if row["measure"].startswith("rmse") else 1.0)


def test_levels_may_be_chosen() -> None:
    done = karat_here("correlate", "a.jsonl", "b.jsonl", "--level", "run", "--level", "query", "--format", "tsv")
    assert [line.split("\t")[2] for line in done.lines[1:]] == [
        f"{one}({at})" for at in ("run", "query") for one in NAMES
    ]


@pytest.mark.parametrize("side", [(), ("--one-sided",)])
def test_the_rows_are_score_records_that_karat_reads(side: tuple[str, ...]) -> None:
    done = karat("correlate", "a.jsonl", "b.jsonl", "--format", "jsonl", *side)
    shown = karat("show", "-", stdin=done.out)
    assert (done.code, shown.code, shown.err) == (0, 0, "")
    assert any(line.split() == ["score", "18"] for line in shown.lines)
    rows = [json.loads(line) for line in done.lines]
    assert {(row["a"], row["b"]) for row in rows} == {("M", "M")}
    if side:
        assert {row.get("high") for row in rows if not row["measure"].startswith("rmse")} == {1.0}


def test_a_constant_side_is_undefined_with_the_reason() -> None:
    done = karat_here("correlate", "a.jsonl", write("c.jsonl", score_rows({one: [0.5] * 4 for one in "rst"})))
    assert done.code == 0
    assert "undefined: the second vector is constant" in done.lines[2]
    assert sum("undefined: it is undefined in every query" in line for line in done.lines) == 5
    records = karat_here("correlate", "a.jsonl", "c.jsonl", "--format", "jsonl", "--level", "run")
    first = json.loads(records.lines[0])
    assert (first.get("value"), first["undefined"]) == (None, 1)


def test_pairs_that_are_all_tied_have_no_table_of_swaps() -> None:
    flat = write("c.jsonl", score_rows({one: [0.5] * 4 for one in "rst"}))
    assert not any("differs by" in line for line in karat_here("correlate", flat, "a.jsonl").lines)


def test_one_side_of_judgements_and_a_table_of_scores_with_the_key_for_both() -> None:
    rows = judged_rows(A)
    key = write("key.jsonl", [row for row in rows if row["kind"] == "nug"])
    marks = write("marks.jsonl", [row for row in rows if row["kind"] == "judgement"])
    table = write("table.jsonl", score_rows(A, measure="official"))
    done = karat_here(
        "correlate", marks, table, "--with", key, "--measures", "lenient_vital,official", "--format", "jsonl"
    )
    assert done.code == 0
    values = {row["measure"]: row["value"] for row in map(json.loads, done.lines)}
    assert values["rmse(query)"] == pytest.approx(0.0)
    assert values["pearson(run)"] == pytest.approx(1.0)


def test_what_only_one_side_has_is_left_out_and_reported() -> None:
    write("more.jsonl", [*score_rows(B), *score_rows({"z": [0.1] * 4})])
    done = karat_here("correlate", "a.jsonl", "more.jsonl")
    assert "1 run on only one side, left out" in done.err.splitlines()


def test_what_one_side_lacks_is_taken_out_of_both() -> None:
    whole: Matrix = {"x": [0.9, 0.1, 0.1], "y": [0.5] * 3, "z": [0.2] * 3}
    a = write("whole.jsonl", score_rows(whole))
    b = write("holed.jsonl", [row for row in score_rows(whole) if row["value"] != 0.1])
    refused = karat_here("correlate", a, b)
    assert (refused.code, refused.out) == (3, b"")
    assert "run x has no score of M for query q1 (2 scores missing); " in refused.err
    done = karat_here("correlate", a, b, "--level", "run", "--missing", "skip")
    assert done.code == 0
    assert done.lines[2].split() == ["pearson", "run", "1.000", "[1.000,", "1.000]", "3", "runs"]
    assert done.lines[-2].split() == ["0.2", "to", "1", "3", "0", "0.0%"]
    assert done.err.splitlines()[:-2] == [
        "A is whole.jsonl, the reference; B is holed.jsonl",
        "intervals: 95 %, for the same 3 runs with another 3 queries",
        "Tukey's HSD separates 3 of 3 pairs of runs by M of whole.jsonl and 3 by M of holed.jsonl: "
        "3 by both, 0 only by the first, "
        "0 only by the second, 0 in opposite directions",
        "M: 2 missing scores, left out",
        "2 of 9 cells have no value on one side, left out of both",
    ]


def test_scores_over_all_queries_are_compared_by_run() -> None:
    done = karat_here("correlate", write("all.jsonl", total_rows({"r": 0.9, "s": 0.5, "t": 0.1})), "b.jsonl")
    assert done.code == 0
    assert {line.split()[1] for line in done.lines[2:8]} == {"run"}
    assert "the scores are over all queries: compared only by run" in done.err.splitlines()


@pytest.mark.parametrize(
    ("rows", "options", "code", "message"),
    [
        (score_rows({"x": [0.1]}), (), 3, "Error: the two sides have no run in common: "),
        (score_rows(B, measure="N"), (), 3, "Error: the two sides have no measure in common (M and N); "),
        (score_rows(B), ("--measures", "N"), 2, "Error: a.jsonl has no scores of 'N'; it has M"),
        (score_rows(B), ("--measures", "M,M,M"), 2, "Error: name one measure, or one per side, not 3"),
    ],
)
def test_a_mistake_is_answered_with_what_there_is(
    rows: list[Row], options: tuple[str, ...], code: int, message: str
) -> None:
    done = karat_here("correlate", "a.jsonl", write("other.jsonl", rows), *options)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(message)


def test_the_seed_decides_the_intervals() -> None:
    outs = [karat_here("correlate", "a.jsonl", "b.jsonl", "--seed", seed, "--format", "tsv").out for seed in "112"]
    assert outs[0] == outs[1] != outs[2]


def test_one_judge_is_held_against_another() -> None:
    rows = judged_rows(A)
    by_both = [row | {"judge": "ann"} for row in rows if row["kind"] == "judgement"]
    by_both += [row | {"judge": "bob"} for row in judged_rows(B) if row["kind"] == "judgement"]
    both = write("both.jsonl", [*(row for row in rows if row["kind"] == "nug"), *by_both])
    official = write("official.jsonl", score_rows(A, measure="vital_score"))
    asked = ("correlate", both, official, "--measures", "lenient_vital", "--format", "jsonl")
    assert "the judgements are by 2 judges (ann, bob); choose one with --judge NAME" in karat_here(*asked).err
    errors = {
        judge: {row["measure"]: row["value"] for row in map(json.loads, karat_here(*asked, "--judge", judge).lines)}
        for judge in ("ann", "bob")
    }
    assert errors["ann"]["rmse(query)"] == pytest.approx(0.0)
    assert errors["bob"]["rmse(query)"] > 0.05


def test_fishers_interval_of_pearson_by_run_is_one_sided_on_request() -> None:
    matrix = {f"r{at}": [0.1 * at, 0.2 + 0.05 * at] for at in range(8)}
    write("many.jsonl", score_rows(matrix))
    write("other.jsonl", score_rows({run: [value**2 for value in values] for run, values in matrix.items()}))
    for more, side in (([], "both"), (["--one-sided"], "low")):
        done = karat_here("correlate", "many.jsonl", "other.jsonl", "--interval", "fisher", "--format", "jsonl", *more)
        assert done.code == 0, done.err
        rows = {row["measure"]: row for row in map(json.loads, done.lines)}
        pearson = rows["pearson(run)"]
        interval = fisher_interval(pearson["value"], n=8, side=side)  # type: ignore[arg-type]
        assert interval is not None
        assert (pearson["low"], pearson["high"]) == pytest.approx((interval.low, interval.high))
        assert "pearson_ci:fisher" in pearson["signature"]
        # The other levels and coefficients come from the bootstrap.
        plain = karat_here("correlate", "many.jsonl", "other.jsonl", "--format", "jsonl", *more)
        bootstrapped = {row["measure"]: row for row in map(json.loads, plain.lines)}
        assert [(row.get("low"), row.get("high")) for name, row in rows.items() if name != "pearson(run)"] == [
            (row.get("low"), row.get("high")) for name, row in bootstrapped.items() if name != "pearson(run)"
        ]
    refused = karat_here("correlate", "many.jsonl", "other.jsonl", "--interval", "fisher", "--level", "query")
    assert (refused.code, "add --level run" in refused.err) == (2, True)


def noisy_sides(seed: int, runs: int = 20, queries: int = 15) -> tuple[np.ndarray, Matrix, Matrix]:
    """True means of runs (runs, 2) with a correlation of 0.9, and both scorings of so many queries."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, runs))
    true = 0.5 + 0.1 * np.stack([first, 0.9 * first + np.sqrt(0.19) * second], axis=1)
    sides = [true[:, [side]] + rng.normal(0, 0.2, (runs, queries)) for side in (0, 1)]
    a, b = ({f"r{at}": row.tolist() for at, row in enumerate(side)} for side in sides)
    return true, a, b


def test_the_target_may_be_infinitely_many_queries() -> None:
    _, a, b = noisy_sides(1)
    write("a.jsonl", score_rows(a))
    write("b.jsonl", score_rows(b))
    few, many = (
        karat_here("correlate", "a.jsonl", "b.jsonl", "--level", "run", "--target", target, "--format", "jsonl")
        for target in ("queries", "population")
    )
    plain, without_noise = (json.loads(done.lines[0]) for done in (few, many))
    assert plain["target"] == "other queries, as many"
    assert without_noise["target"] == "infinitely many queries"
    assert "|target:population|ci:posterior|" in without_noise["signature"]
    assert without_noise["observed"] == pytest.approx(plain["value"])
    assert plain["value"] < without_noise["value"]
    table = karat_here("correlate", "a.jsonl", "b.jsonl", "--target", "population")
    assert table.lines[0].split("  ")[-2].strip() == "with these queries"
    assert "intervals: 95 %, for the same 20 runs with infinitely many queries" in table.err
    assert "only level run" in table.err


def test_each_target_is_held_by_its_own_interval() -> None:
    """40 simulated pairs of scorings; the other target's interval is below."""
    held = {"queries": 0, "population": 0}
    for seed in range(40):
        true, a, b = noisy_sides(seed)
        real = float(np.corrcoef(true.T)[0, 1])
        for target in held:
            found = correlate(score_rows(a), score_rows(b), levels=["run"], target=target)  # type: ignore[arg-type]
            pearson = found.levels[0].correlations[0]
            assert pearson.low is not None
            assert pearson.high is not None
            held[target] += pearson.low <= real <= pearson.high
    assert held["population"] >= 34
    assert held["queries"] <= 26


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--level", "query"), "add --level run"),
        (("--resample", "runs"), "leave out --resample runs"),
        (("--interval", "fisher"), "leave out --interval fisher"),
    ],
)
def test_what_infinitely_many_queries_cannot_have_is_refused(options: tuple[str, ...], said: str) -> None:
    done = karat_here("correlate", "a.jsonl", "b.jsonl", "--target", "population", *options)
    assert done.code == 2
    assert said in done.err


def test_totals_and_few_runs_have_no_population() -> None:
    totals = write("all.jsonl", total_rows({"r": 0.9, "s": 0.5, "t": 0.1}))
    done = karat_here("correlate", totals, "b.jsonl", "--target", "population")
    assert done.code == 2
    assert "needs the scores of single queries" in done.err
    few = karat_here("correlate", "a.jsonl", "b.jsonl", "--target", "population")
    assert few.code == 0
    assert "undefined: fewer than 4 runs or 3 queries" in few.lines[2]
