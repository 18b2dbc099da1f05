"""How many decimals people are shown: as many as the interval deserves. Programs get all digits (JSON, CSV, TSV)."""

from __future__ import annotations

import math
from collections.abc import Iterable

WITHOUT = 3
"""Decimals of a number without an interval: scores are between 0 and 1, and a thousandth is seldom worth more."""
FEWEST, MOST = 2, 4


def decimals(intervals: Iterable[tuple[float | None, float | None]]) -> int:
    """Decimals for a column of numbers with these intervals: two significant digits of the smallest half-width, 2 to 4.

    With more digits a table seems to know more than it does; with two significant digits, rounding changes a half-width
    by a twentieth at most (JCGM 100:2008, 7.2.6: at most two digits usually suffice for an uncertainty). A column has
    one number of decimals, that of its narrowest interval, so that its numbers can be compared at a glance. Two
    decimals at least, because people think in percent; four at most, because nobody reads more.

    >>> decimals([(0.35, 0.65)]), decimals([(0.35, 0.65), (0.48, 0.52)]), decimals([(0.4999, 0.5001)]), decimals([])
    (2, 3, 4, 3)
    """
    halves = [(high - low) / 2 for low, high in intervals if low is not None and high is not None]
    known = [half for half in halves if math.isfinite(half) and half > 0]
    if not known:
        return WITHOUT
    # Rounded first: 0.0995 is 0.10.
    return min(max(1 - math.floor(math.log10(float(f"{min(known):.2g}"))), FEWEST), MOST)


def with_interval(value: float, low: float | None, high: float | None, *, digits: int, sign: str = "") -> str:
    """`0.50 [0.35, 0.65]`; only the value where an end is missing. sign: "+" to show it."""
    interval = "" if low is None or high is None else f" [{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"
    return f"{value:{sign}.{digits}f}{interval}"
