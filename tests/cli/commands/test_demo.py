from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from cli.running import karat, karat_here
from karat.cli.commands.demo import FILES

RUNS = {"librarian", "birch", "atlas", "cedar", "delta"}
MEASURES = ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]


def test_the_table_of_five_runs_is_on_stdout() -> None:
    done = karat("demo")
    assert done.code == 0
    head, _rule, *rows = [line for line in done.lines if line]
    assert head.split() == ["run", "n", *MEASURES]
    assert {row.split()[0] for row in rows} == RUNS
    assert len(rows) == 5
    assert all(row.count("[") == len(MEASURES) for row in rows)
    assert rows[0].split()[0] == "librarian"


def test_twelve_queries_are_enough_to_tell_runs_apart() -> None:
    """Run, n, then value, low, high and letters: the good runs share letters, the weak ones stand alone."""
    _head, _rule, *rows = [line.split() for line in karat_here("demo").lines if line]
    assert {row[0]: (row[1], row[5]) for row in rows} == {
        "librarian": ("12", "a"),
        "birch": ("12", "ab"),
        "atlas": ("12", "b"),
        "cedar": ("12", "c"),
        "delta": ("12", "d"),
    }


def test_what_was_read_is_reported() -> None:
    told = karat_here("demo").err.splitlines()
    assert "Read 12 queries, 5 runs, 60 responses, 77 nugs, 231 votes, 385 judgements." in told


def test_atlas_is_better_on_news_and_birch_on_books(tmp_path: Path) -> None:
    karat_here("demo", "--copy", tmp_path)
    copies = [tmp_path / name for name in FILES]
    done = karat_here("score", *copies, "--on-error", "skip", "--by", "medium", "--measures", "strict_vital")
    means = {(row[0], row[1]): float(row[3]) for row in map(str.split, done.lines[2:]) if row}
    assert {medium for medium, _run in means} == {"web", "news", "book", "all"}
    assert means["news", "atlas"] > means["news", "birch"]
    assert means["book", "birch"] > means["book", "atlas"]


def test_the_broken_line_is_reported_on_stderr_and_the_rest_is_scored() -> None:
    done = karat_here("demo")
    assert done.code == 0
    told = done.err.splitlines()
    assert "skipped: judgements.jsonl:79: degree: 'suport' is not a number from 0 to 1" in told
    assert "skipped in judgements.jsonl: 1 impossible-label" in told
    assert "run cedar, query q3: 1 failed judgement, scored on the rest" in told
    assert "suport" not in done.text


def test_the_command_it_names_gives_the_same_table_on_the_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = karat_here("demo", "--copy", tmp_path)
    monkeypatch.chdir(tmp_path)
    (named,) = [line for line in demo.err.splitlines() if line.startswith("karat score ")]
    done = karat_here(*named.split()[1:])
    assert (done.code, done.out) == (0, demo.out)


def test_the_files_are_copied_byte_for_byte_into_a_new_folder(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder"
    done = karat_here("demo", "--copy", target)
    assert done.code == 0
    assert f"The files are in {target}." in done.err
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {
        name: (files("karat.demo") / name).read_bytes() for name in FILES
    }


def test_a_folder_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "The files are in here." in karat_here("demo", "--copy", "here").err


def test_nothing_is_copied_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    karat_here("demo")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    done = karat_here("demo", "--copy", tmp_path / "taken")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("Error: ")
    assert (tmp_path / "taken").read_text() == "mine"


def test_the_copies_are_there_to_be_looked_at(tmp_path: Path) -> None:
    karat_here("demo", "--copy", tmp_path)
    copies = [tmp_path / name for name in FILES]
    assert [karat_here("show", copy).code for copy in copies] == [0, 3, 0]
    done = karat_here("lint", *copies, "--format", "jsonl")
    assert done.code == 1
    assert [(Path(row["file"]).name, row["line"], row["code"]) for row in map(json.loads, done.lines)] == [
        ("runs.jsonl", 38, "empty-answer"),
        ("judgements.jsonl", 79, "impossible-label"),
        ("key.jsonl", 42, "non-atomic-nug"),
    ]


def test_the_report_of_the_demo_is_the_one_that_its_command_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    done = karat_here("demo", "--copy", ".", "--report", "demo.html")
    assert "The report is in demo.html: open it in a browser." in done.err.splitlines()
    karat_here("report", *FILES, "--on-error", "skip", "--made", "")
    assert Path("demo.html").read_text() == Path("report.html").read_text()


def test_without_the_option_the_folder_stays_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    karat_here("demo")
    assert list(tmp_path.iterdir()) == []


def test_a_report_into_a_folder_that_is_not_there_is_refused_before_the_work() -> None:
    done = karat_here("demo", "--report", "nowhere/demo.html")
    assert (done.code, done.text) == (2, "")
    assert "there is no folder nowhere" in done.err
