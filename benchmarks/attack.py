"""Attack Karat with damaged files, hostile collections, signals, full disks and bombs; print what broke.

python benchmarks/attack.py                  a few minutes on one core
python benchmarks/attack.py --rounds 200     about 10^5 calls
python benchmarks/attack.py --only bombs     one part: mutations, collections, signals, disks, bombs

A call is one run of the command line, in this process where nothing kills it. It must end with an exit code from 0 to 4
(or 128 and the signal), without a traceback, within the time limit, and with its inputs unchanged.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import karat
from karat.cli import main
from karat.formats.io.sink import Losses
from karat.formats.registry import all_formats
from karat.formats.writing import write_bytes
from karat.model import KaratError

DEMO = Path(karat.__file__).parent / "demo"
LIMIT = 30
"""After so many seconds a call counts as a hang."""
TOKENS = (
    b"\x00", b"\xff\xfe", b"\x1b[2J", b"null", b"NaN", b"-1e999", b"[]", b"{}", b'"', b"\\", b"\t", b"\r\n", b"=1+1",
    b"[/b]", b"<!ENTITY x 'y'>", b"]]>", b"\xed\xa0\x80", "\u202e".encode(), b"9" * 400, b"[" * 300, b",", b"true",
)  # fmt: skip
NAMES = (
    "",
    " ",
    "a",
    "a b",
    "[/a]",
    "\x1b[2J",
    "\x9b",
    "a\tb\n",
    "=1",
    "é",
    "\u202ex",
    "all",
    "/etc",
    "-o",
    "q" * 300,
    "{}",
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


class Hang(BaseException):
    """The time is up."""


class Tally:
    """What happened so far."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.codes: Counter[object] = Counter()
        self.examples: list[str] = []

    def add(self, arguments: tuple[str, ...], code: object, said: str) -> None:
        self.counts["calls"] += 1
        self.codes[code] += 1
        if "Traceback" in said or "This is a bug" in said or code == "raised":
            self.fail("tracebacks", arguments, said)

    def fail(self, what: str, arguments: tuple[str, ...], said: str = "") -> None:
        self.counts[what] += 1
        if len(self.examples) < 20:
            self.examples.append(f"{what}: karat {' '.join(map(repr, arguments))}\n    {said.strip()[-400:]}")


def call(tally: Tally, *arguments: str) -> None:
    """One call in this process."""
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    stdin = io.TextIOWrapper(io.BytesIO(b"yn?q"), encoding="utf-8")
    code: object = "raised"
    said = ""
    signal.alarm(LIMIT)
    try:
        with patch.multiple(sys, argv=["karat", *arguments], stdin=stdin, stdout=stdout, stderr=stderr):
            try:
                main()
            except SystemExit as end:
                code = end.code
    except Hang:
        tally.fail("hangs", arguments)
        return
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a finding
        said = repr(error)
    finally:
        signal.alarm(0)
    tally.add(arguments, code, said + stderr.buffer.getvalue().decode(errors="replace"))  # type: ignore[attr-defined]


def ring(*_: object) -> None:
    raise Hang


def seeds() -> Iterator[tuple[str, bytes]]:
    """A file of every format that can be written, from the demo, and of some that only can be read."""
    records = list(
        karat.load(*(DEMO / name for name in ("key.jsonl", "runs.jsonl", "judgements.jsonl")), on_error="skip")
    )
    for format in all_formats():
        if format.write is None:
            continue
        for some in (records, [record for record in records if getattr(record, "query_id", "") in ("", "q1")]):
            try:
                data = write_bytes(some, format=format.name, losses=Losses())
            except (KaratError, AssertionError):
                continue
            if data:
                # The beginning is enough, and small files make many calls.
                yield format.name, data[:6000] if format.name in ("karat", "csv", "tsv") else data[:20000]
                break


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The data with one to four changes: bytes, slices, lines, tokens, an early end."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.randint(1, 40))
        what = rng.randrange(7)
        if what == 0 and out:
            out[min(at, len(out) - 1)] ^= 1 << rng.randrange(8)
        elif what == 1:
            del out[at:end]
        elif what == 2:
            out[at:at] = out[at:end] * rng.randint(1, 3)
        elif what == 3:
            out[at:at] = rng.choice(TOKENS)
        elif what == 4:
            del out[at:]
        elif what == 5:
            lines = out.split(b"\n")
            rng.shuffle(lines)
            out = bytearray(b"\n".join(lines))
        else:
            out[at:end] = rng.choice(TOKENS)
    return bytes(out)


def mutations(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Damaged files of every format, as what they are, and as every other format."""
    files = list(seeds())
    names = [format.name for format in all_formats()]
    for _ in range(rounds):
        for name, data in files:
            path = folder / f"damaged.{name}"
            path.write_bytes(damaged(data, rng))
            before = path.read_bytes()
            other = rng.choice(names)
            call(tally, "show", str(path))
            call(tally, "show", str(path), "--from", name)
            call(tally, "show", str(path), "--from", other)
            call(tally, "lint", str(path), "--from", name)
            call(tally, "convert", str(path), "--from", name, "--to", "karat", "-o", str(folder / "out.jsonl"))
            call(
                tally,
                "convert",
                str(path),
                "--from",
                name,
                "--on-error",
                "skip",
                "--to",
                rng.choice(files)[0],
                "-o",
                "-",
            )
            call(tally, "score", str(path), "--on-error", "skip")
            if path.read_bytes() != before:
                tally.fail("inputs changed", (str(path),))


def hostile(rng: random.Random) -> Iterator[dict[str, Any]]:
    """The records of a collection that is valid, mostly, and awkward."""
    runs, queries = ([f"{rng.choice(NAMES)}{at}" for at in range(rng.randint(1, 5))] for _ in range(2))
    for query in queries:
        yield {"kind": "query", "v": 1, "query_id": query, "text": rng.choice(NAMES)}
        for nug in range(rng.randint(0, 3)):
            of = {"v": 1, "query_id": query, "nug_id": f"{rng.choice(NAMES)}{nug}"}
            grade = rng.choice(["vital", "okay", None])
            yield {"kind": "nug", **of, "descriptions": [rng.choice(NAMES)], **({"importance": grade} if grade else {})}
            for assessor in ("a", rng.choice(NAMES)):
                yield {"kind": "vote", **of, "assessor": assessor, "value": rng.choice(["vital", "okay", 0.5])}
            for run in runs:
                degree = rng.choice([0, 1, 0.5, 1e-300])
                yield {
                    "kind": "judgement",
                    **of,
                    "run_id": run,
                    "degree": degree,
                    "judge": rng.choice(NAMES),
                    "status": "ok",
                }
        for run in runs:
            snippets = [{"snippet_id": str(at), "text": rng.choice(NAMES)} for at in range(rng.randint(0, 2))]
            yield {"kind": "response", "v": 1, "query_id": query, "run_id": run, "snippets": snippets}


def collections(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Every analysis on collections with awkward names and few, equal or missing values."""
    path = str(folder / "hostile.jsonl")
    for _ in range(rounds):
        rows = list(hostile(rng))
        rng.shuffle(rows)
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
        skip = ("--on-error", "skip")
        for name in ("score", "compare", "agree", "pyramid", "stability", "plan"):
            call(tally, name, path, *skip, "--format", rng.choice(["table", "tsv", "jsonl"]))
        call(
            tally,
            "score",
            path,
            *skip,
            "--judge",
            "lexical",
            "--by",
            rng.choice(["run", "query", "nug"]),
            "--missing",
            "zero",
        )
        call(tally, "key", "hash", path, *skip)
        call(tally, "lint", path)
        call(tally, "validate", path, *skip, "--judge", "lexical", "--format", "jsonl")
        call(tally, "convert", path, *skip, "--to", rng.choice(["csv", "tsv", "nuggetizer-bank", "qrels"]), "-o", "-")


def process(tally: Tally, arguments: tuple[str, ...], **options: Any) -> None:
    """One call in a process of its own; `kill`: a signal and when it is sent."""
    kill = options.pop("kill", None)
    options.setdefault("stdout", subprocess.DEVNULL)
    child = subprocess.Popen(
        [sys.executable, "-m", "karat", *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **options
    )
    if kill is not None:
        time.sleep(kill[1])
        child.send_signal(kill[0])
    try:
        said = child.communicate(timeout=LIMIT)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        tally.fail("hangs", arguments)
        return
    tally.add(arguments, child.returncode, said)


def signals(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Signals at any moment: no traceback, no half output; nothing is left behind but by SIGKILL."""
    files = tuple(str(DEMO / name) for name in ("key.jsonl", "runs.jsonl", "judgements.jsonl"))
    target = folder / "signalled.txt"
    for _ in range(rounds):
        sent = rng.choice(SIGNALS)
        target.write_text("before")
        arguments = ("score", *files, "--on-error", "skip", "--judge", "lexical", "-o", str(target))
        process(tally, arguments, kill=(sent, rng.uniform(0.0, 1.5)))
        if not target.read_text().startswith(("before", "run")):
            tally.fail("half outputs", arguments)
        left = list(folder.glob(".karat-*"))
        if left and sent != signal.SIGKILL:
            tally.fail("files left", arguments)
        for path in left:
            path.unlink()


def disks(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Full disks: an error, and the old output stays."""
    key = str(DEMO / "key.jsonl")
    for number in range(rounds):
        with open("/dev/full", "wb") as full:
            process(tally, ("show", key), stdout=full)
            process(tally, ("convert", key, "--to", "karat"), stdout=full)
        target = folder / f"full{number}.jsonl"
        process(tally, ("convert", key, "-o", str(target)), preexec_fn=no_room)
        if target.exists():
            tally.fail("half outputs", ("convert",))


def no_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def bombs(tally: Tally, folder: Path, rounds: int, rng: random.Random) -> None:
    """Small files that would need gigabytes."""
    size = 60 << 20
    contents: dict[str, bytes] = {
        "lists.json.gz": gzip.compress(b"[" + b"[]," * (size // 3), 9),
        "blanks.jsonl.gz": gzip.compress(b" " * size, 9),
        "line.txt.gz": gzip.compress(b"a" * size, 9),
        "lists.json": b"[" + b"[]," * (5 << 20) + b"[]]",
        "deep.json": b"[" * 200_000,
        "numbers.json": b"[" + b"1," * (30 << 20) + b"1]",
        "many.xml": b"<pyramid>" + b"<scu/>" * 2_000_000 + b"</pyramid>",
        "attributes.pyr": b'<!DOCTYPE p [<!ATTLIST s a CDATA "' + b"x" * 100_000 + b'">]><pyramid>' + b"<s/>" * 20_000,
        "entities.pyr": b'<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><pyramid>&b;</pyramid>',
    }
    for name, data in contents.items():
        path = folder / name
        path.write_bytes(data)
        for command in ("show", "lint"):
            process(tally, (command, str(path)))
        path.unlink()


PARTS: dict[str, tuple[Callable[[Tally, Path, int, random.Random], None], float]] = {
    "mutations": (mutations, 1.0),
    "collections": (collections, 1.0),
    "signals": (signals, 1.0),
    "disks": (disks, 0.2),
    "bombs": (bombs, 0.0),
}


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, ring)
    failed = 0
    for name, (part, share) in PARTS.items():
        if given.only not in (None, name):
            continue
        tally, began = Tally(), time.monotonic()
        inputs = digest()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            part(tally, Path(folder), max(1, round(given.rounds * share)), random.Random(f"{given.seed} {name}"))
            os.chdir("/")
        if digest() != inputs:
            tally.fail("inputs changed", (name,))
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
        bad = {what: count for what, count in tally.counts.items() if what != "calls"}
        kinds = ", ".join(f"{what} {bad.get(what, 0)}" for what in dict.fromkeys(("tracebacks", "hangs", *bad)))
        seconds = time.monotonic() - began
        print(
            f"{name}: {tally.counts['calls']:,} calls, {kinds}, peak memory {peak:.0f} MB, {seconds:.0f} s", flush=True
        )
        print(f"    exit codes: {dict(sorted(tally.codes.items(), key=str))}", flush=True)
        for example in tally.examples:
            print(f"    {example}", flush=True)
        failed += sum(bad.values())
    return 1 if failed else 0


def digest() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(DEMO.glob("*.jsonl")))).hexdigest()


if __name__ == "__main__":
    sys.exit(run())
