"""A million judgements through show, lint and convert, against bare msgspec loops in the same run.

    python benchmarks/speed/streaming.py [--records N]

Prints each command's rate as a share of the bare loop's rate, and its memory beyond a bare interpreter. Exit 1 where a
limit is missed. The limits hold for judgements alone; with their key in the same file there is more to check (every
reference, every nug), and the bare loop, which checks nothing, is there for comparison.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from karat.model import Judgement, Nug, encode_record
from measuring import Cost, cost_of

MEMORY_LIMIT = 200e6
LIMITS = {"show": 0.5, "lint": 0.25, "convert": 0.4}

BARE_DECODE = """
import sys
from karat.model.codec import fast_decoder
decode = fast_decoder()
with open(sys.argv[1], "rb") as file:
    for line in file:
        decode(line)
"""
BARE_COPY = """
import sys, msgspec
from karat.model.codec import fast_decoder
decode, encode = fast_decoder(), msgspec.json.Encoder().encode
with open(sys.argv[1], "rb") as file, open(sys.argv[2], "wb") as out:
    for line in file:
        out.write(encode(decode(line)) + b"\\n")
"""


def write_judgements(path: Path, count: int, *, key: bool) -> None:
    """`count` judgements: 50 runs, 20 nugs a query, as many queries as it takes, every degree."""
    with path.open("wb") as file:
        runs, nugs = 50, 20
        queries = -(-count // (runs * nugs))
        if key:
            for query in range(queries):
                for nug in range(nugs):
                    description = f"fact number {nug} about subject {query} in field {nug * query}"
                    record = Nug(
                        query_id=f"q{query}", nug_id=f"n{nug}", descriptions=(description,), importance="vital"
                    )
                    file.write(encode_record(record) + b"\n")
        for number in range(count):
            rest, nug = divmod(number, nugs)
            query, run = divmod(rest, runs)
            judgement = Judgement(
                query_id=f"q{query}", run_id=f"run-{run}", nug_id=f"n{nug}", degree=(number % 3) / 2, judge="person"
            )
            file.write(encode_record(judgement) + b"\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    count = parser.parse_args().records
    karat = [sys.executable, "-m", "karat"]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        nothing = cost_of([sys.executable, "-c", "pass"])
        for key in (False, True):
            path, out = Path(folder, "judgements.jsonl"), Path(folder, "out.jsonl")
            write_judgements(path, count, key=key)
            decode = [sys.executable, "-c", BARE_DECODE, str(path)]
            copy = [sys.executable, "-c", BARE_COPY, str(path), str(out)]
            commands = {
                "show": (decode, [*karat, "show", str(path)]),
                "lint": (decode, [*karat, "lint", str(path)]),
                "convert": (copy, [*karat, "convert", str(path), "-o", str(out)]),
            }
            print(f"{count:,} judgements{' with their key' if key else ' alone'}, {path.stat().st_size / 1e6:.0f} MB")
            for name, (bare_command, command) in commands.items():
                # In turns, the best of three each: the machine may be busy with other things.
                costs = [(cost_of(bare_command), cost_of(command)) for _ in range(3)]
                bare = Cost(*map(min, zip(*(pair[0] for pair in costs), strict=True)))
                ours = Cost(*map(min, zip(*(pair[1] for pair in costs), strict=True)))
                ratio, memory = bare.seconds / ours.seconds, ours.memory - nothing.memory
                good = memory < MEMORY_LIMIT and (key or ratio >= LIMITS[name])
                failed = failed or not good
                limit = "for comparison" if key else f"at least {LIMITS[name]}"
                print(
                    f"  {name:8} {ratio:5.2f} of the bare loop's rate ({limit}), "
                    f"{memory / 1e6:4.0f} MB beyond the interpreter (under {MEMORY_LIMIT / 1e6:.0f})"
                    f"{'' if good else '   MISSED'}"
                )
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd} ended with {error.returncode}")
