"""karat job resume: the command of a job is given again, with what it was given, wherever its words stood."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from cli.running import karat_here

KEY, JUDGEMENTS, RUNS = map(str, karat.demo_files())
JUDGE = ("judge", "--judge", "lexical", "--no-cache")


def first_line(*words: str) -> str:
    resumed = karat_here("job", "resume", *words)
    assert resumed.code == 0, resumed.err
    return str(resumed.err.splitlines()[0])


def test_a_command_may_have_names_of_files_behind_two_strokes(tmp_path: Path) -> None:
    job, output = tmp_path / "job", tmp_path / "made.jsonl"
    assert karat_here(*JUDGE, "--job", job, "-o", output, "--", KEY, RUNS).code == 0
    made = output.read_bytes()
    output.unlink()
    first_line(str(job))
    assert output.read_bytes() == made


def test_what_is_not_named_is_as_before(tmp_path: Path) -> None:
    job, output = str(tmp_path / "job"), tmp_path / "made.jsonl"
    first = ("--job", job, "--engine", "processes", "--jobs", "2", "-o", output)
    assert karat_here(*JUDGE, KEY, RUNS, *first).code == 0
    assert "--jobs 2 --engine processes" in first_line(job, "--engine", "processes")
    assert "--jobs 3 --engine processes" in first_line(job, "--jobs", "3")
    # One process has no workers, and is no choice of one process per machine.
    assert "--jobs" not in first_line(job, "--engine", "local")
    assert "--jobs" not in first_line(job, "--engine", "processes")


def test_data_from_standard_input_are_given_again(tmp_path: Path) -> None:
    job, output = tmp_path / "job", tmp_path / "made.jsonl"
    runs = Path(RUNS).read_bytes()
    assert karat_here(*JUDGE, KEY, "-", "--job", job, "-o", output, stdin=runs).code == 0
    made = output.read_bytes()
    output.unlink()
    assert karat_here("job", "resume", job, stdin=runs).code == 0
    assert output.read_bytes() == made


def test_a_terminal_is_not_read_instead_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job, output = tmp_path / "job", tmp_path / "made.jsonl"
    assert karat_here(*JUDGE, KEY, "-", "--job", job, "-o", output, stdin=Path(RUNS).read_bytes()).code == 0
    assert karat_here(*JUDGE, KEY, RUNS, "--job", tmp_path / "other", "-o", "-").code == 0
    monkeypatch.setattr("karat.cli.commands.job._is_data_given", lambda: False)
    refused = karat_here("job", "resume", job)
    assert refused.code == 3
    assert (
        "the command read standard input, which is not kept; give the same data again: ... | karat job" in refused.err
    )
    # An output is no input.
    assert karat_here("job", "resume", tmp_path / "other").code == 0


def test_options_of_karat_itself_stay_in_front(tmp_path: Path) -> None:
    job, output = str(tmp_path / "job"), tmp_path / "made.jsonl"
    assert karat_here("--no-config", *JUDGE, KEY, RUNS, "--job", job, "-o", output).code == 0
    assert f"karat --no-config judge --job {job} " in first_line(job)
    # The same command belongs to the job, with or without them; another one does not.
    assert karat_here(*JUDGE, KEY, RUNS, "--job", job, "-o", output).code == 0
    refused = karat_here("--no-config", "score", KEY, JUDGEMENTS, "--on-error", "skip", "--job", job)
    assert refused.code == 2
    assert "name another folder for karat score" in refused.err
