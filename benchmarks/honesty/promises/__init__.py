"""What Karat promises about its intervals, tests and plans: a list of functions that measure it, and their rows.

To add a promise, write a function that takes the scale (1: the full simulation) and yields rows, into a module of this
folder that is named in `MODULES`:

    @promise("Intervals of a mean")
    def means(scale: float) -> Iterator[Row]:
        count = trials(scale, 4000)
        ...
        yield Row(setting="10 queries, many zeros", measured=share, trials=count, at_least=0.93)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MODULES = ("intervals", "labels", "questions", "tests", "margins", "plans", "judges", "unlabelled")
"""The modules of this folder that register promises; each is imported by the runner."""
TOLERANCE = 3.0
"""So many simulation errors may lie between a figure and its bound: then hundreds of rows rarely fail by chance."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure and the bound that it has to keep."""

    setting: str
    measured: float
    trials: int
    at_least: float | None = None
    at_most: float | None = None
    error: float | None = None
    """One standard error of the figure; where it is None, that of a share of independent trials at its bound."""

    @property
    def bound(self) -> str:
        return f"at least {self.at_least:.2f}" if self.at_least is not None else f"at most {self.at_most:.2f}"

    @property
    def holds(self) -> bool:
        room = TOLERANCE * self._error()
        above = self.at_least is None or self.measured >= self.at_least - room
        return above and (self.at_most is None or self.measured <= self.at_most + room)

    def _error(self) -> float:
        if self.error is not None:
            return self.error
        bound = self.at_least if self.at_least is not None else self.at_most
        assert bound is not None
        return math.sqrt(bound * (1 - bound) / self.trials)


class NotAtHand(Exception):
    """A simulation needs data that is not there; it is named in the table and breaks nothing."""


Measurement = Callable[[float], Iterator[Row]]
PROMISES: dict[str, Measurement] = {}


def promise(name: str) -> Callable[[Measurement], Measurement]:
    """Register a function that measures a promise, under the name in the table."""

    def register(measure: Measurement) -> Measurement:
        if name in PROMISES:
            raise ValueError(f"two promises are called {name!r}")
        PROMISES[name] = measure
        return measure

    return register


def trials(scale: float, full: int, *, least: int = 20) -> int:
    """The number of simulations at this scale."""
    return max(least, round(scale * full))
