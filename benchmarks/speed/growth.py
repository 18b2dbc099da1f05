"""How the cost of commands grows with runs, queries and nugs: a Markdown table with exponents.

    python benchmarks/speed/growth.py [--scale S] [--axes nugs,queries,runs] [--commands score,lint,...]

Makes collections that are 1, 10 and 100 times as large along one axis (the other two stay small), and runs each command
on them in a process of its own. Costs are seconds of processor time in user mode and the largest resident size, without
those of the same command on a collection with next to nothing in it. An exponent is ln(ratio of costs) / ln(ratio of
sizes), from 1x to 10x and from 10x to 100x: 1.0 is linear. Figures below 0.1 s are noise, and have none.
--scale multiplies the small sizes; at 1 all of it takes some minutes.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from karat.model import Judgement, Nug, Query, Record, Response, Snippet, encode_record

FACTORS = (1, 10, 100)
LEAST = 0.1
"""Seconds: differences of costs below this are noise."""
AXES = ("runs", "queries", "nugs")
SYLLABLES = [consonant + vowel for consonant in "bcdfghklmnprstvz" for vowel in "aeiou"]
WORDS = 20_000


class Size(NamedTuple):
    runs: int
    queries: int
    nugs: int
    """Per query."""


SMALL = Size(runs=5, queries=12, nugs=10)
NOTHING = Size(runs=2, queries=2, nugs=2)
KEY, RUNS, JUDGED = "key.jsonl", "runs.jsonl", "judged.jsonl"
COMMANDS: dict[str, list[str]] = {
    "score": ["score", KEY, JUDGED],
    "judge": ["judge", KEY, RUNS, "--judge", "lexical", "--no-cache", "-o", "made.jsonl"],
    "lint": ["lint", KEY, RUNS, JUDGED],
    "compare": ["compare", KEY, JUDGED],
    "validate": ["validate", KEY, RUNS, JUDGED, "--judge", "lexical", "--no-cache"],
    "agree": ["agree", KEY, JUDGED, "second.jsonl"],
    "stability": ["stability", KEY, JUDGED],
    "report": ["report", KEY, RUNS, JUDGED, "-o", "report.html"],
    "review": ["review", KEY, RUNS, "--judge", "lexical", "--no-cache", "-o", "mine.jsonl"],
}
ANSWERS = {"review": b"yq"}
"""What is typed."""


class Used(NamedTuple):
    seconds: float
    megabytes: float

    def without(self, start: Used) -> Used:
        return Used(max(0.0, self.seconds - start.seconds), max(0.0, self.megabytes - start.megabytes))


def word(number: int) -> str:
    """A word of three syllables: frequent words have small numbers, as in a language."""
    return "".join(SYLLABLES[number // len(SYLLABLES) ** at % len(SYLLABLES)] for at in range(3))


def text(rng: random.Random, length: int) -> str:
    # About Zipf's law: the rank is uniform on a logarithmic scale.
    return " ".join(word(int(WORDS ** rng.random())) for _ in range(length)).capitalize() + "."


def records(size: Size, rng: random.Random) -> Iterator[tuple[str, Record]]:
    """Each record with the file it belongs to. Every run says some of the nugs; two people judged."""
    ability = [0.2 + 0.6 * run / size.runs for run in range(size.runs)]
    for number in range(size.queries):
        query_id = f"q{number}"
        yield KEY, Query(query_id=query_id, text=text(rng, 8))
        facts = [text(rng, rng.randint(6, 12)) for _ in range(size.nugs)]
        for at, fact in enumerate(facts):
            importance = "vital" if at % 2 else "okay"
            yield KEY, Nug(query_id=query_id, nug_id=f"n{at}", descriptions=(fact,), importance=importance)  # type: ignore[arg-type]
        for run, share in enumerate(ability):
            said = [rng.random() < share for _ in facts]
            # An answer has a bounded length, however many nugs there are.
            told = [fact for fact, is_said in zip(facts, said, strict=True) if is_said][:10]
            snippets = tuple(Snippet(snippet_id=str(at), text=fact) for at, fact in enumerate((*told, text(rng, 12))))
            yield RUNS, Response(query_id=query_id, run_id=f"run{run}", snippets=snippets)
            for at, is_said in enumerate(said):
                for file, assessor, errs in ((JUDGED, "ann", 0.0), ("second.jsonl", "ben", 0.1)):
                    degree = float(is_said != (rng.random() < errs))
                    judgement = Judgement(
                        query_id=query_id, run_id=f"run{run}", nug_id=f"n{at}", degree=degree, judge="person",
                        assessor=assessor,
                    )  # fmt: skip
                    yield file, judgement


def write(size: Size, folder: Path) -> None:
    folder.mkdir()
    files = {name: (folder / name).open("wb") for name in (KEY, RUNS, JUDGED, "second.jsonl")}
    for name, record in records(size, random.Random(17)):
        files[name].write(encode_record(record) + b"\n")
    for file in files.values():
        file.close()


def used_by(command: str, folder: Path) -> Used:
    """What one run of a command costs in a folder."""
    (folder / "mine.jsonl").unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "karat", *COMMANDS[command]], cwd=folder, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(ANSWERS.get(command, b""))
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, COMMANDS[command])
    return Used(usage.ru_utime, usage.ru_maxrss / 1024)


def exponent(small: float, large: float, *, least: float) -> str:
    """ln(large / small) / ln(10); a dash where it is noise."""
    return f"{math.log10(large / small):.2f}" if small >= least and large >= least else "–"


def measured(axes: Sequence[str], commands: Sequence[str], base: Size, folder: Path) -> Iterator[str]:
    """The rows of the table, one command and axis each, as they become known."""
    write(NOTHING, folder / "nothing")
    starts = {
        command: Used(*map(min, zip(*(used_by(command, folder / "nothing") for _ in range(3)), strict=True)))
        for command in commands
    }
    for axis in axes:
        sizes = [base._replace(**{axis: factor * getattr(base, axis)}) for factor in FACTORS]
        for factor, size in zip(FACTORS, sizes, strict=True):
            write(size, folder / f"{axis}-{factor}")
        for command in commands:
            costs = [used_by(command, folder / f"{axis}-{factor}").without(starts[command]) for factor in FACTORS]
            seconds, memory = [cost.seconds for cost in costs], [cost.megabytes for cost in costs]
            counts = " / ".join(f"{getattr(size, axis):,}" for size in sizes)
            yield (
                f"| {axis} | {command} | {counts} | {' / '.join(f'{each:.2f}' for each in seconds)} "
                f"| {exponent(*seconds[:2], least=LEAST)}, {exponent(*seconds[1:], least=LEAST)} "
                f"| {' / '.join(f'{each:.0f}' for each in memory)} | {exponent(*memory[1:], least=10)} |"
            )


def chosen(given: str, known: Sequence[str]) -> list[str]:
    names = given.split(",")
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"{', '.join(unknown)}: not one of {', '.join(known)}")
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the small sizes along each axis")
    parser.add_argument("--axes", default=",".join(AXES))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    options = parser.parse_args()
    base = Size(*(max(2, round(options.scale * count)) for count in SMALL))
    print(f"Small: {base.runs} runs, {base.queries} queries, {base.nugs} nugs per query.\n", flush=True)
    print(
        "| axis | command | sizes | user seconds | exponents | MB | exponent |\n|---|---|---|---|---|---|---|",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(chosen(options.axes, AXES), chosen(options.commands, list(COMMANDS)), base, Path(folder)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
