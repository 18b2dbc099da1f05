"""Calls of the command line: in a watched worker process, where one costs milliseconds, or in a process of its own."""

from __future__ import annotations

import io
import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attacks.tally import Tally

SECONDS = 30
"""After so many seconds a call counts as a hang."""
MEMORY = 1 << 10
"""The MiB that no process may reach."""
RENEWED = 700
"""A worker with more MiB is replaced after its round: in it, models stay loaded from one command to the next."""
HARD_LIMIT = 6 << 30
"""The bytes that a process may write to: a bomb that works must not take the machine with it. Addresses alone are not
bounded: the library that draws charts reserves many and uses few."""

Call = tuple[list[str], list[Path]]
"""The arguments, and the files that the call reads and must not change."""
Round = Callable[[random.Random, Path], Iterator[Call]]
"""Makes files in a folder, and the calls that read them."""


class Finding(Exception):
    """What a round finds wrong when it looks at what the last call wrote; the round ends."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text


class TimeIsUp(BaseException):
    """The call takes too long."""


def attack(make: Round, *, name: str, folder: Path, rounds: int, seed: int) -> Tally:
    """Run rounds of calls in worker processes; a worker that hangs or grows too large is replaced after its round.

    The draws of a round depend only on the seed and the number of the round.
    """
    tally, at = Tally(), 0
    while at < rounds:
        at = _watch(tally, lambda out, first=at: _work(out, make, name, folder, range(first, rounds), seed))
    return tally


def _watch(tally: Tally, work: Callable[[Any], None]) -> int:
    """Start a worker and count what it reports; returns the round at which the next worker goes on."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w", buffering=1, encoding="utf-8") as out:
            try:
                work(out)
            except BaseException:  # noqa: BLE001 - the parent counts it
                traceback.print_exc()
                os._exit(3)
            os._exit(0)
    os.close(writing)
    number, current, text = 0, ["?"], b""
    while True:
        # The alarm inside the worker comes first; only code that does not return to Python gets this far.
        ready = select.select([reading], [], [], 2 * SECONDS)[0]
        data = os.read(reading, 1 << 16) if ready else b""
        if not data:
            break
        *lines, text = (text + data).split(b"\n")
        for kind, *values in map(json.loads, lines):
            if kind == "round":
                number = values[0]
            elif kind == "begin":
                current = values[0]
            elif kind == "end":
                tally.add(current, values[0], values[1])
                tally.peak = max(tally.peak, values[2])
            else:
                tally.fail(kind, current, values[0])
    if not ready:
        os.kill(child, signal.SIGKILL)
        tally.fail("hangs", current, "the process had to be killed")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(reading)
    if ready and status not in (0, 4):
        tally.fail("tracebacks", current, f"the worker ended with {status}")
    return number + 1


def _work(out: Any, make: Round, name: str, folder: Path, rounds: range, seed: int) -> None:
    signal.signal(signal.SIGALRM, _time_is_up)
    resource.setrlimit(resource.RLIMIT_DATA, (HARD_LIMIT, HARD_LIMIT))
    os.chdir(folder)

    def say(*values: Any) -> None:
        out.write(json.dumps(values) + "\n")

    def calls(number: int) -> Iterator[Call]:
        try:
            yield from make(random.Random(f"{seed} {name} {number}"), folder)
        except Finding as found:
            say(found.kind, found.text)

    for number in rounds:
        say("round", number)
        for arguments, inputs in calls(number):
            say("begin", arguments)
            before = [path.read_bytes() for path in inputs]
            there = set(_names(folder))
            code, said = call(arguments)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            if code == "hang":
                say("hangs", said)
            else:
                say("end", code, said[-2000:], peak)
            for path, data in zip(inputs, before, strict=True):
                if not path.exists() or path.read_bytes() != data:
                    say("inputs changed", str(path))
                    path.write_bytes(data)
            for left in set(_names(folder)) - there:
                if Path(left).name.startswith(".karat-") or left.endswith(".part"):
                    say("files left", left)
            if peak > MEMORY:
                say("memory", f"{peak} MiB")
                # The largest size of a process never falls again: the next call needs a new one.
                os._exit(4)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10 > RENEWED:
            os._exit(4)


def _names(folder: Path) -> list[str]:
    return [str(Path(root) / name) for root, _, names in os.walk(folder) for name in names]


def _time_is_up(*_: object) -> None:
    raise TimeIsUp


def call(arguments: list[str]) -> tuple[object, str]:
    """One call in this process: its exit code (or "hang", "raised") and what it said on stderr."""
    from karat.cli import main

    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    stdin = io.TextIOWrapper(io.BytesIO(b"yn?q"), encoding="utf-8")
    code: object = "raised"
    said = ""
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            # Python does not show these to a user.
            for kind in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, ImportWarning):
                warnings.simplefilter("ignore", kind)
            with patch.multiple(sys, argv=["karat", *arguments], stdin=stdin, stdout=stdout, stderr=stderr):
                try:
                    main()
                except SystemExit as end:
                    code = end.code
    except TimeIsUp:
        code = "hang"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a finding
        said = repr(error)
    finally:
        signal.alarm(0)
    return code, said + stderr.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]


def process(tally: Tally, arguments: list[str], *, kill: tuple[int, float] | None = None, **options: Any) -> int | None:
    """One call in a process of its own; `kill`: a signal, and after how many seconds it is sent. Returns its code."""
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stdin", subprocess.DEVNULL)
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([sys.executable, "-m", "karat", *arguments], stderr=errors, **options)
        code, peak = _ended(child.pid, kill)
        child.returncode = code
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    tally.peak = max(tally.peak, peak)
    if peak > MEMORY:
        tally.fail("memory", arguments, f"{peak} MiB")
    if code is None:
        tally.fail("hangs", arguments, said)
        return None
    tally.add(arguments, code, said, allowed=(-kill[0],) if kill is not None else ())
    return code


def _ended(pid: int, kill: tuple[int, float] | None) -> tuple[int | None, int]:
    """Wait for a process: its exit code (None if it had to be killed) and the largest memory it had, in MiB."""
    began, sent = time.monotonic(), False
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        passed = time.monotonic() - began
        if done:
            return (None if passed > SECONDS else os.waitstatus_to_exitcode(status)), used.ru_maxrss >> 10
        if kill is not None and not sent and passed > kill[1]:
            os.kill(pid, kill[0])
            sent = True
        if passed > SECONDS:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.004)
