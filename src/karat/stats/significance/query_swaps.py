"""Counts the swaps of queries between two runs that make their difference as large as the observed one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.stats.arrays import Floats
from karat.stats.significance.t_test import Alternative

IntArray = NDArray[np.int64]
SWAPS_AT_ONCE = 2048
NUMBERS_AT_ONCE = 2**17
"""The most differences that are held at once, so that they fit into the cache. The swaps do not depend on it."""
TIE = 1e-9
"""Differences count as equal if they differ by this share of the largest possible one: rounding never decides."""
FEW_EXTREMES = 20
"""A p-value from fewer extreme swaps is still rough."""
STAGE = 4
"""Pairs that are still rough get so many times the resamples that they had, again and again."""
SLOPES = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class RandomSwaps:
    p: Floats
    """(1 + extreme) / (1 + resamples)."""
    rough: NDArray[np.bool_]
    """True where there were few extreme swaps."""


@dataclass(frozen=True, slots=True)
class QuerySwaps:
    """Everything that is needed to count the extreme swaps of each pair of runs."""

    by_query: Floats
    """Shape (k, pairs, queries): what a swap changes, 0 where undefined."""
    difference: Callable[[Floats, IntArray], Floats]
    """From signed sums of `by_query` (k, some pairs, swaps) to the difference of scores (those pairs, swaps)."""
    observed: Floats
    tie: Floats
    alternative: Alternative
    rows: IntArray
    """Shape (pairs, 2): the two runs of each pair."""
    by_run: Floats | None
    """Shape (k, runs, queries): where differences of these can be used for `by_query`, sums are much faster."""

    def exact(self, tested: IntArray) -> Floats:
        """The p-values over all swaps; queries where the two runs are equal need not be swapped."""
        changes = self.by_query[:, tested]
        unchanged = (changes == 0).all(axis=0)
        width = int(np.max((~unchanged).sum(axis=1), initial=0))
        order = np.argsort(unchanged, axis=1, kind="stable")[:, :width]
        changes = np.take_along_axis(changes, order[None], axis=2)
        # A swap and its opposite have the same difference except for the sign: one of the two is enough.
        free = max(0, width - 1) if self.alternative == "two-sided" else width
        extreme, counted = np.zeros(len(tested)), np.zeros(len(tested))
        for signs in _all_signs(width, free=free):
            for block in _blocks(len(tested), signs.shape[1] * len(changes)):
                differences = self.difference(changes[:, block] @ signs, tested[block])
                counted[block] += _defined(differences)
                extreme[block] += _row_counts(self._as_extreme(differences, tested[block]))
        return extreme / counted

    def random(self, tested: IntArray, *, resamples: int, finest: int, seed: int) -> RandomSwaps:
        """`resamples` random swaps of each pair; up to `finest` for pairs with few extreme ones."""
        extreme, counted = np.zeros(len(tested)), np.zeros(len(tested))
        rough = np.arange(len(tested))
        rng = np.random.default_rng(seed)
        done = 0
        while len(rough):
            for signs in _random_signs(rng, self.by_query.shape[2], resamples - done):
                run_sums = None if self.by_run is None else self.by_run @ signs
                for block in _blocks(len(rough), signs.shape[1] * len(self.by_query)):
                    pairs = tested[rough[block]]
                    differences = self.difference(self._sums(pairs, signs, run_sums), pairs)
                    counted[rough[block]] += _defined(differences)
                    extreme[rough[block]] += _row_counts(self._as_extreme(differences, pairs))
            if resamples >= finest:
                break
            rough = rough[extreme[rough] < FEW_EXTREMES]
            done, resamples = resamples, min(finest, STAGE * resamples)
        return RandomSwaps((1 + extreme) / (1 + counted), extreme < FEW_EXTREMES)

    def _sums(self, pairs: IntArray, signs: Floats, run_sums: Floats | None) -> Floats:
        if run_sums is None:
            return np.asarray(self.by_query[:, pairs] @ signs)
        return np.asarray(run_sums[:, self.rows[pairs, 0]] - run_sums[:, self.rows[pairs, 1]])

    def _as_extreme(self, differences: Floats, tested: IntArray) -> NDArray[np.bool_]:
        observed, tie = self.observed[tested, None], self.tie[tested, None]
        if self.alternative == "less":
            return differences <= observed + tie
        if self.alternative == "greater":
            return differences >= observed - tie
        return np.abs(differences) >= np.abs(observed) - tie


def bound_of_signed_sums(differences: Floats, *, alternative: Alternative) -> Floats:
    """An upper bound of the p-value of each row of differences d, over all choices of the signs (Chernoff 1952).

    P(sum of +-d >= t) <= exp(-h t) prod cosh(h d) for every h >= 0; twice that two-sided. The h tried are multiples of
    t / sum d^2, where the bound is at most that of Hoeffding (1963), exp(-t^2 / (2 sum d^2)).

    >>> bound_of_signed_sums(np.ones((1, 3)), alternative="greater").round(3).tolist()  # the p-value is 1/8
    [0.125]
    """
    sums = differences.sum(axis=1)
    reach = {"two-sided": np.abs(sums), "less": -sums, "greater": sums}[alternative]
    # Sums that are smaller than the observed one only by rounding count as extreme, here as in the test.
    reach = np.maximum(reach - TIE * np.abs(differences).sum(axis=1), 0)
    squares = (differences**2).sum(axis=1)
    slope = np.divide(reach, squares, out=np.zeros(len(squares)), where=squares > 0)
    best = np.zeros(len(sums))
    for factor in SLOPES:
        turned = np.abs(factor * slope[:, None] * differences)
        log_cosh = turned + np.log1p(np.exp(-2 * turned)) - np.log(2)
        best = np.minimum(best, log_cosh.sum(axis=1) - factor * slope * reach)
    sides = 2 if alternative == "two-sided" else 1
    return np.asarray(np.minimum(1.0, sides * np.exp(best)), dtype=np.float64)


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, NUMBERS_AT_ONCE // max(1, width))
    return (slice(start, start + step) for start in range(0, rows, step))


def _defined(differences: Floats) -> IntArray:
    """How many of each row are not NaN."""
    counts = np.full(len(differences), differences.shape[1])
    for row in np.flatnonzero(np.isnan(differences.sum(axis=1))):
        counts[row] -= np.count_nonzero(np.isnan(differences[row]))
    return counts


def _row_counts(mask: NDArray[np.bool_]) -> IntArray:
    if mask.shape[1] < 256:
        return np.asarray(mask.sum(axis=1))
    # Long rows are counted much faster one by one than along an axis.
    return np.fromiter((np.count_nonzero(row) for row in mask), dtype=np.int64, count=len(mask))


def _all_signs(n: int, *, free: int) -> Iterator[Floats]:
    """All choices of the signs of the first `free` of n queries, the others +1."""
    for start in range(0, 2**free, SWAPS_AT_ONCE):
        codes = np.arange(start, min(start + SWAPS_AT_ONCE, 2**free))
        signs = np.ones((n, len(codes)))
        signs[:free] -= 2 * (codes >> np.arange(free)[:, None] & 1)
        yield signs


def _random_signs(rng: np.random.Generator, n: int, resamples: int) -> Iterator[Floats]:
    for start in range(0, resamples, SWAPS_AT_ONCE):
        number = min(SWAPS_AT_ONCE, resamples - start)
        bits = np.unpackbits(rng.integers(0, 256, size=(n, -(-number // 8)), dtype=np.uint8), axis=1, count=number)
        yield 1.0 - 2.0 * bits.astype(np.float64)
