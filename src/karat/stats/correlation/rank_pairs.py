"""How the points of two vectors stand to each other, counted once for all rank correlations and all resamples.

A resample takes every point a whole number of times. Which of two points stands higher does not change with it, so that
the points are sorted once and only their counts are weighted: `counts_of_resamples`. Where each resample has values of
its own (means over other queries), the points are sorted in each: `counts_of_vectors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.stats.correlation.earlier_smaller import EarlierSmaller, Floats, Ints, earlier_smaller_counts

NUMBERS_AT_ONCE = 1 << 18
"""Points times resamples: the counts stay near the processor, and the memory bounded."""


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
    """Counts for points (x, y) of which group g is taken weights[g, b] times in resample b, some resamples at a time.

    `weights` has the shape (groups, resamples). The cost is that of n log n additions a resample.
    """
    ranks_x, ranks_y = _falling_ranks(x[None, :]), _falling_ranks(y[None, :])
    by_x, by_y = _Order.of(ranks_x, ranks_y), _Order.of(ranks_y, ranks_x)
    order_x, order_y = by_x.order[0], by_y.order[0]
    earlier = EarlierSmaller(by_x.place[0, order_y])
    at_once = max(1, NUMBERS_AT_ONCE // max(1, len(x)))
    for first in range(0, weights.shape[1], at_once):
        copies = weights[:, first : first + at_once][groups]
        above = np.zeros((2, len(x) + 1, copies.shape[1]))
        np.cumsum(copies[order_x], axis=0, out=above[0, 1:])
        np.cumsum(copies[order_y], axis=0, out=above[1, 1:])
        before = earlier.weighted(copies[order_x])[by_x.place[0]]
        yield _pair_counts(
            {name: above[0][places[0]] for name, places in by_x.ends().items()},
            {name: above[1][places[0]] for name, places in by_y.ends().items()},
            before=before,
            copies=copies,
        )


def counts_of_vectors(x: Floats, y: Floats) -> Iterator[PairCounts]:
    """Counts for many pairs of vectors, (vectors, points) each, some vectors at a time; a NaN is no point."""
    at_once = max(1, NUMBERS_AT_ONCE // max(1, x.shape[1]))
    for first in range(0, len(x), at_once):
        x_here, y_here = x[first : first + at_once], y[first : first + at_once]
        there = ~(np.isnan(x_here) | np.isnan(y_here))
        # What is no point stands below all points, where none of them counts it; it has no counts itself.
        ranks_x, ranks_y = (_falling_ranks(np.where(there, values, np.nan)) for values in (x_here, y_here))
        by_x, by_y = _Order.of(ranks_x, ranks_y), _Order.of(ranks_y, ranks_x)
        before = earlier_smaller_counts(np.take_along_axis(by_x.place, by_y.order, axis=1))
        copies = there.T.astype(np.float64)
        yield _pair_counts(
            {name: places.T * copies for name, places in by_x.ends().items()},
            {name: places.T * copies for name, places in by_y.ends().items()},
            before=np.take_along_axis(before, by_x.place, axis=1).T * copies,
            copies=copies,
        )


@dataclass(frozen=True, slots=True)
class _Order:
    """Points by one value, then by the other, both falling; (vectors, points) each.

    `order` lists the points; the others have a place in it for each point: its own; the first place and the one after
    the last of those level with it by the one value; the same of those level with it by both.
    """

    order: Ints
    place: Ints
    start: Ints
    end: Ints
    both_start: Ints
    both_end: Ints

    @classmethod
    def of(cls, ranks: Ints, then: Ints) -> _Order:
        n = ranks.shape[1]
        keys = ranks * n + then
        order = np.argsort(keys, axis=1, kind="stable")
        place = _put(np.broadcast_to(np.arange(n), keys.shape), order)
        keys = np.take_along_axis(keys, order, axis=1)
        both_start, both_end = _levels(keys)
        end = _levels(keys // max(n, 1))[1]
        return cls(order, place, ranks, _put(end, order), _put(both_start, order), _put(both_end, order))

    def ends(self) -> dict[str, Ints]:
        return {name: getattr(self, name) for name in ("place", "start", "end", "both_start", "both_end")}


def _pair_counts(by_x: dict[str, Floats], by_y: dict[str, Floats], *, before: Floats, copies: Floats) -> PairCounts:
    """From how many points stand before each place of the two orders, and `before` the point itself in both."""
    above_x, above_y = by_x["start"], by_y["start"]
    level_x_above_y, above_x_level_y = by_x["both_start"] - above_x, by_y["both_start"] - above_y
    return PairCounts(
        above_x=above_x,
        level_x=by_x["end"] - above_x,
        above_y=above_y,
        level_y=by_y["end"] - above_y,
        # Before it in both orders are also points level in one value, and some of those level in both.
        above_both=before - above_x_level_y - level_x_above_y - (by_x["place"] - by_x["both_start"]),
        above_x_level_y=above_x_level_y,
        level_x_above_y=level_x_above_y,
        level_both=by_x["both_end"] - by_x["both_start"],
        copies=copies,
        total=copies.sum(axis=0),
    )


def _falling_ranks(values: Floats) -> Ints:
    """How many values of the row are larger; a NaN is smaller than all."""
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    return _put(_levels(np.where(np.isnan(ordered), -np.inf, ordered))[0], order)


def _levels(ordered: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """For each place of sorted rows: where the equal values begin, and where they have ended."""
    n = ordered.shape[1]
    change = np.ones((len(ordered), n + 1), dtype=bool)
    change[:, 1:n] = ordered[:, 1:] != ordered[:, :-1]
    places = np.arange(n + 1)
    start = np.maximum.accumulate(np.where(change, places, 0), axis=1)[:, :n]
    end = np.minimum.accumulate(np.where(change, places, n)[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return start, end


def _put(values: Ints, order: Ints) -> Ints:
    found = np.empty(order.shape, dtype=np.intp)
    np.put_along_axis(found, order, values, axis=1)
    return found
