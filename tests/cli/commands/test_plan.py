from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from karat.cli.commands.plan import command
from karat.model import UsageError

A = [0.8, 0.6, 0.7, 0.9, 0.4, 0.7]
B = [0.5, 0.6, 0.4, 0.9, 0.1, 0.8]
C = [0.1, 0.3, 0.2, 0.5, 0.0, 0.4]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"kind": "score", "v": 1, "run_id": run, "query_id": f"q{at}", "measure": "F3", "value": value}
        for run, values in (("a", A), ("b", B), ("c", C))
        for at, value in enumerate(values)
    ]
    Path("scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def plan(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def cells(done: Result, start: str) -> list[str]:
    """The last columns of the row of this name."""
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(start)]
    return line[len(start) :].split()


def test_a_difference_and_an_sd_are_enough() -> None:
    done = plan("--difference", "0.05", "--sd", "0.2")
    assert done.exit_code == 0
    assert cells(done, "queries needed if these are exact (power 0.8, alpha 0.05)") == ["128"]
    assert ["128", "0.802", "0.050", "needed"] in [line.split() for line in done.stdout.splitlines()]
    assert "reliability" not in done.stdout
    assert "95 % interval" not in done.stdout
    *words, last = done.stderr.splitlines()
    assert [line.split(":")[0] for line in words] == ["sd", "power", "detectable"]
    assert last.startswith("signature: plan|test:permutation|difference:0.05|power:0.8|alpha:0.05|")


def test_the_two_runs_may_be_patterns_and_keep_their_order() -> None:
    assert plan("scores.jsonl", "--runs", "[b],a*").stdout == plan("scores.jsonl", "--runs", "b,a").stdout
    assert plan("scores.jsonl", "--runs", "b,a").stdout.startswith("F3: b against a")
    for runs, number in (("*", 3), ("a", 1)):
        done = plan("scores.jsonl", "--runs", runs)
        assert done.exit_code == 2
        assert f"a plan compares two runs, and this names {number}: a" in done.stderr


def test_only_some_queries_of_a_pilot() -> None:
    done = plan("scores.jsonl", "--runs", "a,b", "--queries", "q1,q2,q3")
    assert cells(done, "queries used (both runs have a score)") == ["3"]
    assert "give its files" in plan("--difference", "0.1", "--sd", "0.2", "--queries", "q1").stderr


def test_two_runs_of_a_pilot() -> None:
    done = plan("scores.jsonl", "--runs", "a,b")
    assert done.exit_code == 0
    assert done.stdout.startswith("F3: a against b")
    assert cells(done, "difference observed")[0] == "+0.133"
    assert "difference planned for" not in done.stdout
    assert cells(done, "queries used (both runs have a score)") == ["6"]
    assert [line.split()[-2:] for line in done.stdout.splitlines() if line.split()[:1] == ["6"]] == [["at", "hand"]]
    assert [line.split()[0] for line in done.stdout.splitlines()[-5:] if line] == ["-" * 14, "runs", "queries", "rest"]
    assert "planned for the difference observed, which is uncertain itself" in done.stderr


def test_all_pairs_and_the_difference_that_matters() -> None:
    done = plan("scores.jsonl", "--difference", "0.1", "--comparisons", "3", "--one-sided")
    assert done.stdout.startswith("F3: a typical pair of runs (of 3)")
    assert cells(done, "difference planned for") == ["0.100"]
    assert "queries needed if these are exact (power 0.8, alpha 0.05 over 3 comparisons, one-sided)" in done.stdout
    assert "the median sd of the differences of 3 pairs of runs is taken" in done.stderr


def test_jsonl_is_an_object_a_measure() -> None:
    done = plan("scores.jsonl", "--runs", "b,c", "--format", "jsonl")
    (row,) = map(json.loads, done.stdout.splitlines())
    assert (row["measure"], row["pilot"]["run_id"], row["pilot"]["versus"]) == ("F3", "b", "c")
    assert row["pilot"]["sd_low"] < row["sd"] < row["pilot"]["sd_high"]
    assert row["queries_needed"] >= row["fewest"] == 6
    assert [part["name"] for part in row["components"]["components"]] == ["run", "query", "residual"]
    assert {step["queries"] for step in row["steps"]} >= {6, 10, 500}


def test_tsv_has_one_row_per_number_of_queries() -> None:
    done = plan("scores.jsonl", "--runs", "b,c", "--format", "tsv")
    head, *rows = (line.split("\t") for line in done.stdout.splitlines())
    assert head[:6] == ["measure", "run_id", "versus", "difference", "sd", "queries_needed"]
    assert {len(row) for row in rows} == {len(head)}
    assert {tuple(row[:3]) for row in rows} == {("F3", "b", "c")}


def test_a_large_number_is_said_as_such() -> None:
    assert cells(
        plan("--difference", "0.00001", "--sd", "0.5"), "queries needed if these are exact (power 0.8, alpha 0.05)"
    ) == [
        "over",
        "1,000,000",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give the files of a pilot, or both --difference and --sd."),
        (("--sd", "0.2"), "Give the files of a pilot, or both --difference and --sd."),
        (("--difference", "0.1", "--sd", "0.2", "--runs", "a,b"), "give its files, too"),
        (("scores.jsonl", "--sd", "0.2"), "with files, it is estimated from them"),
        (("scores.jsonl", "--comparisons", "0"), "Invalid value for '--comparisons'"),
    ],
)
def test_a_call_that_makes_no_sense_is_reported(arguments: tuple[str, ...], said: str) -> None:
    done = plan(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_what_the_pilot_lacks_is_a_usage_error() -> None:
    done = plan("scores.jsonl", "--runs", "a,x")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "--runs: there is no run 'x'; choose from a, b, c"


def test_absurd_numbers_are_printed_shortly() -> None:
    done = plan("--difference", "1e-300", "--sd", "1e300")
    assert cells(done, "difference planned for") == ["1e-300"]
    assert cells(done, "sd of the differences per query") == ["1e+300"]
    assert max(map(len, done.stdout.splitlines())) < 100
