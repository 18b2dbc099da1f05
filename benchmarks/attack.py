"""Attack Karat with damaged files, hostile collections and options, signals, full disks and bombs; print what broke.

python benchmarks/attack.py                    about two minutes on one core
python benchmarks/attack.py --calls 100000     at least as many calls, about half an hour
python benchmarks/attack.py --only bombs       one part: mutations, collections, options, pages, signals, disks, bombs

A call is one run of the command line. Most are made in a worker process that is watched from outside, where a call
costs milliseconds; signals, disks and bombs get processes of their own. `attacks/tally.py` says what counts as a
failure. The exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from attacks.bombs import bombs
from attacks.calls import Round, attack
from attacks.hostile import collections, options
from attacks.mutations import mutations, seeds
from attacks.pages import CALLS_PER_ROUND as CALLS_OF_PAGES
from attacks.pages import pages
from attacks.processes import disks, signals
from attacks.tally import FAILURES, Tally

IN_WORKERS: dict[str, tuple[Round, float]] = {
    "mutations": (mutations, 0.83),
    "collections": (collections, 0.09),
    "options": (options, 0.07),
    "pages": (pages, 0.01),
}
"""The parts whose calls share a process, each with its share of the calls."""
IN_PROCESSES: dict[str, tuple[Callable[[Tally, Path, int, random.Random], None], float]] = {
    "signals": (signals, 1 / 1000),
    "disks": (disks, 1 / 25000),
    "bombs": (bombs, 1 / 30000),
}
"""The parts whose calls have processes of their own, each with its rounds per call of the attack."""
CALLS_PER_ROUND = {"mutations": 6 * len(seeds()), "collections": 30, "options": 60, "pages": CALLS_OF_PAGES}


def run(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=8_000, help="about how many calls (default: 8000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=[*IN_WORKERS, *IN_PROCESSES], help="only this part")
    given = parser.parse_args(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        # Before numpy is loaded: one core, and no threads that a fork would lose.
        os.environ.setdefault(variable, "1")
    os.environ["KARAT_CONFIG"] = "off"
    total, began = Tally(), time.monotonic()
    for name in [*IN_WORKERS, *IN_PROCESSES]:
        if given.only and name not in given.only:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            tally = _part(name, Path(folder), given.calls, given.seed)
        first, *rest = tally.lines()
        print(f"{name}: {first}; {time.monotonic() - start:.0f} s", *rest, sep="\n", flush=True)
        total.merge(tally)
    failures = ", ".join(f"{what} {total.failures[what]}" for what in FAILURES)
    seconds = time.monotonic() - began
    print(f"all: {total.calls.total():,} calls; {failures}; peak memory {total.peak} MiB; {seconds:.0f} s")
    return 1 if total.failures.total() else 0


def _part(name: str, folder: Path, calls: int, seed: int) -> Tally:
    if name in IN_WORKERS:
        make, share = IN_WORKERS[name]
        rounds = max(1, -int(-calls * share // CALLS_PER_ROUND[name]))
        return attack(make, name=name, folder=folder, rounds=rounds, seed=seed)
    tally = Tally()
    part, share = IN_PROCESSES[name]
    part(tally, folder, max(1, round(calls * share)), random.Random(f"{seed} {name}"))
    return tally


if __name__ == "__main__":
    sys.exit(run())
