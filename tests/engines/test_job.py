"""A job keeps finished chunks: what was stopped goes on, each result is there once, and nothing else is touched."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import karat
from builders.rows import nug, response
from karat.engines import engine, map_chunks
from karat.engines.current import current_job
from karat.engines.job import JobFolder, clean, read_job
from karat.engines.job.kept_records import KeepRecords
from karat.engines.parcel_size import ParcelSize
from karat.evaluate.nuggets.drafting import reading
from karat.evaluate.nuggets.drafting.sources import SourceText
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
    kept = read_job(tmp_path / "job").kept
    assert kept >= 1
    with engine(name, workers=workers, job=tmp_path / "job"):
        assert list(map_chunks(second, range(20), keep=Text())) == [number**2 for number in range(20)]
    assert len(second.worked()) == 20 - kept
    assert read_job(tmp_path / "job").kept == 20


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


def test_a_job_outlives_its_description(tmp_path: Path) -> None:
    """A machine that fails may leave an empty file; what the job has kept is in another one."""
    work = Counting(tmp_path / "log")
    with engine("local", job=tmp_path / "job"):
        wanted = list(map_chunks(work, range(5), keep=Text()))
    (tmp_path / "job" / "job.json").write_bytes(b"")
    with pytest.raises(UnfitInput, match="give its command again"):
        read_job(tmp_path / "job")
    with engine("local", job=tmp_path / "job"):
        assert list(map_chunks(work, range(5), keep=Text())) == wanted
    assert sorted(work.worked()) == list(range(5))


def test_a_command_that_is_refused_does_not_take_a_job_over(tmp_path: Path) -> None:
    job = tmp_path / "job"
    with JobFolder(job, command=("judge", "key.jsonl", "--judge", "lexical")):
        pass
    before = (job / "job.json").read_bytes()
    refused = JobFolder(job, command=("judge", "key.jsonl", "--judge", "lexikal"))
    with pytest.raises(UsageError, match="no such judge"), refused:
        raise UsageError("no such judge")
    assert (job / "job.json").read_bytes() == before


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
    log, program, job = tmp_path / "log", tmp_path / "program.py", tmp_path / "job"
    tests = str(Path(__file__).parents[1])
    program.write_text(KILLED.format(tests=tests, log=str(log), engine=name, workers=workers, job=str(job)))
    for wait_for in (10, 40):
        running = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and lines_of(log) < wait_for:
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        # Its workers have its standard output, too: at the end of it, all are gone, and nothing is written any more.
        running.communicate()
    kept, worked = read_job(job).kept, lines_of(log)
    # A worker begins its third parcel only when a first one is kept, and the first parcels are small.
    assert kept >= 1
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert [int(word) for word in done.stdout.split()] == [number**2 for number in range(120)]
    assert lines_of(log) - worked == 120 - kept
    assert read_job(job).kept == 120


def lines_of(log: Path) -> int:
    return len(log.read_text().split()) if log.exists() else 0


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


def test_evidence_from_a_job_is_that_of_the_judge(tmp_path: Path) -> None:
    """`neighbours` picks sentences, not snippets, as evidence."""
    said = {"a": ["He died in Paris. It was 300 metres tall.", "London Bridge is falling down."], "b": ["No."]}
    rows = [nug("q", name, descriptions=[text]) for name, text in (("n", "It was 300 metres tall."), ("m", "He died."))]
    rows += [response("q", run_id, *texts) for run_id, texts in said.items()]
    wanted = karat.judge(rows, judge="neighbours").judgements
    assert any(judged.evidence and judged.evidence.extra["span"] == [18, 41] for judged in wanted)
    for _ in range(2):
        with engine(job=tmp_path / "job"):
            assert karat.judge(rows, judge="neighbours").judgements == wanted
    assert read_job(tmp_path / "job").kept


def test_nuggets_and_drafts_are_kept_in_a_job(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    texts = ["President Ana Ruiz flew to Lima on Monday.", "Two men died in Rome."]
    _, _, runs = karat.demo_files()
    nuggets, draft = karat.nuggetize(texts=texts).snippets, karat.draft_key(runs).nugs
    for _ in range(2):
        with engine(job=tmp_path / "job"):
            assert karat.nuggetize(texts=texts).snippets == nuggets
            assert karat.draft_key(runs).nugs == draft
    assert read_job(tmp_path / "job").kept > 2


def test_texts_that_are_divided_otherwise_have_another_name() -> None:
    """Where a text ends must not depend on what the texts are, empty snippets and questions included."""

    def text(question: str, *snippets: str) -> SourceText:
        numbered = tuple((str(at), words) for at, words in enumerate(snippets))
        return SourceText(query_id="q", run_id="r", said_by="r", snippets=numbered, question=question)

    keep = reading._kept(None)
    keep._made = b"maker"
    chunks = [
        [text("Q", "a", "", "B", "c"), text("D", "e")],
        [text("Q", "a"), text("B", "c", "", "D", "e")],
        [text("Q", "a"), text("B", "c"), text("D", "e")],
        [text("Q", "a", "B", "c", "D", "e")],
    ]
    assert len({keep.name(chunk) for chunk in chunks}) == len(chunks)


def test_a_result_with_too_few_items_is_made_again() -> None:
    keep: KeepRecords[list[str], list[int]] = KeepRecords(list[int], maker=bytes, content=lambda chunk: chunk)
    packed = keep.pack([1, 2])
    assert packed is not None
    assert keep.unpack(packed, ["a", "b"]) == [1, 2]
    assert keep.unpack(packed, ["a", "b", "c"]) is None


def test_another_program_s_job_file_is_no_job(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text('{"name": "nightly"}')
    for attempt in (read_job, clean):
        with pytest.raises(UnfitInput, match=r"job\.json: Object missing required field `kind`"):
            attempt(tmp_path)
    assert (tmp_path / "job.json").exists()


def test_a_job_that_was_killed_at_once_can_go_on(tmp_path: Path) -> None:
    """Before job.json there is only the file of chunks."""
    for action in (clean, lambda folder: JobFolder(folder).__enter__().__exit__(None, None, None)):
        (tmp_path / "job").mkdir()
        (tmp_path / "job" / "chunks.sqlite").touch()
        action(tmp_path / "job")
    assert read_job(tmp_path / "job").kept == 0


def test_a_damaged_job_file_can_be_cleaned(tmp_path: Path) -> None:
    with JobFolder(tmp_path / "job"):
        pass
    (tmp_path / "job" / "job.json").write_bytes(b"{")
    with pytest.raises(UnfitInput, match=r"job\.json"), JobFolder(tmp_path / "job"):
        pass
    clean(tmp_path / "job")
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize("name", ["job.json.part", "chunks.sqlite", "job.json"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    with JobFolder(tmp_path / "job"):
        pass
    mine = tmp_path / "mine"
    mine.write_bytes((tmp_path / "job" / "job.json").read_bytes())
    before = mine.read_bytes()
    (tmp_path / "job" / name).unlink(missing_ok=True)
    (tmp_path / "job" / name).symlink_to(mine)
    with pytest.raises(UsageError, match="is a link to another place"), JobFolder(tmp_path / "job"):
        pass
    assert mine.read_bytes() == before


def test_a_result_that_is_no_bytes_is_made_again(tmp_path: Path) -> None:
    with JobFolder(tmp_path / "job") as job:
        job.put({b"a": b"1"})
        job._db.execute("UPDATE chunk SET value = 'text'")
        assert job.get([b"a"]) == {}


def test_a_name_that_no_folder_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the folder of the job cannot be made"), JobFolder(tmp_path / ("a" * 300)):
        pass


@pytest.mark.parametrize("kept", [b"my own database", None])
def test_the_database_of_another_program_is_left_alone(tmp_path: Path, kept: bytes | None) -> None:
    file = tmp_path / "job" / "chunks.sqlite"
    file.parent.mkdir()
    if kept is None:
        with contextlib.closing(sqlite3.connect(file)) as db:
            db.execute("CREATE TABLE chunk (id)")
    else:
        file.write_bytes(kept)
    before = file.read_bytes()
    with pytest.raises(UnfitInput, match="nothing was removed"):
        clean(tmp_path / "job")
    with pytest.raises(UsageError, match="has other files"), JobFolder(tmp_path / "job"):
        pass
    assert file.read_bytes() == before


def test_a_job_that_is_open_is_not_cleaned_whatever_its_file_says(tmp_path: Path) -> None:
    with JobFolder(tmp_path / "job"):
        for damaged in (b"{", None):
            (tmp_path / "job" / "job.json").unlink(missing_ok=True)
            if damaged is not None:
                (tmp_path / "job" / "job.json").write_bytes(damaged)
            with pytest.raises(UsageError, match="a process works on the job"):
                clean(tmp_path / "job")
    assert read_job(tmp_path / "job").about.ended is not None


def test_a_job_whose_end_cannot_be_written_lets_go_of_its_folder(tmp_path: Path) -> None:
    def lose() -> None:
        with JobFolder(tmp_path / "job"):
            (tmp_path / "job" / "job.json").unlink()
            (tmp_path / "job" / "job.json").mkdir()

    with pytest.raises(Unfinished, match="could not be written"):
        lose()
    (tmp_path / "job" / "job.json").rmdir()
    clean(tmp_path / "job")
    assert not (tmp_path / "job").exists()
