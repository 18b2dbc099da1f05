"""How a command ends when its output, its terminal or its parent is gone: a message, an exit code, no half files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import karat
from cli.running import COMMAND, karat_here
from karat.evaluate.review import file as review_file
from karat.evaluate.review.session import review

DEMO = Path(karat.__file__).parent / "demo"
SCORE = ("score", DEMO / "key.jsonl", DEMO / "judgements.jsonl", "--on-error", "skip")
SHOW = ("show", DEMO / "key.jsonl")
CONVERT = ("convert", DEMO / "key.jsonl", "--to", "karat")
CLOSED = "Error: standard output is closed"
FULL = "Error: standard output: No space left on device"


def run(*arguments: str | Path, to: str) -> tuple[int, str]:
    command = " ".join(f"'{part}'" for part in (*COMMAND, *arguments))
    done = subprocess.run(["sh", "-c", f"{command} {to}"], capture_output=True, check=False, timeout=120)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("arguments", [SCORE, SHOW, CONVERT], ids=["score", "show", "convert"])
@pytest.mark.parametrize(
    ("to", "message"),
    [
        (">&-", CLOSED),
        pytest.param(
            ">/dev/full", FULL, marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
        ),
    ],
)
def test_a_result_that_cannot_be_printed_is_an_error(arguments: tuple[str, ...], to: str, message: str) -> None:
    code, said = run(*arguments, to=to)
    assert code == 5
    assert said.splitlines()[-1].startswith(message)
    assert "Exception ignored" not in said


def test_a_full_disk_is_named_with_the_file(tmp_path: Path) -> None:
    limited = f"ulimit -f 1; {' '.join(map(str, (*COMMAND, *CONVERT)))} -o {tmp_path}/cut.jsonl"
    done = subprocess.run(["sh", "-c", limited], capture_output=True, check=False, timeout=120)
    assert done.stderr.decode() == f"Error: {tmp_path}/cut.jsonl: File too large\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_without_a_traceback(sent: signal.Signals, code: int) -> None:
    with subprocess.Popen([*COMMAND, "show", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # More than a pipe holds: once it is written, the command has begun to read, and is ready for signals.
        assert process.stdin is not None
        process.stdin.write(b"\n" * (1 << 20))
        process.stdin.flush()
        process.send_signal(sent)
        said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == code
    assert "Traceback" not in said


LOADING = """
import sys
from karat.__main__ import main

class Told:
    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        print(name, flush=True)

sys.meta_path.insert(0, Told())
main()
"""
"""Says when the command loads its first module: from then on it is ready for signals."""


def test_ctrl_c_while_modules_are_loaded_shows_no_traceback() -> None:
    """From the first moment on: whatever it hits, no traceback."""
    for wait in (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4):
        with subprocess.Popen(
            [sys.executable, "-c", LOADING, *SCORE], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[1].decode()
        assert "Traceback" not in said, (wait, said)


SWALLOWED = """
import signal, sys, time, weakref
import karat.cli
from karat.__main__ import main

class Thing:
    pass

def work(**_):
    thing = Thing()
    callback = weakref.ref(thing, lambda _: signal.raise_signal(int(sys.argv[1])))
    del thing
    time.sleep(60)

karat.cli.cli.main = work
main()
"""
"""Python swallows what is raised in such a callback, as at the end of an import."""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP")
@pytest.mark.parametrize("sent", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_python_swallows_comes_again(sent: signal.Signals) -> None:
    command = [sys.executable, "-c", SWALLOWED, str(sent.value)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode == 128 + sent
    assert "Traceback" not in done.stderr


WRAPPED = """
import signal, sys
import karat.cli
from karat.__main__ import main

class Name:
    def __set_name__(self, owner, name):
        signal.raise_signal(int(sys.argv[1]))

def work(**_):
    type("Made", (), {"name": Name()})

karat.cli.cli.main = work
main()
"""
"""Until 3.12, Python wraps what is raised there in a RuntimeError."""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP")
@pytest.mark.parametrize("sent", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_a_class_is_made_is_no_bug(sent: signal.Signals) -> None:
    command = [sys.executable, "-c", WRAPPED, str(sent.value)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, "bug" in done.stderr) == (128 + sent, False)


def test_an_answer_that_was_not_saved_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = review(DEMO / "key.jsonl", DEMO / "runs.jsonl", judge="lexical", save=tmp_path / "mine.jsonl")
    opened.answer(1.0)
    written = (tmp_path / "mine.jsonl").read_bytes()
    monkeypatch.setattr(review_file.os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left") as error:
        opened.answer(0.0)
    assert error.value.filename == str(tmp_path / "mine.jsonl")
    assert (opened.answered, (tmp_path / "mine.jsonl").read_bytes()) == (1, written)


def no_space(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_every_view_of_the_demo_is_json() -> None:
    """Numbers of numpy are numbers in JSON."""
    files = [str(DEMO / name) for name in ("key.jsonl", "runs.jsonl", "judgements.jsonl")]
    for view in ("models", "thresholds", "statistics"):
        done = karat_here(
            "validate", *files, "--judge", "lexical", "--on-error", "skip", "--view", view, "--format", "jsonl"
        )
        assert (done.code, done.out[:1]) == (0, b"{"), done.err


MAPPING = """
import multiprocessing, time
from karat.engines import map_chunks
results = map_chunks(time.sleep, [0.0, 60.0, 60.0], jobs=2)
next(results)
print(*(process.pid for process in multiprocessing.active_children()), flush=True)
next(results)
"""


def test_workers_end_when_their_parent_was_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", MAPPING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        workers = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
    assert len(workers) == 2
    end = time.monotonic() + 20
    while (left := [pid for pid in workers if is_running(pid)]) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Ended, but nobody has asked for its exit code yet.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
