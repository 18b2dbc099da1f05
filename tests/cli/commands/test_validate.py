from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders.simulated import simulated, unlabelled
from cli.running import karat_here
from karat import demo_files
from karat.cli.commands.validate import VIEWS
from karat.evaluate.validate import validate as validating
from karat.formats import write
from karat.model import Signature
from karat.reports.validate import LEGEND, LEGENDS

KEYS = [
    "pairs", "auc", "precision", "recall", "f1", "kappa", "brier", "tau_runs", "tau_topic", "tau_cells", "pearson",
    "pearson_topic", "r2", "rmse", "coverage", "width",
]  # fmt: skip
JUDGE = "rouge(stem=none,unit=response)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(validating, "RESAMPLES", 20)
    write(simulated(noise=0.2, groups=True), "all.jsonl", format="karat")


def test_jsonl_has_one_object_per_judge_with_these_keys_and_then_one_per_run() -> None:
    done = karat_here("validate", "all.jsonl", "--judge", f"{JUDGE},qaviar", "--format", "jsonl")
    assert done.code == 0, done.err
    first, second, *runs = [json.loads(line) for line in done.lines if line]
    assert (first["judge"], second["judge"]) == (JUDGE, "qaviar")
    for row in (first, second):
        ends = [name for name in row if name.endswith("_interval")]
        assert [name for name in row if name not in ends] == ["judge", "measure", *KEYS, "signature"]
        assert {name.removesuffix("_interval") for name in ends} == set(KEYS) - {"pairs", "coverage", "width"}
        assert all(isinstance(row[name], int | float) for name in KEYS)
        for name in ends:
            low, high = row[name]
            assert low <= row[name.removesuffix("_interval")] <= high
    assert first["pairs"] == 144
    assert first["signature"].startswith("rouge|unit:response|")
    assert "signature:" not in done.err
    assert [(run["judge"], run["run_id"]) for run in runs] == [
        (j, f"r{at}") for j in (JUDGE, "qaviar") for at in range(6)
    ]
    assert list(runs[0]) == [
        "judge", "measure", "run_id", "n", "official", "official_low", "official_high", "judged", "low", "high",
        "judge_low", "judge_high",
    ]  # fmt: skip


def test_any_measure_can_be_validated() -> None:
    done = karat_here("validate", "all.jsonl", "--judge", JUDGE, "--measures", "F3,strict_all")
    assert done.code == 0, done.err
    assert "\ntau of runs (F3) " in done.text
    assert "\nRMSE of runs (strict_all) " in done.text
    done = karat_here("validate", "all.jsonl", "--judge", JUDGE, "--measures", "F3", "--view", "runs")
    assert done.lines[0].split()[:4] == ["measure", "run", "id", "n"]
    done = karat_here("validate", "all.jsonl", "--measures", "recall2012")
    assert done.code == 2


def test_what_is_undefined_is_null() -> None:
    write(simulated(runs=1, queries=4, noise=0.2, seed=2), "one.jsonl", format="karat")
    done = karat_here("validate", "one.jsonl", "--judge", JUDGE, "--format", "jsonl")
    assert done.code == 0, done.err
    row = json.loads(done.lines[0])
    assert row["tau_runs"] is None
    assert "tau_runs_interval" not in row


def test_the_table_has_a_column_a_judge() -> None:
    done = karat_here("validate", "all.jsonl", "--judge", f"{JUDGE},qaviar")
    assert done.code == 0, done.err
    assert done.lines[0].split() == ["figure", JUDGE, "qaviar"]
    assert len([line for line in done.lines if line]) == 2 + len(KEYS)


@pytest.mark.parametrize("cv", ["query", "run", "group"])
def test_groups_are_chosen(cv: str) -> None:
    done = karat_here("validate", "all.jsonl", "--judge", JUDGE, "--cv", cv, "--format", "jsonl", "--seed", "7")
    assert done.code == 0, done.err
    assert f"|cv:{cv}|" in json.loads(done.lines[0])["signature"]
    assert "seed:7" in json.loads(done.lines[0])["signature"]


def test_notes_are_on_stderr_and_once_for_all_judges() -> None:
    write(simulated(queries=2, runs=3, noise=0.2), "two.jsonl", format="karat")
    done = karat_here("validate", "two.jsonl", "--judge", f"{JUDGE},qaviar", "--format", "jsonl")
    assert done.err.count("when 2 of 2 queries were left out: only 18 labels") == 1
    assert b"left out" not in done.out


def test_folds_are_chosen() -> None:
    done = karat_here("validate", "all.jsonl", "--judge", JUDGE, "--folds", "2")
    assert done.code == 0, done.err
    assert "|cv:query|folds:2|" in done.err


def test_views_print_as_tables_and_jsonl() -> None:
    done = karat_here("validate", "all.jsonl", "--view", "statistics")
    assert done.lines[0].split() == ["statistic", "value"]
    assert "runs 6" in [" ".join(line.split()) for line in done.lines]
    done = karat_here("validate", "all.jsonl", "--view", "thresholds", "--judge", f"{JUDGE},qaviar")
    assert done.lines[0].split()[:3] == ["judge", "measure", "threshold"]
    assert len([line for line in done.lines if line]) == 2 + 2 * 21
    done = karat_here("validate", "all.jsonl", "--view", "swaps", "--judge", JUDGE, "--format", "jsonl")
    rows = [json.loads(line) for line in done.lines if line]
    assert list(rows[0]) == ["judge", "measure", "above", "up_to", "pairs", "swapped", "tied", "share"]
    assert sum(row["pairs"] for row in rows) <= 15
    done = karat_here("validate", "all.jsonl", "--view", "systems", "--format", "jsonl")
    assert sum(json.loads(line)["nugs"] for line in done.lines if line) == 24


@pytest.mark.parametrize("view", VIEWS)
def test_a_table_has_a_legend_and_a_signature(view: str) -> None:
    options = ["--view", view, "--judge", JUDGE]
    done = karat_here("validate", "all.jsonl", *options)
    legend = LEGEND if view == "figures" else LEGENDS[view]
    assert done.err.startswith(f"{legend}\n")
    signature = done.err.splitlines()[-1].removeprefix("signature: ")
    assert Signature.parse(signature).name == (view if view in ("statistics", "systems") else "rouge")
    assert legend not in karat_here("validate", "all.jsonl", *options, "--format", "jsonl").err


def test_a_figure_has_one_name_in_all_views() -> None:
    head = karat_here("validate", "all.jsonl", "--view", "thresholds", "--judge", JUDGE).lines[0]
    figures = karat_here("validate", "all.jsonl", "--judge", JUDGE).text
    for name in ("kappa", "F1", "tau of runs", "tau within a query", "RMSE of runs"):
        assert name in head
        assert f"\n{name} " in figures


@pytest.mark.parametrize(
    ("name", "more", "code", "message"),
    [
        ("bare", [], 3, "there is nothing to validate on: give a key, responses with their texts, and judgements"),
        ("one", [], 3, "only one query has labels, and its threshold has to come from others; try --cv run|group"),
        ("all", ["--judge", "nobody"], 2, "no judge is called 'nobody'"),
        ("all", ["--judge", ","], 2, "--judge names no judge"),
        ("all", ["--cv", "topic"], 2, "topic"),
    ],
)
def test_a_mistake_is_reported_without_a_traceback(name: str, more: list[str], code: int, message: str) -> None:
    write(unlabelled(simulated()), "bare.jsonl", format="karat")
    write(simulated(queries=1, noise=0.2), "one.jsonl", format="karat")
    done = karat_here("validate", f"{name}.jsonl", *more)
    assert done.code == code
    assert message in done.err
    assert done.out == b""


@pytest.mark.parametrize("output_format", ["table", "jsonl"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("judge", [JUDGE, "pourpre"])
def test_every_view_runs_in_every_format(view: str, output_format: str, judge: str) -> None:
    done = karat_here("validate", "all.jsonl", "--view", view, "--judge", judge, "--format", output_format)
    assert done.code == 0, done.err
    if output_format == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in done.lines)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_the_demo_runs_as_jsonl(view: str) -> None:
    files = [str(path) for path in demo_files()]
    done = karat_here("validate", *files, "--on-error", "skip", "--view", view, "--format", "jsonl")
    assert done.code == 0, done.err
    assert [json.loads(line) for line in done.lines]
