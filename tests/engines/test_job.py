"""A job keeps finished chunks: what was stopped goes on, each result is there once, and nothing else is touched."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import karat
from karat.engines import engine, map_chunks
from karat.engines.current import current_job
from karat.engines.job import JobFolder, clean, read_job
from karat.engines.parcel_size import ParcelSize
from karat.model import Unfinished, UnfitInput, UsageError


class Text:
    """Keeps a number as text; chunks below 0 are not kept."""

    def name(self, chunk: int) -> bytes | None:
        return b"%032d" % chunk if chunk >= 0 else None

    def pack(self, result: int) -> bytes:
        return str(result).encode()

    def unpack(self, packed: bytes, chunk: int) -> int:
        return int(packed)


class Counting:
    """Squares numbers, and leaves a line per number that it worked on."""

    def __init__(self, file: Path, stop_at: int | None = None) -> None:
        self.file, self.stop_at = file, stop_at

    def __call__(self, number: int) -> int:
        if number == self.stop_at:
            raise UsageError("that is enough")
        with self.file.open("a") as file:
            file.write(f"{number}\n")
        return number * number

    def worked(self) -> list[int]:
        return [int(line) for line in self.file.read_text().split()] if self.file.exists() else []


@pytest.mark.parametrize("name", ["local", "processes"])
def test_work_that_was_stopped_goes_on(tmp_path: Path, name: str) -> None:
    workers = None if name == "local" else 2
    first, second = Counting(tmp_path / "first", stop_at=12), Counting(tmp_path / "second")
    with pytest.raises(UsageError), engine(name, workers=workers, job=tmp_path / "job"):
        list(map_chunks(first, range(20), keep=Text()))
    kept = read_job(tmp_path / "job").chunks
    assert kept >= 1
    with engine(name, workers=workers, job=tmp_path / "job"):
        assert list(map_chunks(second, range(20), keep=Text())) == [number**2 for number in range(20)]
    assert len(second.worked()) == 20 - kept
    assert read_job(tmp_path / "job").chunks == 20


def test_with_all_results_kept_no_worker_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Counting(tmp_path / "work")
    with engine("local", job=tmp_path / "job"):
        wanted = list(map_chunks(work, range(9), keep=Text()))
    monkeypatch.setattr("karat.engines.current.Engine.backend", None)
    with engine("processes", job=tmp_path / "job"):
        assert list(map_chunks(work, range(9), keep=Text())) == wanted
    assert len(work.worked()) == 9


def test_chunks_without_a_name_are_made_again(tmp_path: Path) -> None:
    work = Counting(tmp_path / "work")
    for _ in range(2):
        with engine("local", job=tmp_path / "job"):
            assert list(map_chunks(work, [3, -3, 4], keep=Text())) == [9, 9, 16]
    assert sorted(work.worked()) == [-3, -3, 3, 4]


def test_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    work, said = Counting(tmp_path / "work"), list[str]()
    with engine("local", job=tmp_path / "job"):
        wanted = list(map_chunks(work, range(5), keep=Text()))
    db = sqlite3.connect(tmp_path / "job" / "chunks.sqlite")
    with db:
        db.execute("UPDATE chunk SET value = x'39' WHERE name = ?", (b"%032d" % 2,))
    db.close()
    with engine("local", job=tmp_path / "job", say=said.append):
        assert list(map_chunks(work, range(5), keep=Text())) == wanted
    assert work.worked().count(2) == 2
    assert "damaged" in said[0]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    with engine("local", job=tmp_path / "job"):
        list(map_chunks(abs, [1], keep=Text()))
    (tmp_path / "job" / "chunks.sqlite").write_bytes(b"no database at all" * 99)
    with pytest.raises(UnfitInput, match=r"chunks\.sqlite is damaged"), engine("local", job=tmp_path / "job"):
        pass
    assert clean(tmp_path / "job") > 0
    assert not (tmp_path / "job").exists()


def test_only_one_process_has_a_job(tmp_path: Path) -> None:
    with (
        JobFolder(tmp_path / "job"),
        pytest.raises(UsageError, match="another process works on the job"),
        JobFolder(tmp_path / "job"),
    ):
        pass


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="is not the folder of a job"), JobFolder(tmp_path):
        pass
    with pytest.raises(UnfitInput, match=r"it has no job\.json; nothing was removed"):
        clean(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_clean_removes_only_what_a_job_made(tmp_path: Path) -> None:
    with JobFolder(tmp_path / "job"):
        pass
    (tmp_path / "job" / "notes.txt").write_text("mine")
    clean(tmp_path / "job")
    assert [file.name for file in (tmp_path / "job").iterdir()] == ["notes.txt"]


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with JobFolder(tmp_path / "job") as job:
        job._db.execute("PRAGMA max_page_count = 3")
        with pytest.raises(Unfinished, match="finished work could not be kept"):
            job.put({b"a": b"x" * 1_000_000})


KILLED = """
import time, sys
from pathlib import Path
from karat.engines import engine, map_chunks
sys.path.insert(0, {tests!r})
from engines.test_job import Text

def slow(number):
    time.sleep(0.02)
    with open({log!r}, "a") as file:
        file.write(f"{{number}}\\n")
    return number * number

if __name__ == "__main__":
    with engine({engine!r}, workers={workers}, job={job!r}):
        print(*map_chunks(slow, range(120), keep=Text()))
"""


@pytest.mark.parametrize(("name", "workers"), [("local", None), ("processes", 2)])
def test_a_killed_process_loses_only_what_was_under_way(tmp_path: Path, name: str, workers: int | None) -> None:
    log, program = tmp_path / "log", tmp_path / "program.py"
    tests = str(Path(__file__).parents[1])
    program.write_text(
        KILLED.format(tests=tests, log=str(log), engine=name, workers=workers, job=str(tmp_path / "job"))
    )
    for wait_for in (10, 40):
        running = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and not (log.exists() and len(log.read_text().split()) >= wait_for):
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert [int(word) for word in done.stdout.split()] == [number**2 for number in range(120)]
    # A parcel is about two seconds of work; the first ones are smaller.
    assert len(log.read_text().split()) < 3 * 120
    assert read_job(tmp_path / "job").chunks == 120


def die_once(file: Path) -> str:
    if not file.exists():
        file.touch()
        os._exit(1)
    return file.name


def test_the_work_of_a_process_that_died_is_done_by_another(tmp_path: Path) -> None:
    assert list(map_chunks(die_once, [tmp_path / "a", tmp_path / "b"], jobs=2)) == ["a", "b"]


def test_parcels_grow_to_about_two_seconds() -> None:
    size = ParcelSize()
    for _ in range(20):
        size.observe(size.chunks, size.chunks * 0.01)
    assert size.chunks == 200
    for _ in range(20):
        size.observe(size.chunks, size.chunks * 5.0)
    assert size.chunks == 1


def test_verbs_keep_their_work_in_a_job(tmp_path: Path) -> None:
    key, _, runs = karat.demo_files()
    wanted = karat.judge(key, runs, judge="lexical").judgements
    for made in (12, 0):
        with engine(job=tmp_path / "job"):
            job = current_job()
            assert job is not None
            assert karat.judge(key, runs, judge="lexical").judgements == wanted
            assert job.made == made


def test_nuggets_and_drafts_are_kept_in_a_job(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    texts = ["President Ana Ruiz flew to Lima on Monday.", "Two men died in Rome."]
    _, _, runs = karat.demo_files()
    nuggets, draft = karat.nuggetize(texts=texts).snippets, karat.draft_key(runs).nugs
    for _ in range(2):
        with engine(job=tmp_path / "job"):
            assert karat.nuggetize(texts=texts).snippets == nuggets
            assert karat.draft_key(runs).nugs == draft
    assert read_job(tmp_path / "job").chunks > 2


def test_another_program_s_job_file_is_no_job(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text('{"name": "nightly"}')
    for attempt in (read_job, clean):
        with pytest.raises(UnfitInput, match=r"job\.json: Object missing required field `kind`"):
            attempt(tmp_path)
    assert (tmp_path / "job.json").exists()
