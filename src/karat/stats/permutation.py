"""Paired permutation tests of many pairs of runs at once.

If two runs did not differ, either could have made either answer to a query: swapping the two, query by query, gives
results that were as likely as the one observed. p is the share of the swaps with a difference at least as large (Fisher
1935, Pitman 1937; for retrieval Smucker, Allan and Carterette 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.t_test import Alternative, FloatArray, check_alternative, checked_pairs, paired_differences

IntArray = NDArray[np.int64]
TIE = 1e-9
"""A difference short of the observed one by this share of the largest possible is as large: rounding never decides."""
SWAPS_AT_ONCE = 1024
NUMBERS_AT_ONCE = 2**21
"""With the above it bounds the memory. The random swaps of a pair do not depend on how many pairs are tested."""
FEW_EXTREMES = 20
"""A p-value from fewer extreme swaps than this is still rough."""
MOST_RESAMPLES = 1_000_000
"""However fine a resolution is asked for."""


@dataclass(frozen=True, slots=True)
class PermutationResult:
    """One entry a pair of runs."""

    p: FloatArray
    differences: FloatArray
    """The first run's score minus the second's, both over the queries where both are defined."""
    n: IntArray
    """How many queries those are."""
    smallest: FloatArray
    """The smallest p that the test could have given with that many queries and resamples."""


def pair_pvalues(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    resolution: float | None = None,
    seed: int = 0,
) -> PermutationResult:
    """Tests of the mean difference of each pair, the statistic being |sum of +-d| over all choices of the signs.

    `values` has the shape (runs, queries), NaN undefined; `pairs` holds two row numbers for each pair. "less" asks
    whether the first run is lower than the second. With k differences that are not zero, all 2^k choices are counted
    where that is no more than `resamples`; else p = (1 + extreme) / (1 + resamples) over random ones, which is never 0
    (Phipson and Smyth 2010).

    `resolution` is the p-value that has to be told from larger ones: Holm's correction of m pairs at 0.05 needs
    0.05 / m. Pairs with fewer than 20 extreme choices then get more resamples, until 1 / (1 + resamples) is a quarter
    of it (a million at most).

    No paired query: p is NaN. One: p is 1, or 0.5 one-sided in the direction asked. No difference at all: p is 1.

    >>> pair_pvalues([[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]], [[0, 1]]).p.tolist()
    [0.25]
    """
    paired = paired_differences(values, pairs)
    by_query = np.nan_to_num(paired.by_query, nan=0.0)
    largest = np.abs(by_query).sum(axis=1)

    def difference(sums: FloatArray, _: IntArray) -> FloatArray:
        return sums[..., 0]

    swaps = _Swaps(by_query[..., None], difference, by_query.sum(axis=1), TIE * largest, alternative)
    return swaps.result(paired.means, paired.n, resamples=resamples, resolution=resolution, seed=seed)


def statistic_pair_pvalues(
    counts: ArrayLike,
    statistic: Callable[[FloatArray], FloatArray],
    pairs: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    resolution: float | None = None,
    seed: int = 0,
) -> PermutationResult:
    """The same tests for scores of pooled counts: each swap exchanges the two runs' counts of a query.

    `counts` has the shape (runs, queries, k); a query with a NaN among the counts of either run is left out of the
    pair. `statistic` takes sums of shape (..., k) to scores of shape (...), NaN or infinity where undefined; it need
    not guard its divisions. A swap that leaves either score undefined is left out; p is NaN where an observed score is
    undefined.
    """
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim != 3:
        raise UsageError(f"counts (runs, queries, k) cannot have the shape {array.shape}")
    if np.isinf(array).any():
        raise UsageError("counts (runs, queries, k) must be finite, or NaN where undefined")
    rows = checked_pairs(pairs, runs=len(array))
    first, second = array[rows[:, 0]], array[rows[:, 1]]
    present = ~np.isnan((first + second).sum(axis=2))
    first, second = (np.where(present[..., None], side, 0.0) for side in (first, second))
    totals = (first + second).sum(axis=1)

    def scores(sums: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # sums that leave no denominator: undefined
            found = np.asarray(statistic(sums), dtype=np.float64)
        if found.shape != sums.shape[:-1]:
            raise UsageError(f"statistic gives shape {found.shape} for sums of shape {sums.shape}: one value a row")
        return np.where(np.isfinite(found), found, np.nan)

    def difference(sums: FloatArray, tested: IntArray) -> FloatArray:
        return scores((totals[tested] + sums) / 2) - scores((totals[tested] - sums) / 2)

    observed = scores(first.sum(axis=1)), scores(second.sum(axis=1))
    n = present.sum(axis=1)
    differences = np.where(n > 0, observed[0] - observed[1], np.nan)
    tie = TIE * np.maximum(np.abs(observed[0]), np.abs(observed[1]))
    swaps = _Swaps(first - second, difference, differences, tie, alternative)
    return swaps.result(differences, n, resamples=resamples, resolution=resolution, seed=seed)


@dataclass(frozen=True, slots=True)
class _Swaps:
    """All that is needed to count the extreme swaps of each pair."""

    by_query: FloatArray
    """Shape (pairs, queries, k): what a swap changes, 0 where undefined."""
    difference: Callable[[FloatArray, IntArray], FloatArray]
    """From signed sums of `by_query` (swaps, some pairs, k) to the difference of scores (swaps, those pairs)."""
    observed: FloatArray
    tie: FloatArray
    alternative: Alternative

    def result(
        self, differences: FloatArray, n: IntArray, *, resamples: int, resolution: float | None, seed: int
    ) -> PermutationResult:
        check_alternative(self.alternative)
        if resamples < 1:
            raise UsageError(f"resamples {resamples} is not 1 or more")
        if resolution is not None and not 0 < resolution < 1:
            raise UsageError(f"resolution {resolution} is not between 0 and 1")
        finest = max(resamples, min(MOST_RESAMPLES, ceil(4 / resolution))) if resolution else resamples
        changing = (self.by_query != 0).any(axis=2).sum(axis=1)
        p = np.full(len(n), np.nan)
        tested = np.flatnonzero((n > 0) & ~np.isnan(differences))
        countable = changing[tested] <= _exponent(resamples)
        p[tested[countable]] = self._exact(tested[countable])
        tested = tested[~countable]
        rng = np.random.default_rng(seed)
        queries = self.by_query.shape[1]
        extreme, counted = self._count(tested, self.by_query[tested], _random_signs(rng, queries, resamples))
        p[tested] = (1 + extreme) / (1 + counted)
        if finest > resamples:
            rough = extreme < FEW_EXTREMES
            countable = changing[tested] <= _exponent(finest)
            p[tested[rough & countable]] = self._exact(tested[rough & countable])
            rough &= ~countable
            more = self._count(
                tested[rough], self.by_query[tested[rough]], _random_signs(rng, queries, finest - resamples)
            )
            p[tested[rough]] = (1 + extreme[rough] + more[0]) / (1 + counted[rough] + more[1])
        sides = 1 if self.alternative == "two-sided" else 0
        smallest = np.where(n <= _exponent(finest), np.minimum(1.0, np.exp2(sides - n)), 1 / (1 + finest))
        return PermutationResult(p, differences, n, np.where(n > 0, smallest, np.nan))

    def _exact(self, tested: IntArray) -> FloatArray:
        """The p-values over all swaps; queries where the two runs are equal need not be swapped."""
        changes = self.by_query[tested]
        unchanged = (changes == 0).all(axis=2)
        width = int(np.max((~unchanged).sum(axis=1), initial=0))
        order = np.argsort(unchanged, axis=1, kind="stable")[:, :width]
        extreme, counted = self._count(tested, np.take_along_axis(changes, order[..., None], axis=1), _all_signs(width))
        return extreme / counted

    def _count(
        self, tested: IntArray, changes: FloatArray, signs: Iterator[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """For each tested pair the number of swaps that are extreme, and of all where the scores are defined."""
        extreme, counted = np.zeros(len(tested)), np.zeros(len(tested))
        if not len(tested):
            return extreme, counted
        queries, parts = changes.shape[1:]
        step = max(1, NUMBERS_AT_ONCE // (SWAPS_AT_ONCE * max(1, parts)))
        blocks = [slice(start, start + step) for start in range(0, len(tested), step)]
        matrices = [changes[block].transpose(1, 0, 2).reshape(queries, len(tested[block]) * parts) for block in blocks]
        for swap in signs:
            for block, matrix in zip(blocks, matrices, strict=True):
                sums = (swap @ matrix).reshape(len(swap), len(tested[block]), parts)
                found = self.difference(sums, tested[block])
                counted[block] += len(found) - np.count_nonzero(np.isnan(found), axis=0)
                extreme[block] += np.count_nonzero(self._as_extreme(found, tested[block]), axis=0)
        return extreme, counted

    def _as_extreme(self, found: FloatArray, tested: IntArray) -> NDArray[np.bool_]:
        observed, tie = self.observed[tested], self.tie[tested]
        if self.alternative == "less":
            return found <= observed + tie
        if self.alternative == "greater":
            return found >= observed - tie
        return np.abs(found) >= np.abs(observed) - tie


def _exponent(number: int) -> int:
    """The largest k with 2^k <= number."""
    return number.bit_length() - 1


def _all_signs(n: int) -> Iterator[FloatArray]:
    for start in range(0, 2**n, SWAPS_AT_ONCE):
        codes = np.arange(start, min(start + SWAPS_AT_ONCE, 2**n))
        yield (1 - 2 * (codes[:, None] >> np.arange(n) & 1)).astype(np.float64)


def _random_signs(rng: np.random.Generator, n: int, resamples: int) -> Iterator[FloatArray]:
    for start in range(0, resamples, SWAPS_AT_ONCE):
        number = min(SWAPS_AT_ONCE, resamples - start)
        yield (1 - 2 * rng.integers(0, 2, size=(number, n), dtype=np.int8)).astype(np.float64)
