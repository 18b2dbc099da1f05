"""Signals, full disks and closed outputs: what needs a process of its own."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
from pathlib import Path

import karat
from attacks.calls import process
from attacks.mutations import KEY, RUNS, SKIP
from attacks.tally import Tally

DEMO = Path(karat.__file__).parent / "demo"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


def signals(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Signals at any moment: no traceback, no half output; nothing is left behind but by SIGKILL."""
    files = [str(DEMO / name) for name in ("key.jsonl", "runs.jsonl", "judgements.jsonl")]
    target = folder / "signalled.txt"
    calls = (
        (["score", *files, *SKIP, "--judge", "lexical", "-o", str(target)], ("before", "run")),
        (["convert", *files, *SKIP, "--to", "karat", "-o", str(target)], ("before", '{"kind"')),
        (["judge", *files[:2], "--judge", "lexical", "-o", str(target)], ("before", '{"kind"')),
        (["compare", files[0], files[2], *SKIP, "--format", "jsonl", "-o", str(target)], ("before", "{")),
    )
    for _ in range(rounds):
        sent = rng.choice(SIGNALS)
        target.write_text("before")
        arguments, beginnings = rng.choice(calls)
        process(tally, arguments, kill=(sent, rng.uniform(0.0, 1.2)))
        text = target.read_text()
        if not text.startswith(beginnings) or (text != "before" and not text.endswith("\n")):
            tally.fail("half outputs", arguments, text[:100])
        left = list(folder.glob(".karat-*"))
        if left and sent != signal.SIGKILL:
            tally.fail("files left", arguments, str(left))
        for path in left:
            path.unlink()


def disks(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Full disks and closed outputs: a message, a code that is not 0, and the old output stays."""
    key, runs = folder / "key.jsonl", folder / "runs.jsonl"
    key.write_text(KEY)
    runs.write_text(RUNS)
    long = folder / "long.jsonl"
    long.write_text(KEY + "".join(KEY.splitlines(keepends=True)[1].replace("n1", f"m{at}") for at in range(200)))
    for number in range(rounds):
        for arguments in (
            ["show", str(key)],
            ["convert", str(key), "--to", "karat"],
            ["formats"],
            ["score", str(key), str(runs), "--judge", "lexical"],
        ):
            with open("/dev/full", "wb") as full:
                if process(tally, arguments, stdout=full) == 0:
                    tally.fail("half outputs", arguments, "exit code 0 although nothing was written")
        for closed in ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            _closed(tally, ["score", str(key), str(runs), "--judge", "lexical"], closed)
            _closed(tally, ["review", str(key), str(runs), "--judge", "lexical", "-o", str(folder / "r.jsonl")], closed)
        target = folder / f"full{number}.jsonl"
        for arguments in (
            ["convert", str(long), "-o", str(target)],
            ["judge", str(long), str(runs), "-o", str(target)],
        ):
            if process(tally, [*arguments, "--judge", "lexical"][: 4 if arguments[0] == "convert" else 7],
                       preexec_fn=_no_room) == 0:  # fmt: skip
                tally.fail("half outputs", arguments, "exit code 0 on a full disk")
            if target.exists():
                tally.fail("half outputs", arguments, "a part of the output was left")
            if list(folder.glob(".karat-*")):
                tally.fail("files left", arguments)


def _closed(tally: Tally, arguments: list[str], how: str) -> None:
    import shlex
    import sys

    words = " ".join(map(shlex.quote, [sys.executable, "-m", "karat", *arguments]))
    done = subprocess.run(["sh", "-c", f"{words} {how}"], capture_output=True, timeout=30, env=os.environ)
    tally.add(arguments, done.returncode, done.stderr.decode(errors="replace"))


def _no_room() -> None:
    """A file may have 2 KiB: writing more fails as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
