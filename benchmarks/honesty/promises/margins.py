"""What `compare --max-loss` and `--equivalent` say at the margin itself, and intervals for all pairs together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.evaluate.compare.margins import Margin
from margins import KINDS, SIZE, held_share, shown_share
from promises import Row, promise, trials

UNSEEN = "3 % of queries lose .35, the others nothing"
"""What was never seen cannot be resampled: documented as a limit, and no promise."""
PROMISED = [kind for kind in KINDS if kind != UNSEEN]


@promise("Any run wrongly called not worse (--max-loss) or equivalent (--equivalent)")
def at_the_margin(scale: float) -> Iterator[Row]:
    count = trials(scale, 600)
    for question in ("not worse", "equivalent"):
        for runs in (2, 5):
            shifts = np.full(runs - 1, -SIZE)
            if question == "equivalent":
                shifts[::2] = SIZE
            for kind in PROMISED:
                for queries in (10, 20):
                    share = shown_share(kind, Margin(question, SIZE), runs, queries, shifts, count, 31)
                    others = f"{runs - 1} run{'s' * (runs > 2)}"
                    # .067 was measured in one of sixty settings.
                    setting = f"{question}, {kind}, {others}, {queries} queries"
                    yield Row(setting=setting, measured=share, trials=count, at_most=0.06)


@promise("All intervals for all pairs hold the true differences at once")
def together(scale: float) -> Iterator[Row]:
    count = trials(scale, 400)
    for kind in PROMISED:
        for runs, queries in ((5, 10), (5, 30), (10, 15), (10, 50)):
            share = held_share(kind, runs, queries, count, 32)
            yield Row(setting=f"{kind}, {runs} runs, {queries} queries", measured=share, trials=count, at_least=0.94)
