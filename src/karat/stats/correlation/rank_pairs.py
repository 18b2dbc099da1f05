"""Comparisons of all pairs of points of two vectors, counted once for all rank correlations and all resamples.

A resample takes every point a whole number of times. This does not change the order of two points, so the points are
sorted once and only their counts are weighted: `counts_of_resamples`. Where each resample has its own values (means
over other queries), the points are sorted in each: `counts_of_vectors`.

Both count, for each item of a sequence, the smaller items before it (`EarlierSmaller`), as merge sort counts inversions
(Knight 1966, for Kendall's tau), in n log n steps. At each bit of the numbers, from the highest, the sequence is
divided into blocks of numbers that are equal in the higher bits; in a block, the items without the bit are smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.stats.arrays import Floats, Ints

NUMBERS_AT_ONCE = 1 << 18
"""The most numbers (points x resamples) that are held at once: they fit into the cache, and bound the memory."""
LEAST_RESAMPLES = 8
"""Even of very many points: the numbers of so many resamples are fetched from the memory together."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """For each point (row) in each resample (column): how many points are above it or level with it (equal).

    A point is level with itself and with its copies. `total` is the number of points of a resample, `copies` is how
    often the point of this row is among them.
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


def counts_of_resamples(x: Floats, y: Floats, *, groups: Ints, weights: Floats) -> Iterator[PairCounts]:
    """Counts for points (x, y) of which group g is taken weights[g, b] times in resample b, some resamples at a time.

    `weights` has the shape (groups, resamples). It takes n log n additions per resample.
    """
    ranks_x, ranks_y = _falling_ranks(x[None, :]), _falling_ranks(y[None, :])
    by_x, by_y = _Order.of(ranks_x, ranks_y), _Order.of(ranks_y, ranks_x)
    order_x, order_y = by_x.order[0], by_y.order[0]
    earlier = EarlierSmaller(by_x.place[0, order_y])
    at_once = max(LEAST_RESAMPLES, NUMBERS_AT_ONCE // max(1, len(x)))
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
    """Counts for many pairs of vectors, (vectors, points) each, some vectors at a time; NaN means: no point."""
    at_once = max(1, NUMBERS_AT_ONCE // max(1, x.shape[1]))
    for first in range(0, len(x), at_once):
        x_here, y_here = x[first : first + at_once], y[first : first + at_once]
        there = ~(np.isnan(x_here) | np.isnan(y_here))
        # A missing point is below all points, where none of them counts it; it has no counts itself.
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
    """Points sorted by one value, then by the other, both falling; (vectors, points) each.

    `order` lists the points. The others give places in it for each point: `place` is its own; `start` and `end` are the
    first place, and the place after the last, of points with the same first value; `both_*` with both values the same.
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
    """From the number of points before each place of the two orders, and `before` each point in both orders."""
    above_x, above_y = by_x["start"], by_y["start"]
    level_x_above_y, above_x_level_y = by_x["both_start"] - above_x, by_y["both_start"] - above_y
    return PairCounts(
        above_x=above_x,
        level_x=by_x["end"] - above_x,
        above_y=above_y,
        level_y=by_y["end"] - above_y,
        # Points that are level in one value, and some that are level in both, also come before it in both orders.
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
    placed = np.empty(order.shape, dtype=np.intp)
    np.put_along_axis(placed, order, values, axis=1)
    return placed


@dataclass(frozen=True, slots=True)
class _Bit:
    """One bit of one sequence."""

    smaller: Ints
    """The numbers without the bit, block by block, in the order of the sequence."""
    larger: Ints
    """The numbers with it."""
    before: Ints
    """For each of `larger`: how many of `smaller` come before it, including those of earlier blocks."""
    before_block: Ints
    """How many of `smaller` are in earlier blocks."""


class EarlierSmaller:
    """Sums over the earlier smaller items of a permutation of 0 to n - 1, for many sets of weights (whole numbers).

    >>> EarlierSmaller(np.array([1, 0, 2])).weighted(np.array([[1.0], [10.0], [100.0]])).ravel().tolist()
    [0.0, 0.0, 11.0]
    """

    def __init__(self, sequence: Ints) -> None:
        self._bits = list(_bits(sequence))

    def weighted(self, weights: Floats) -> Floats:
        """For each number (row) and set of weights (column): the weights of the smaller numbers before it, summed."""
        # Whole numbers below 2^24 are exact in single precision, which takes half the time.
        single = weights.astype(np.float32)
        totals = np.zeros_like(single)
        for bit in self._bits:
            sums = np.zeros((len(bit.smaller) + 1, weights.shape[1]), dtype=np.float32)
            np.cumsum(single[bit.smaller], axis=0, out=sums[1:])
            totals[bit.larger] += sums[bit.before] - sums[bit.before_block]
        return totals.astype(np.float64)


def _bits(sequence: Ints) -> Iterator[_Bit]:
    for bit in reversed(range(max(0, len(sequence) - 1).bit_length())):
        ordered = sequence[np.argsort(sequence >> (bit + 1), kind="stable")]
        large = (ordered >> bit & 1).astype(bool)
        before = np.cumsum(~large)
        # All numbers from 0 to n - 1 occur, so a block begins at the place of its first number.
        block = ordered[large] >> (bit + 1) << (bit + 1)
        yield _Bit(ordered[~large], ordered[large], before[large], np.where(block > 0, before[block - 1], 0))


def earlier_smaller_counts(sequences: Ints) -> Ints:
    """For each row, a permutation of 0 to n - 1, and each number of it: how many smaller numbers come before it.

    >>> earlier_smaller_counts(np.array([[1, 0, 2], [2, 0, 1]])).tolist()
    [[0, 0, 2], [0, 1, 0]]
    """
    rows, n = sequences.shape
    counts = np.zeros((rows, n), dtype=np.intp)
    row, place = np.arange(rows)[:, None], np.arange(n)
    for bit in reversed(range(max(0, n - 1).bit_length())):
        large = sequences >> bit & 1
        block = place >> (bit + 1) << (bit + 1)
        before = np.cumsum(1 - large, axis=1) - (1 - large)
        before -= before[:, block]
        counts[row, sequences] += before * large
        # The numbers without the bit come first in their block, then those with it.
        moved = np.where(large, (1 << bit) + place - before, block + before)
        sorted_on = np.empty_like(sequences)
        sorted_on[row, moved] = sequences
        sequences = sorted_on
    return counts
