"""All promises in one table: promise, setting, measured, bound, holds.

python benchmarks/honesty                        # everything, about an hour on one core
python benchmarks/honesty --scale 0.1            # a couple of minutes, with wider simulation errors
python benchmarks/honesty --only correlation     # promises with this word in their name

Exit code 1: a promise is broken (a figure is beyond its bound by more than three simulation errors). Promises that need
public data (KARAT_DATA) are named as not measured where it is not there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from importlib import import_module

from promises import MODULES, PROMISES, NotAtHand, Row


def measured(name: str, scale: float) -> Iterator[Row | str]:
    """The rows of a promise as they come; text where it cannot be measured here."""
    try:
        yield from PROMISES[name](scale)
    except NotAtHand as lack:
        yield str(lack)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the simulations; default: 1")
    parser.add_argument("--only", metavar="WORD", action="append", help="only promises with this word in their name")
    given = parser.parse_args()
    for module in MODULES:
        import_module(f"promises.{module}")
    names = [name for name in PROMISES if not given.only or any(word in name.lower() for word in given.only)]
    if not names:
        parser.error(f"no promise has {' or '.join(given.only)} in its name; there are: {'; '.join(PROMISES)}")
    print("| promise | setting | measured | simulations | bound | holds |\n|---|---|---|---|---|---|")
    broken = 0
    for name in names:
        start = time.monotonic()
        for row in measured(name, given.scale):
            if isinstance(row, str):
                print(f"| {name} | {row} | not measured | | | |", flush=True)
                continue
            broken += not row.holds
            cells = (name, row.setting, f"{row.measured:.3f}", f"{row.trials:,}", row.bound)
            print(f"| {' | '.join(cells)} | {'yes' if row.holds else '**NO**'} |", flush=True)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(f"{broken} broken" if broken else "all promises hold", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
