"""karat job: what a job has done, going on with it, and removing it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import karat
from cli.running import karat_here
from karat.engines.job import JobFolder
from karat.engines.job.about import read_about
from karat.model import Unfinished

KEY, JUDGEMENTS, RUNS = map(str, karat.demo_files())


def judge(*more: str) -> None:
    done = karat_here("judge", KEY, RUNS, "--judge", "lexical", "--no-cache", *more)
    assert done.code == 0, done.err


def status(folder: Path) -> dict[str, object]:
    [row] = json.loads(karat_here("job", "status", folder, "--format", "json").text)["job"]
    assert isinstance(row, dict)
    return row


def test_a_job_is_given_again_as_before(tmp_path: Path) -> None:
    job, output = tmp_path / "job", tmp_path / "made.jsonl"
    judge("--engine", "processes", "--jobs", "2", "--job", str(job), "-o", str(output))
    first = output.read_bytes()
    output.unlink()
    resumed = karat_here("job", "resume", job)
    assert resumed.code == 0, resumed.err
    assert "--jobs 2 --engine processes" in resumed.err.splitlines()[0]
    assert output.read_bytes() == first
    output.unlink()
    elsewhere = karat_here("job", "resume", job, "--engine", "local")
    assert "--engine local" in elsewhere.err.splitlines()[0]
    assert "--jobs" not in elsewhere.err.splitlines()[0]
    assert output.read_bytes() == first


def test_what_is_done_is_shown(tmp_path: Path) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    shown = status(job)
    assert (shown["state"], shown["chunks"], shown["expected"]) == ("finished", 12, 12)
    judge("--job", str(job), "--floor", "0.05", "-o", str(tmp_path / "made.jsonl"))
    shown = status(job)
    assert (shown["chunks"], shown["expected"], shown["kept"]) == (12, 12, 24)
    karat_here("job", "clean", job)
    assert not job.exists()


def test_a_job_that_was_stopped_says_how_far_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.engines.job.folder._OFTEN", 3600.0)
    job = JobFolder(tmp_path / "job", command=("judge", KEY))
    with pytest.raises(Unfinished), job:
        do_two_of_twelve(job)
    shown = status(tmp_path / "job")
    assert (shown["state"], shown["chunks"], shown["expected"], shown["kept"]) == ("stopped", 2, 12, 2)


def test_how_far_a_job_is_is_shown_while_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it works, its file of chunks is locked."""
    monkeypatch.setattr("karat.engines.job.folder._OFTEN", -1.0)
    with JobFolder(tmp_path / "job", command=("judge", KEY)) as job:
        job.expect(12)
        for names in (b"a", b"bcd"):
            job.put({bytes([name]): b"made" for name in names})
            shown = status(tmp_path / "job")
            assert (shown["state"], shown["chunks"], shown["expected"]) == ("works now", job.made, 12)
    shown = status(tmp_path / "job")
    assert (shown["state"], shown["chunks"], shown["expected"]) == ("finished", 4, 12)


def do_two_of_twelve(job: JobFolder) -> None:
    job.expect(12)
    job.put({b"a": b"made"})
    job.put({b"b": b"made"})
    raise Unfinished("the disk is full")


def test_another_command_does_not_take_a_job_over(tmp_path: Path) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    before = read_about(job)
    other = karat_here("score", KEY, JUDGEMENTS, "--on-error", "skip", "--job", job)
    assert other.code == 2
    assert f"{job} is the job of `karat judge" in other.err
    assert f"karat job clean {job}" in other.err
    assert read_about(job) == before


def test_the_same_command_with_other_words_says_whose_work_it_uses(tmp_path: Path) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    again = karat_here("judge", KEY, RUNS, "--judge", "lexical", "--job", job, "-o", tmp_path / "other.jsonl")
    assert again.code == 0
    assert f"{job}: until now this was the job of `karat judge" in again.err
    assert (tmp_path / "other.jsonl").read_bytes() == (tmp_path / "made.jsonl").read_bytes()


def test_more_workers_than_the_engine_of_before_has(tmp_path: Path) -> None:
    job = tmp_path / "job"
    judge("--engine", "local", "--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    assert karat_here("job", "resume", job, "--jobs", "2").code == 0


def test_the_same_words_in_another_folder_are_another_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        judge("--job", "../job", "-o", "made.jsonl")
    about = read_about(tmp_path / "job")
    assert about is not None
    assert about.folder == str(tmp_path / "b")


@pytest.mark.parametrize("damaged", [b'{"kind":"karat-job","command":["\xff"]}', b'{"x":' + b"[" * 100_000])
def test_a_damaged_file_is_named_and_can_be_removed(tmp_path: Path, damaged: bytes) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    (job / "job.json").write_bytes(damaged)
    for call in ("status", "resume"):
        done = karat_here("job", call, job)
        assert done.code == 3, done.err
        assert "job.json: " in done.err
    assert karat_here("job", "clean", job).code == 0
    assert not job.exists()


def test_a_job_from_python_cannot_be_given_again(tmp_path: Path) -> None:
    with karat.engine(job=tmp_path / "job"):
        karat.judge(KEY, RUNS, judge="lexical")
    done = karat_here("job", "resume", tmp_path / "job")
    assert done.code == 3
    assert "begun by a command, but from Python: run that program again" in done.err


@pytest.mark.parametrize("begun", ["1e300", "-1e18"])
def test_a_time_that_no_calendar_has_is_named(tmp_path: Path, begun: str) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    text = (job / "job.json").read_text()
    (job / "job.json").write_text(text.replace(f'"begun": {json.loads(text)["begun"]}', f'"begun": {begun}'))
    shown = karat_here("job", "status", job)
    assert shown.code == 3
    assert "job.json: Expected `float`" in shown.err


@pytest.mark.parametrize("name", ["job.json", "chunks.sqlite"])
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_named(tmp_path: Path, name: str, kind: str) -> None:
    job = tmp_path / "job"
    judge("--job", str(job), "-o", str(tmp_path / "made.jsonl"))
    (job / name).unlink()
    os.mkfifo(job / name) if kind == "pipe" else (job / name).mkdir()
    for call in (
        ("judge", KEY, RUNS, "--judge", "lexical", "--job", job),
        ("job", "status", job),
        ("job", "clean", job),
    ):
        done = karat_here(*call)
        assert done.code in (2, 3), call
        assert f"{job / name} is not a file" in done.err
    shutil.rmtree(job)
