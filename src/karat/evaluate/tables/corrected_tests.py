"""Tests of pairs of runs, corrected for their number: which pairs can be tested at all, and by which test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Array
from karat.stats.significance.added_variance import (
    Covariance,
    SamplingError,
    added_variance_p,
    jackknife_errors,
    mean_errors,
    pair_variances,
)
from karat.stats.significance.holm import holm
from karat.stats.significance.max_t import LEAST_QUERIES, max_t
from karat.stats.significance.permutation import (
    PermutationResult,
    pair_pvalues,
    smallest_pvalues,
    statistic_pair_pvalues,
)
from karat.stats.significance.t_test import Alternative

ALPHA = 0.05
MOST_RUNS = 120
"""With more runs Holm's correction needs p-values so small that they take minutes to compute."""
PAIRS_AT_ONCE = 10_000
"""Bounds the memory."""
Pairs = NDArray[np.int64]


def permutation_pairs(
    table: ScoreTable,
    pairs: NDArray[np.int64],
    *,
    alternative: Alternative = "two-sided",
    seed: int,
    resolution: float | None = None,
    judge_variance: Covariance | None = None,
) -> PermutationResult:
    """Paired permutation tests of run pairs: of pooled scores where the table pools, else of means over queries.

    judge_variance: the covariance of the runs' scores (runs x runs) by errors of the judge that all queries share
    (`JudgeError.lasting`), which a permutation of queries does not see. Where a pair has some, p is the larger of the
    permutation test's and that of a t test with this variance added (`added_variance_p`).
    """
    table = of_shared_queries(table, pairs)
    if table.average == "pool":
        # A query that one of the two was not asked is left out for both.
        counts = np.where(table.skipped[..., None], np.nan, table.cube())
        tested = statistic_pair_pvalues(
            counts, table.of_sums, pairs, alternative=alternative, resolution=resolution, seed=seed
        )
    else:
        tested = pair_pvalues(table.values, pairs, alternative=alternative, resolution=resolution, seed=seed)
    if judge_variance is None:
        return tested
    variance = pair_variances(judge_variance, pairs)
    with_judge = added_variance_p(sampling_errors(table, pairs), variance, alternative=alternative)
    return replace(tested, p=np.where(variance > 0, np.fmax(tested.p, with_judge), tested.p))


def sampling_errors(table: ScoreTable, pairs: NDArray[np.int64]) -> SamplingError:
    """Differences of run pairs and their standard errors over queries."""
    if table.average != "pool":
        return mean_errors(table.values, pairs)
    cube = table.cube()
    without = table.of_sums(cube.sum(axis=1, keepdims=True) - cube)
    return jackknife_errors(table.totals(), np.where(table.skipped, np.nan, without), pairs)


@dataclass(frozen=True)
class TestablePairs:
    """Which pairs can be tested: it follows from the numbers of common queries alone, never from the values."""

    __test__ = False  # no class of tests

    n: NDArray[np.int64]
    """The common queries of each pair; 0 where one of the two has no score."""
    together: NDArray[np.bool_]
    """Tested by max-T."""
    separately: NDArray[np.bool_]
    """Tested by permutation tests with Holm's correction."""
    smallest: Array
    """The smallest p-value that a permutation test of the pair can give; NaN without a common query."""

    @classmethod
    def of(cls, table: ScoreTable, pairs: Pairs, *, alternative: Alternative) -> TestablePairs:
        """Max-T takes means over ten common queries or more, where there are two such pairs or more.

        Of the others, with m pairs tested in all, a pair can be significant only where its smallest possible p is at
        most 0.05 / m. Pairs with fewer queries are left out, and do not count in m (Tarone 1990, "A modified
        Bonferroni method for discrete data"). Where that leaves none, every pair with a common query has its p-value,
        and `powerless` says that none can be significant.
        """
        n = common_queries(table, pairs)
        smallest = smallest_pvalues(n, alternative)
        together = (n >= LEAST_QUERIES) if table.average == "query" else np.zeros(len(n), bool)
        if together.sum() < 2:
            together = np.zeros(len(n), bool)
        others = (n > 0) & ~together
        separately = np.zeros(len(n), bool)
        for least in sorted({*n[others].tolist()}):
            large = others & (n >= least)
            if smallest[large].max() <= ALPHA / (large.sum() + together.sum()):
                separately = large
                break
        if not (together | separately).any():
            separately = others
        return cls(n, together, separately, smallest)

    @property
    def count(self) -> int:
        return int((self.together | self.separately).sum())

    @property
    def decidable(self) -> NDArray[np.bool_]:
        """Which pairs can be significant, where their difference is large enough."""
        return self.together | (self.separately & (self.smallest <= ALPHA / max(1, self.count)))


def of_shared_queries(table: ScoreTable, pairs: Pairs) -> ScoreTable:
    """Without the queries that both runs of no pair have: they must not change what is drawn for the others."""
    first, second = (~table.lacks[pairs[:, side]] for side in (0, 1))
    return table.of_queries(np.flatnonzero((first & second).any(axis=0)).tolist())


def common_queries(table: ScoreTable, pairs: Pairs) -> NDArray[np.int64]:
    """On how many queries both runs of each pair have a score; of pooled scores, which both were asked."""
    if table.average == "pool":
        present = ~table.skipped & ~np.isnan(table.totals())[:, None]
    else:
        present = ~np.isnan(table.values)
    common = np.zeros(len(pairs), np.int64)
    # Pair by pair and not for all runs with all: against a baseline, pairs are as many as runs.
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        first, second = pairs[start : start + PAIRS_AT_ONCE].T
        common[start : start + PAIRS_AT_ONCE] = (present[first] & present[second]).sum(axis=1)
    return common


@dataclass(frozen=True)
class CorrectedPairs:
    """Tests of run pairs: each by itself, and corrected for their number."""

    single: PermutationResult | None
    """None where not every pair was tested by itself."""
    adjusted: Array
    """NaN: the pair was not tested."""
    differences: Array
    """The first run's score minus the second's, over their common queries."""
    test: str
    """The name of the corrected test."""
    low: Array
    """low, high: limits of the differences for all pairs together; NaN where the test has none."""
    high: Array


def corrected_pairs(
    table: ScoreTable,
    pairs: Pairs,
    *,
    alternative: Alternative = "two-sided",
    seed: int,
    judge_variance: Covariance | None = None,
    limit_variance: Covariance | None = None,
) -> CorrectedPairs:
    """Test run pairs so that the chance of any false difference among them is at most 0.05.

    Means over ten common queries or more are tested together by the max-T test (`max_t`), where there are several such
    pairs. Everything else (a lone pair, few queries, pooled scores) has permutation tests with Holm's correction. Where
    there are k pairs of the one kind and s of the other, the level is divided by their numbers (Bonferroni): p of
    max-T is multiplied by (k + s) / k, p of Holm by (k + s) / s, and limits are at 1 - 0.05 k / (k + s). Pairs that
    cannot be significant are not tested (`TestablePairs`). judge_variance: see `permutation_pairs`; it is part of the
    max-T statistics. limit_variance: the same for the limits, where runs do differ; it is never smaller.
    """
    judged = "" if judge_variance is None else "-judge"
    which = TestablePairs.of(table, pairs, alternative=alternative)
    adjusted, differences, low, high = (np.full(len(pairs), np.nan) for _ in range(4))
    tests, single = [], None
    if which.together.any():
        share = which.together.sum() / which.count
        wide = pairs[which.together]
        found = max_t(
            of_shared_queries(table, wide).values, wide, alternative=alternative, confidence=1 - ALPHA * share,
            seed=seed, covariance=judge_variance,
        )  # fmt: skip
        adjusted[which.together] = np.minimum(1.0, found.p / share)
        differences[which.together] = found.differences
        low[which.together], high[which.together] = found.low, found.high
        if judge_variance is not None and limit_variance is not None:
            more = pair_variances(limit_variance, wide) - pair_variances(judge_variance, wide)
            reach = found.critical * np.sqrt(np.maximum(more, 0.0))
            low[which.together] = found.differences - np.hypot(found.differences - found.low, reach)
            high[which.together] = found.differences + np.hypot(found.high - found.differences, reach)
        tests.append(f"max-t{judged}")
    if which.separately.any():
        share = which.separately.sum() / which.count
        single = permutation_pairs(
            table, pairs[which.separately], alternative=alternative, seed=seed, resolution=ALPHA / which.count,
            judge_variance=judge_variance,
        )  # fmt: skip
        adjusted[which.separately] = np.minimum(1.0, holm(single.p) / share)
        differences[which.separately] = single.differences
        tests.append(f"permutation{judged}-holm")
    whole = single if which.separately.all() else None
    return CorrectedPairs(whole, adjusted, differences, "+".join(tests) or "none", low, high)


def powerless(table: ScoreTable, pairs: Pairs, *, alternative: Alternative = "two-sided") -> str | None:
    """The reason, as a sentence, where no difference could be significant after the correction; otherwise None."""
    which = TestablePairs.of(table, pairs, alternative=alternative)
    queries = int(which.n.max(initial=0))
    if not queries:
        return "no two runs have a query in common"
    if which.decidable.any():
        return None
    count, sides = which.count, 2 if alternative == "two-sided" else 1
    needed = 1
    while sides / 2**needed > ALPHA / count:
        needed += 1
    if table.average == "query" and count > 1:
        # From here on the pairs are tested together.
        needed = min(needed, LEAST_QUERIES)
    return (
        f"with {queries} quer{'y' if queries == 1 else 'ies'} no difference, however large, "
        f"is significant ({count} pair{'s' * (count != 1)} of runs need{'s' * (count == 1)} at least {needed} queries)"
    )
