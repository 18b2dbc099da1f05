"""Paired permutation tests of many pairs of runs at once.

If two runs did not differ, each answer to a query could have come from either run: swapping the two, query by query,
gives results that were as likely as the observed one. p is the share of the swaps with a difference at least as large
(Fisher 1935, Pitman 1937; for retrieval Smucker, Allan and Carterette 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from karat.model import UsageError
from karat.stats.arrays import Floats, check_sizes
from karat.stats.significance.query_swaps import TIE, IntArray, QuerySwaps, bound_of_signed_sums
from karat.stats.significance.t_test import (
    Alternative,
    check_alternative,
    checked_pairs,
    paired_differences,
)

MOST_RESAMPLES = 1_000_000
"""No test takes more, whatever resolution is asked for."""


@dataclass(frozen=True, slots=True)
class PermutationResult:
    """One entry per pair of runs."""

    p: Floats
    differences: Floats
    """The first run's score minus the second's, both over the queries where both are defined."""
    n: IntArray
    """The number of these queries."""
    smallest: Floats
    """The smallest p that the test could have given with that many queries and resamples."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How many swaps are drawn, and how small the p-values are that must be distinguished: see `pair_pvalues`."""

    resamples: int
    resolution: float | None
    seed: int

    def result(
        self,
        swaps: QuerySwaps,
        differences: Floats,
        n: IntArray,
        *,
        bound: Callable[..., Floats] | None = None,
    ) -> PermutationResult:
        """Test all pairs; `bound` takes the changes by query of some pairs and gives upper bounds of their p-values."""
        self._check(swaps.alternative)
        possible = smallest_pvalues(n, swaps.alternative)
        finest = self._finest(float(np.min(possible, initial=1.0, where=n > 0)))
        p = np.full(len(n), np.nan)
        tested = np.flatnonzero((n > 0) & ~np.isnan(differences))
        changing = (swaps.by_query != 0).any(axis=0).sum(axis=1)
        countable = changing[tested] <= _exponent(self.resamples)
        p[tested[countable]] = swaps.exact(tested[countable])
        tested = tested[~countable]
        if bound is not None:
            settled = bound(swaps.by_query[0, tested], alternative=swaps.alternative) <= 1 / (1 + finest)
            p[tested[settled]] = 1 / (1 + finest)
            tested = tested[~settled]
        # Where all swaps are few enough for the finest test, a rough p-value is replaced by the exact one.
        countable = changing[tested] <= _exponent(finest)
        for part, most in ((tested[countable], self.resamples), (tested[~countable], finest)):
            drawn = swaps.random(part, resamples=self.resamples, finest=most, seed=self.seed)
            p[part] = drawn.p
            if most < finest:
                p[part[drawn.rough]] = swaps.exact(part[drawn.rough])
        smallest = np.where(n <= _exponent(finest), possible, 1 / (1 + finest))
        return PermutationResult(p, differences, n, np.where(n > 0, smallest, np.nan))

    def _finest(self, possible: float) -> int:
        """The most resamples of a pair; where no p can be as small as the resolution, only what was asked for."""
        if self.resolution is None or possible > self.resolution:
            return self.resamples
        return max(self.resamples, min(MOST_RESAMPLES, ceil(4 / self.resolution)))

    def _check(self, alternative: Alternative) -> None:
        check_alternative(alternative)
        if self.resamples < 1:
            raise UsageError(f"resamples {self.resamples} is not 1 or more")
        if self.resolution is not None and not 0 < self.resolution < 1:
            raise UsageError(f"resolution {self.resolution} is not between 0 and 1")


def smallest_pvalues(n: IntArray, alternative: Alternative) -> Floats:
    """1 / 2^n one-sided, twice it two-sided: n queries have 2^n swaps. NaN without queries."""
    sides = 1 if alternative == "two-sided" else 0
    return np.where(n > 0, np.minimum(1.0, np.exp2(sides - np.maximum(n, 1.0))), np.nan)


def _exponent(number: int) -> int:
    """The largest k with 2^k <= number."""
    return number.bit_length() - 1


__all__ = ["PermutationResult", "PossiblePvalues", "pair_pvalues", "possible_pvalues", "statistic_pair_pvalues"]


@dataclass(frozen=True, slots=True)
class PossiblePvalues:
    """One entry a pair of runs."""

    n: IntArray
    """On how many queries both runs are defined."""
    smallest: Floats
    """The smallest p over all swaps of so many queries, however large the difference; NaN where there are none."""


def pair_pvalues(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    resolution: float | None = None,
    seed: int = 0,
) -> PermutationResult:
    """Test the mean difference of each pair: the statistic is |sum of +-d| over all choices of the signs.

    `values` has the shape (runs, queries), NaN undefined; `pairs` holds two row numbers for each pair. "less" asks
    whether the first run is lower than the second. With k differences that are not zero, all 2^k choices are counted
    where that is not more than `resamples`; otherwise p = (1 + extreme) / (1 + resamples) over random ones, which
    is never 0 (Phipson and Smyth 2010).

    `resolution` is the p-value that has to be distinguished from larger ones: Holm's correction of m pairs at 0.05
    needs 0.05 / m. Pairs with fewer than 20 extreme choices then get four times the resamples, again and again, until
    1 / (1 + resamples) is a quarter of it (a million resamples at most); no pair does where none has the queries for a
    p that small. All pairs share the random choices, and a pair's do not depend on the others tested.

    A pair whose p is at most 1 / (1 + the most resamples) by Chernoff's bound (`bound_of_signed_sums`) gets that p
    without resampling: it is what resampling gives where no choice is extreme, and it is not too small.

    No paired query: p is NaN. One: p is 1, or 0.5 one-sided in the direction asked. No difference at all: p is 1.

    >>> pair_pvalues([[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]], [[0, 1]]).p.tolist()
    [0.25]
    """
    array = np.asarray(values, dtype=np.float64)
    paired = paired_differences(array, pairs)
    by_query = np.nan_to_num(paired.by_query, nan=0.0)
    largest = np.abs(by_query).sum(axis=1)

    def difference(sums: Floats, _: IntArray) -> Floats:
        return np.asarray(sums[0], dtype=np.float64)

    rows = checked_pairs(pairs, runs=len(array))
    by_run = array[None] if _may_be_summed_by_run(array, rows, largest) else None
    swaps = QuerySwaps(by_query[None], difference, by_query.sum(axis=1), TIE * largest, alternative, rows, by_run)
    return Resampling(resamples, resolution, seed).result(swaps, paired.means, paired.n, bound=bound_of_signed_sums)


def statistic_pair_pvalues(
    counts: ArrayLike,
    statistic: Callable[[Floats], Floats],
    pairs: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    resolution: float | None = None,
    seed: int = 0,
) -> PermutationResult:
    """The same tests for scores of pooled counts: each swap exchanges the counts of the two runs for a query.

    `counts` has the shape (runs, queries, k); a query with a NaN among the counts of either run is left out of the
    pair. `statistic` takes sums of shape (..., k) to scores of shape (...), NaN or infinity where undefined; it may
    divide by zero. A swap that makes either score undefined is left out; p is NaN where an observed score is
    undefined.
    """
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim != 3:
        raise UsageError(f"counts must have the shape (runs, queries, k), not {array.shape}")
    check_sizes(array, infinite="counts (runs, queries, k) must be finite, or NaN where undefined")
    rows = checked_pairs(pairs, runs=len(array))
    defined = np.asarray(~np.isnan(array).any(axis=2))
    present = defined[rows[:, 0]] & defined[rows[:, 1]]
    # The layout (k, pairs, queries) keeps each of the k sums together.
    parts = np.moveaxis(np.where(defined[..., None], array, 0.0), -1, 0)
    first, second = (np.where(present, parts[:, rows[:, side]], 0.0) for side in (0, 1))
    half = (first + second).sum(axis=2) / 2

    def scores(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):  # a zero denominator: undefined
            values = np.asarray(statistic(np.moveaxis(sums, 0, -1)), dtype=np.float64)
        if values.shape != sums.shape[1:]:
            raise UsageError(
                f"statistic gives the shape {values.shape} for sums of {sums.shape[1:]} rows: give one value per row"
            )
        return values if np.isfinite(values).all() else np.where(np.isfinite(values), values, np.nan)

    def difference(sums: Floats, tested: IntArray) -> Floats:
        middle = half[:, tested, None]
        return scores(middle + sums) - scores(middle - sums)

    observed = scores(first.sum(axis=2)), scores(second.sum(axis=2))
    n = present.sum(axis=1)
    differences = np.where(n > 0, observed[0] - observed[1], np.nan)
    tie = TIE * np.maximum(np.abs(observed[0]), np.abs(observed[1]))
    by_run = parts / 2 if present.all() else None
    swaps = QuerySwaps((first - second) / 2, difference, differences, tie, alternative, rows, by_run)
    return Resampling(resamples, resolution, seed).result(swaps, differences, n)


def possible_pvalues(
    defined: ArrayLike, pairs: ArrayLike, *, alternative: Alternative = "two-sided"
) -> PossiblePvalues:
    """The smallest p-values that tests of these pairs could give: with n paired queries 1 / 2^n one-sided, twice it
    two-sided.

    `defined` is a mask (runs, queries), or the values or counts that the tests take, with NaN where undefined.

    >>> possible_pvalues([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]], [[0, 1]]).smallest.tolist()
    [0.25]
    """
    check_alternative(alternative)
    array = np.asarray(defined)
    if array.ndim not in (2, 3):
        raise UsageError(f"the shape must be (runs, queries) or (runs, queries, k), not {array.shape}")
    there = (array if array.dtype == np.bool_ else ~np.isnan(array.astype(np.float64))).astype(np.float64)
    there = there if there.ndim == 2 else there.min(axis=2, initial=1.0)
    rows = checked_pairs(pairs, runs=len(there))
    n = np.rint((there @ there.T)[rows[:, 0], rows[:, 1]]).astype(np.int64)
    return PossiblePvalues(n, smallest_pvalues(n, alternative))


def _may_be_summed_by_run(values: Floats, rows: IntArray, largest: Floats) -> bool:
    """Whether differences of the runs' sums can replace sums of differences: nothing undefined, no digits lost."""
    if np.isnan(values[rows]).any():
        return False
    sizes = np.abs(values).sum(axis=1)
    return bool(((largest == 0) | (largest >= 0.01 * sizes[rows].max(axis=1, initial=0.0))).all())
