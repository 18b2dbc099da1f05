"""Killed, stopped, or run twice at once: the log keeps what was answered, and no answer is paid twice."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from builders.llm_stub import Call, Stub, llm_stub, well
from builders.rows import nug, query, response
from cli.running import COMMAND
from karat.judges.llm.log import CallLog
from karat.judges.llm.request import Stopped

pytest.importorskip("openai")
RUNS = 12
LONG = 120
"""Seconds after which something is said not to come at all."""
ROWS = [
    query("q", "What is there?"),
    *(nug("q", f"n{at}", descriptions=[text]) for at, text in enumerate(["A red fox", "The blue sea", "tea"])),
    *(response("q", f"r{at}", f"A red fox sat {at} times. Some tea.") for at in range(RUNS)),
]


def command(folder: Path, stub: Stub, name: str, log: str, *more: str) -> list[str]:
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return [
        *COMMAND, "judge", str(folder / "all.jsonl"), "--judge", "llm", "--llm-url", stub.url, "--llm-model", "m",
        "--llm-log", str(folder / log), "--yes", "--concurrency", "3", "-o", str(folder / name), *more,
    ]  # fmt: skip


def finish(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        _, err = process.communicate(timeout=LONG)
        assert process.returncode == 0, err.decode()


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def decided(log: Path) -> int:
    if not log.exists():
        return 0
    connection = sqlite3.connect(f"file:{log}?mode=ro", uri=True, timeout=10)
    try:
        return int(connection.execute("SELECT count(*) FROM result").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


@pytest.fixture
def undisturbed(tmp_path: Path) -> Iterator[bytes]:
    with llm_stub() as stub:
        finish(start(command(tmp_path, stub, "undisturbed.jsonl", "other.sqlite")))
        assert stub.calls == RUNS
        yield (tmp_path / "undisturbed.jsonl").read_bytes()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_stopped_in_the_middle_and_started_again_no_completed_call_is_repeated(
    tmp_path: Path, undisturbed: bytes, end: signal.Signals
) -> None:
    gone = threading.Event()
    before = 5
    turns = itertools.count(1)

    def stalls(call: Call) -> None:
        """Answers the first five; the others hang until the client is gone, and are never completed."""
        if next(turns) <= before or gone.is_set():
            well(call)
        else:
            gone.wait(LONG)
            call.handler.close_connection = True

    with llm_stub(stalls) as stub:
        process = start(command(tmp_path, stub, "out.jsonl", "log.sqlite"))
        deadline = time.monotonic() + LONG
        while decided(tmp_path / "log.sqlite") < before or stub.at_once < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(end)
        if end == signal.SIGKILL:
            process.wait(LONG)
        gone.set()
        process.communicate(timeout=LONG)
        assert process.returncode == (-signal.SIGKILL if end == signal.SIGKILL else 130)
        assert not (tmp_path / "out.jsonl").exists()
        finish(start(command(tmp_path, stub, "out.jsonl", "log.sqlite")))
        assert (tmp_path / "out.jsonl").read_bytes() == undisturbed
        assert len(stub.completed) == RUNS
        assert set(stub.completed.values()) == {1}


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_moment_only_calls_that_were_under_way_are_sent_again(
    tmp_path: Path, undisturbed: bytes, seed: int
) -> None:
    chance = random.Random(seed)
    with llm_stub(delay=0.08) as stub:
        process = start(command(tmp_path, stub, "out.jsonl", "log.sqlite"))
        goal, deadline = chance.randint(2, RUNS), time.monotonic() + LONG
        while stub.calls < goal:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.08))
        process.kill()
        process.communicate(timeout=LONG)
        time.sleep(0.2)
        finish(start(command(tmp_path, stub, "out.jsonl", "log.sqlite")))
        assert (tmp_path / "out.jsonl").read_bytes() == undisturbed
        assert len(stub.completed) == RUNS
        assert sum(count - 1 for count in stub.completed.values()) <= 3


def test_two_processes_with_one_log_do_not_send_the_same_request(tmp_path: Path, undisturbed: bytes) -> None:
    with llm_stub(delay=0.1) as stub:
        finish(*[start(command(tmp_path, stub, name, "log.sqlite")) for name in ("one.jsonl", "two.jsonl")])
        assert stub.calls == RUNS
        assert set(stub.completed.values()) == {1}
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes() == undisturbed


def test_concurrency_changes_neither_results_nor_their_order_and_is_kept(tmp_path: Path) -> None:
    results = []
    for concurrency in (1, 5):

        def together(call: Call, concurrency: int = concurrency) -> None:
            """Answers once so many calls are there as may be at once, and the others by and by."""
            deadline = time.monotonic() + LONG
            while call.stub.most_at_once < concurrency and time.monotonic() < deadline:
                time.sleep(0.002)
            well(call)

        with llm_stub(together, delay=0.01) as stub:
            log = tmp_path / f"{concurrency}.sqlite"
            with karat.llm(url=stub.url, model="m", log=log, max_calls=RUNS, concurrency=concurrency):
                results.append(karat.judge(ROWS, judge="llm"))
            assert stub.most_at_once == concurrency
            assert stub.calls == RUNS
    assert results[0] == results[1]


def test_equal_texts_are_asked_once(tmp_path: Path) -> None:
    rows = [*ROWS[:4], *(response("q", f"r{at}", "A red fox.") for at in range(4))]
    with llm_stub() as stub:
        with karat.llm(url=stub.url, model="m", log=tmp_path / "log", max_calls=1):
            judging = karat.judge(rows, judge="llm")
        assert stub.calls == 1
    assert len(judging.judgements) == 12


def test_an_answer_that_was_received_and_not_yet_read_is_read_and_not_asked_again(tmp_path: Path) -> None:
    with llm_stub() as stub:
        given = {"url": stub.url, "model": "m", "log": tmp_path / "log", "yes": True}
        with karat.llm(**given):  # type: ignore[arg-type]
            judging = karat.judge(ROWS, judge="llm")
        # As if the program had been killed between receiving an answer and reading it.
        log = CallLog(tmp_path / "log")
        log._db.execute("DELETE FROM result")
        log._db.execute("UPDATE attempt SET outcome = 'received'")
        log.close()
        with karat.llm(**given):  # type: ignore[arg-type]
            assert karat.judge(ROWS, judge="llm") == judging
        assert stub.calls == RUNS


def test_a_claim_is_kept_while_its_process_lives_and_taken_over_when_it_is_dead(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "log")
    assert log.claim("r", "one", seconds=60)
    assert log.claim("r", "one", seconds=60)
    assert not log.claim("r", "two", seconds=60)
    log.release("r", "two")
    assert not log.claim("r", "two", seconds=60)
    log.release("r", "one")
    assert log.claim("r", "two", seconds=60)
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    log._db.execute("UPDATE claim SET pid = ?", (int(dead.stdout),))
    assert log.claim("r", "three", seconds=-1)
    # One that is long silent is taken over, too: it may be on another machine.
    log._db.execute("UPDATE claim SET host = 'elsewhere'")
    assert log.claim("r", "four", seconds=60)
    log._db.execute("UPDATE claim SET host = 'elsewhere'")
    assert not log.claim("r", "five", seconds=60)
    log.close()


def test_only_the_owner_can_read_the_log_and_other_files_are_refused(tmp_path: Path) -> None:
    CallLog(tmp_path / "log").close()
    assert os.stat(tmp_path / "log").st_mode & 0o777 == 0o600
    (tmp_path / "text").write_text("no database, and long enough to be looked at as one\n" * 40)
    sqlite3.connect(tmp_path / "foreign").execute("CREATE TABLE mine (x)").connection.close()
    for name in ("text", "foreign"):
        content = (tmp_path / name).read_bytes()
        with pytest.raises(karat.KaratError, match=f"--llm-log .*{name}: this is not a log of calls"):
            CallLog(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content
    with pytest.raises(karat.KaratError, match="No such file or directory"):
        CallLog(tmp_path / "nowhere" / "log")


def test_a_full_disk_stops_the_work_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [query("q"), nug("q", "a"), *(response("q", str(at), f"Run {at}. " + "More. " * 500) for at in range(40))]
    prepare = CallLog._prepare

    def small(self: CallLog) -> None:
        prepare(self)
        self._db.execute("PRAGMA max_page_count = 40")

    with llm_stub() as stub, karat.llm(url=stub.url, model="m", log=tmp_path / "log", yes=True, concurrency=2):
        with monkeypatch.context() as patch:
            patch.setattr(CallLog, "_prepare", small)
            with pytest.raises(
                Stopped, match=r"log cannot be written: database or disk is full\. .* goes on from there"
            ):
                karat.judge(rows, judge="llm")
        assert 0 < stub.calls < 40
        karat.judge(rows, judge="llm")
        # Only answers that could not be saved were asked for again.
        assert stub.calls <= 40 + 2
