"""Single charts, in Python and as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders.reported import collection, save
from cli.running import karat_here
from karat.model import UsageError
from karat.reports.page.plot import KINDS, plot

pytest.importorskip("altair")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(Path("all.jsonl"), collection())


@pytest.mark.parametrize("kind", ["leaderboard", "differences", "stability"])
def test_a_chart_has_the_data_of_its_runs(kind: str) -> None:
    drawn = plot(kind, "all.jsonl", output="chart.json")
    assert json.loads(Path("chart.json").read_text()) == drawn.spec
    assert "best" in drawn.data or kind == "stability"
    assert drawn._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("kind", ["calibration", "judge-and-people", "bland-altman"])
def test_charts_of_a_judge_beside_people(kind: str) -> None:
    assert plot(kind, "all.jsonl", judge="lexical").kind == kind


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("calibration", "it needs a program that judges"),
        ("pyramid", "it needs a key and the votes of two assessors or more"),
        ("contingency", "it needs nuggets"),
    ],
)
def test_a_chart_that_the_data_do_not_have_says_why(kind: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"there is no chart {kind} of these data: {why}"):
        plot(kind, "all.jsonl")


def test_an_unknown_chart_is_told_the_choices_before_any_file_is_read() -> None:
    done = karat_here("plot", "pie", "no-such-file.jsonl", "-o", "x.svg")
    assert (done.code, done.err) == (2, f"Error: there is no chart 'pie'; choose from {', '.join(KINDS)}\n")


def test_the_name_of_the_file_says_the_format() -> None:
    for name, first in {"a.svg": b"<svg", "a.png": b"\x89PNG", "a.json": b"{"}.items():
        done = karat_here("plot", "leaderboard", "all.jsonl", "-o", name)
        assert done.code == 0
        assert "strict_vital of each run with its 95 % interval: best 1.000" in done.err
        assert Path(name).read_bytes().startswith(first)


def test_a_file_that_is_no_picture_is_refused_and_standard_output_is_svg() -> None:
    done = karat_here("plot", "leaderboard", "all.jsonl", "-o", "a.jpg")
    assert (done.code, done.err) == (
        2, "Error: a.jpg: its name must end in .svg, .png or .json, or name the format with --format\n",
    )  # fmt: skip
    assert karat_here("plot", "leaderboard", "all.jsonl").out.startswith(b"<svg")
    assert karat_here("plot", "leaderboard", "all.jsonl", "--format", "json").out.startswith(b"{")
