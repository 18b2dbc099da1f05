"""How many swaps a permutation test makes: all of them, or so many random ones that its p-value is fine enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np

from karat.model import UsageError
from karat.stats.swaps import IntArray, Swaps
from karat.stats.t_test import Alternative, FloatArray, check_alternative

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


@dataclass(frozen=True, slots=True)
class Fineness:
    """How fine the p-values are to be: see `pair_pvalues`."""

    resamples: int
    resolution: float | None
    seed: int

    def result(
        self,
        swaps: Swaps,
        differences: FloatArray,
        n: IntArray,
        *,
        bound: Callable[..., FloatArray] | None = None,
    ) -> PermutationResult:
        """`bound` takes the changes by query of some pairs and gives what their p-values cannot exceed."""
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
            found = swaps.random(part, resamples=self.resamples, finest=most, seed=self.seed)
            p[part] = found.p
            if most < finest:
                p[part[found.rough]] = swaps.exact(part[found.rough])
        smallest = np.where(n <= _exponent(finest), possible, 1 / (1 + finest))
        return PermutationResult(p, differences, n, np.where(n > 0, smallest, np.nan))

    def _finest(self, possible: float) -> int:
        """The most resamples of a pair: no more than were asked for where no p can reach the resolution."""
        if self.resolution is None or possible > self.resolution:
            return self.resamples
        return max(self.resamples, min(MOST_RESAMPLES, ceil(4 / self.resolution)))

    def _check(self, alternative: Alternative) -> None:
        check_alternative(alternative)
        if self.resamples < 1:
            raise UsageError(f"resamples {self.resamples} is not 1 or more")
        if self.resolution is not None and not 0 < self.resolution < 1:
            raise UsageError(f"resolution {self.resolution} is not between 0 and 1")


def smallest_pvalues(n: IntArray, alternative: Alternative) -> FloatArray:
    """1 / 2^n one-sided, twice it two-sided: n queries have 2^n swaps. NaN without queries."""
    sides = 1 if alternative == "two-sided" else 0
    return np.where(n > 0, np.minimum(1.0, np.exp2(sides - np.maximum(n, 1.0))), np.nan)


def _exponent(number: int) -> int:
    """The largest k with 2^k <= number."""
    return number.bit_length() - 1
