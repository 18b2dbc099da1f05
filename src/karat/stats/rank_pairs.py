"""How the points of two vectors stand to each other, counted once for all rank correlations and all resamples.

A resample takes every point a whole number of times. Which of two points stands higher does not change with it, so that
the comparisons are made once and only their counts are weighted: `counts_of_resamples`. Where each resample has values
of its own (means over other queries), the points are compared in each: `counts_of_vectors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

# Half a million comparisons at a time: the counts stay near the processor, and the memory bounded.
COMPARISONS_AT_ONCE = 1 << 19


@dataclass(frozen=True, slots=True)
class PairCounts:
    """For each point (row) in each resample (column): how many points stand above it or level with it.

    A point is level with itself and with its copies. `total` is the number of points of a resample, `copies` how often
    the point of this row is among them.
    """

    above_x: Floats
    level_x: Floats
    above_y: Floats
    level_y: Floats
    above_both: Floats
    above_x_level_y: Floats
    level_x_above_y: Floats
    level_both: Floats
    copies: Floats
    total: Floats

    @property
    def above_y_below_x(self) -> Floats:
        return self.above_y - self.above_both - self.level_x_above_y

    @property
    def agreement(self) -> Floats:
        """Concordant minus discordant pairs of each point."""
        above_x_below_y = self.above_x - self.above_both - self.above_x_level_y
        below_x_level_y = self.level_y - self.above_x_level_y - self.level_both
        below_x = self.total - self.above_x - self.level_x
        below_both = below_x - below_x_level_y - self.above_y_below_x
        return self.above_both + below_both - above_x_below_y - self.above_y_below_x

    def exchanged(self) -> PairCounts:
        """The same counts with x and y in each other's place."""
        return PairCounts(
            above_x=self.above_y,
            level_x=self.level_y,
            above_y=self.above_x,
            level_y=self.level_x,
            above_both=self.above_both,
            above_x_level_y=self.level_x_above_y,
            level_x_above_y=self.above_x_level_y,
            level_both=self.level_both,
            copies=self.copies,
            total=self.total,
        )


def counts_of_resamples(x: Floats, y: Floats, *, groups: Ints, weights: Floats) -> Iterator[PairCounts]:
    """Counts for points (x, y) of which group g is taken weights[g, b] times in resample b, some points at a time.

    `weights` has the shape (groups, resamples). The cost is that of n² comparisons and of n × groups × resamples
    multiplications, whatever the number of points in a group.
    """
    order = np.argsort(groups, kind="stable")
    x, y, groups = x[order], y[order], groups[order]
    present, starts = np.unique(groups, return_index=True)
    # Counts below 2^24 are exact in single precision.
    group_weights = weights[present].astype(np.float32)
    copies = weights[groups]
    total = copies.sum(axis=0)
    rows = max(1, COMPARISONS_AT_ONCE // max(1, len(x), weights.shape[1]))
    for first in range(0, len(x), rows):
        here = slice(first, first + rows)
        found = [
            (np.add.reduceat(holds.view(np.int8), starts, axis=1, dtype=np.int32).astype(np.float32) @ group_weights)
            for holds in _comparisons(x[None, :], x[here, None], y[None, :], y[here, None])
        ]
        yield PairCounts(*[*(count.astype(np.float64) for count in found), copies[here], total])


def counts_of_vectors(x: Floats, y: Floats) -> Iterator[PairCounts]:
    """Counts for many pairs of vectors, (vectors, points) each, some vectors at a time; a NaN is no point."""
    vectors, points = x.shape
    at_once = max(1, COMPARISONS_AT_ONCE // max(1, points**2))
    for first in range(0, vectors, at_once):
        x_here, y_here = x[first : first + at_once], y[first : first + at_once]
        # A comparison with NaN is false, so that what is no point is counted nowhere.
        there = ~(np.isnan(x_here) | np.isnan(y_here))
        x_here, y_here = np.where(there, x_here, np.nan), np.where(there, y_here, np.nan)
        found = [
            np.count_nonzero(holds, axis=2).T.astype(np.float64)
            for holds in _comparisons(x_here[:, None, :], x_here[:, :, None], y_here[:, None, :], y_here[:, :, None])
        ]
        copies = there.T.astype(np.float64)
        yield PairCounts(*[*found, copies, copies.sum(axis=0)])


def _comparisons(other_x: Floats, own_x: Floats, other_y: Floats, own_y: Floats) -> tuple[npt.NDArray[np.bool_], ...]:
    """In the order of the fields of PairCounts."""
    above_x, level_x = other_x > own_x, other_x == own_x
    above_y, level_y = other_y > own_y, other_y == own_y
    return (
        above_x,
        level_x,
        above_y,
        level_y,
        above_x & above_y,
        above_x & level_y,
        level_x & above_y,
        level_x & level_y,
    )
