"""Which of many pairs of runs differ, decided at once: a resampled maximum of t-like statistics (max-T).

The chance of even one false difference is held at the level whatever runs truly differ (strong control), and the
dependence between pairs that share a run, or a hard query, is used instead of being paid for as Holm's correction does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.intervals.bootstrap import resample_weights
from karat.stats.significance.added_variance import Covariance, SharedErrors, pair_variances
from karat.stats.significance.t_test import ROUNDING, Alternative, check_alternative, paired_differences

OWN_SHARE = 1 / 3
"""How much of a pair's variance is its own; the rest is the mean over the pairs of the family. See `max_t`."""
LEAST_QUERIES = 10
"""Pairs with fewer common queries are not tested: with 8 a lone pair of skewed runs gives .064 false alarms."""
RESAMPLES = 5000
"""More than for an interval of one score: near the level the number of separated pairs depends on them."""
CELLS_AT_ONCE = 1_000_000
"""Bounds the memory: so many resampled statistics are held at a time."""
TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class MaxT:
    """One entry a pair of runs. Where `tested` is False the pair was not tested: p and limits are NaN, which never
    means that the two runs are equal."""

    tested: NDArray[np.bool_]
    p: Floats
    """Step-down adjusted p-values: to be compared with the level itself."""
    p_single_step: Floats
    """Of the same test in a single step, never smaller: at most 1 - confidence where the interval excludes 0."""
    low: Floats
    high: Floats
    """Simultaneous limits of the differences; an end that the alternative does not ask for is infinite."""
    differences: Floats
    """The mean of the first run minus that of the second, over the queries where both are defined."""
    n: NDArray[np.int64]
    """How many queries those are."""
    statistics: Floats
    errors: Floats
    """Of the differences, as the statistics use them: statistic = difference / error."""
    critical: float
    """What a statistic must exceed in the single-step test; limits are difference -+ critical * error."""
    confidence: float


def max_t(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    least: int = LEAST_QUERIES,
    resamples: int = RESAMPLES,
    seed: int = 0,
    covariance: Covariance | None = None,
) -> MaxT:
    """Tests of a family of pairs by the bootstrap distribution of their largest statistic (Romano and Wolf 2005).

    `values` has the shape (runs, queries), NaN undefined; `pairs` holds two row numbers for each pair: all pairs, or
    all runs against one baseline. With d the n differences of a pair, m and v their mean and variance,

        t = m / error,   error^2 = (v / 3 + 2 pool / 3) / n,   pool = the mean of v over the pairs (weighted by n).

    Queries are drawn with replacement, the same for all pairs, from d - m (so that no pair differs); m, v and pool are
    taken anew in each resample. Single step: p = (1 + resamples whose largest |t*| of all pairs reaches |t|) /
    (1 + resamples). Step-down (Romano and Wolf 2005, "Exact and approximate stepdown methods"): from the largest |t|
    down, the maximum is over the pairs not yet passed; p never falls on the way. "less" and "greater" take t with its
    sign: "less" asks whether the first run is lower than the second.

    Why a third: with w the pair's own share of the variance, the skewness of t is (1 - 3 w) times that of m, to first
    order. Runs of unequal skew therefore raise the false alarms of tests with w = 1 (Student's t, and the permutation
    of signs, which is the same test). With w = 0 (Tukey's test) and labels of runs that are permuted within queries,
    runs of unequal variance raise them. At 1/3 the skewness cancels, each pair keeps its own variance in the resamples,
    and the pool steadies the errors of few queries, which is where the power comes from. A lone pair has only its own
    variance: that is the bootstrap-t, and a lone pair of very skewed runs can still deceive it.

    Simultaneous limits: m -+ c error, with c the single-step critical value. They exclude 0 exactly where
    `p_single_step` <= 1 - confidence. The step-down test may separate a few pairs more, whose intervals hold 0: it says
    that they differ and not by how much.

    `covariance` (runs, runs): that of errors of the runs' means which more queries would not reduce, such as those of a
    judge (`JudgeError.lasting`). With u = c_aa + c_bb - 2 c_ab of a pair, error^2 grows by u; in every resample the
    errors of all runs are drawn from the normal distribution with this covariance and added to the resampled means, so
    that pairs that share a run share its error. u itself is taken as known.

    Pairs with fewer than `least` common queries are untested (NaN). A family whose differences do not vary at all has
    no error: p is then that of a sign test, 2 / 2^n (1 / 2^n one-sided; 1 where the mean is 0), without limits.

    Simulated (`benchmarks/honesty/tests_of_runs.py`): where no run differs, at most .06 of the collections have any
    false difference, from 10 queries on (normal, many zeros, unequal variances, unequal skew, steps of 1/7; 2 to 20
    runs, and 45 runs within a simulation error of .02). One-sided tests of a lone pair whose differences have skewness
    1.4: up to .08.

    >>> values = [[0.1 * q + 0.01 * (q % 3) for q in range(10)], [0.1 * q - 0.2 for q in range(10)]]
    >>> found = max_t(values, [[0, 1]])
    >>> bool(found.p[0] <= 0.05), bool(found.low[0] > 0)
    (True, True)
    """
    check_alternative(alternative)
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    if least < 2:
        raise UsageError(f"least {least}: a pair needs at least 2 queries")
    paired = paired_differences(values, pairs)
    family = _Family.of(paired.by_query, paired.sizes, paired.n >= least)
    if covariance is not None:
        family = family.with_shared_errors(covariance, pairs, resamples=resamples, seed=seed)
    rows, count = family.rows, len(paired.n)
    ends = np.full((2, count), nan)
    p, p_single, statistics, errors = (np.full(count, nan) for _ in range(4))
    critical = nan
    if family.pool > 0 or family.added.any():
        weights = resample_weights(paired.by_query.shape[1], resamples=resamples, seed=seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.nan_to_num(family.means / family.errors, nan=0.0, posinf=inf, neginf=-inf)
        statistics[rows], errors[rows] = t, family.errors
        p[rows], p_single[rows], largest = _compared(family, t, weights, alternative)
        at = int(np.ceil(confidence * (resamples + 1) - TIE)) - 1
        critical = float(np.sort(largest)[at]) if at < resamples else inf
        reach = critical * family.errors
        ends[0, rows] = family.means - reach if alternative != "less" else -inf
        ends[1, rows] = family.means + reach if alternative != "greater" else inf
    elif len(rows):
        p[rows] = p_single[rows] = _of_signs(family, alternative)
        statistics[rows] = np.where(family.means == 0, 0.0, np.copysign(inf, family.means))
        errors[rows] = 0.0
    tested = np.zeros(count, dtype=bool)
    tested[rows] = True
    return MaxT(tested, p, p_single, ends[0], ends[1], paired.means, paired.n, statistics, errors, critical, confidence)


@dataclass(frozen=True, slots=True)
class _Family:
    """The tested pairs of a family: centred differences and what their statistics need."""

    rows: NDArray[np.int64]
    """Where they stand among the pairs that were asked for."""
    means: Floats
    centred: Floats
    """(pairs, queries): the differences less their mean, 0 where undefined."""
    present: Floats | None
    """1 where a difference is defined, else 0; None where all are."""
    n: NDArray[np.int64]
    pool: float
    errors: Floats
    added: Floats
    """The variance of each difference by errors that all queries share; 0 where there are none."""
    shared: Floats | None = None
    """(runs, resamples): such errors of the runs, as they were drawn."""
    runs: NDArray[np.int64] | None = None
    """The two runs of each pair."""

    @classmethod
    def of(cls, by_query: Floats, sizes: Floats, enough: NDArray[np.bool_]) -> _Family:
        rows = np.flatnonzero(enough)
        d = by_query[rows]
        there = ~np.isnan(d)
        n = there.sum(axis=1)
        means = np.where(there, d, 0.0).sum(axis=1) / np.maximum(n, 1)
        centred = np.where(there, d - means[:, None], 0.0)
        # The mean carries the rounding of values that may be far larger than their differences.
        centred[np.max(np.abs(centred), axis=1, initial=0.0) <= ROUNDING * sizes[rows]] = 0.0
        squares = (centred**2).sum(axis=1)
        pool = float(squares.sum() / n.sum()) if len(rows) else 0.0
        errors = np.sqrt((OWN_SHARE * squares / n + (1 - OWN_SHARE) * pool) / n)
        present = None if there.all() else there.astype(np.float64)
        return cls(rows, means, centred, present, n, pool, errors, np.zeros(len(rows)))

    def with_shared_errors(self, covariance: Covariance, pairs: ArrayLike, *, resamples: int, seed: int) -> _Family:
        chosen = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)[self.rows]
        added = pair_variances(covariance, chosen)
        if not added.any():
            return self
        if isinstance(covariance, SharedErrors):
            drawn = covariance.drawn(resamples, seed=(seed, 1))
            return replace(self, errors=np.sqrt(self.errors**2 + added), added=added, shared=drawn, runs=chosen)
        spread, axes = np.linalg.eigh(np.asarray(covariance, dtype=np.float64))
        factor = axes * np.sqrt(np.maximum(spread, 0.0))
        # Other random numbers than those that draw the queries.
        drawn = factor @ np.random.default_rng((seed, 1)).standard_normal((len(spread), resamples))
        return replace(self, errors=np.sqrt(self.errors**2 + added), added=added, shared=drawn, runs=chosen)

    def blocks(self, order: NDArray[np.int64], weights: Floats) -> Iterator[tuple[slice, Floats]]:
        """Of the pairs in this order, a block at a time, the resampled statistics (resamples, pairs)."""
        size = max(1, CELLS_AT_ONCE // len(weights))
        pool = self._pools(weights, size)
        for start in range(0, len(order), size):
            block = slice(start, start + size)
            chosen = order[block]
            means, counts = self._means(chosen, weights)
            variances = weights @ (self.centred[chosen] ** 2).T
            variances /= counts
            variances -= means**2
            np.maximum(variances, 0.0, out=variances)
            variances *= OWN_SHARE
            variances += (1 - OWN_SHARE) * pool[:, None]
            variances /= counts
            if self.shared is not None and self.runs is not None:
                variances += self.added[chosen]
                means += (self.shared[self.runs[chosen, 0]] - self.shared[self.runs[chosen, 1]]).T
            # A resample of queries that are all alike has no error; its difference, if any, is beyond all bounds.
            with np.errstate(divide="ignore", invalid="ignore"):
                t = means / np.sqrt(variances, out=variances)
            yield block, np.nan_to_num(t, copy=False, nan=0.0, posinf=inf, neginf=-inf)

    def _pools(self, weights: Floats, size: int) -> Floats:
        within, drawn = weights @ (self.centred**2).sum(axis=0), np.zeros(len(weights))
        for start in range(0, len(self.n), size):
            means, counts = self._means(np.arange(start, min(start + size, len(self.n))), weights)
            drawn += np.broadcast_to(counts, means.shape).sum(axis=1)
            means *= means
            means *= counts
            within -= means.sum(axis=1)
        floor = ROUNDING * self.pool
        pools = np.divide(within, drawn, out=np.zeros_like(within), where=drawn > 0)
        return np.where(pools > floor, pools, 0.0)

    def _means(self, chosen: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats]:
        """Resampled means, and how many queries each is of (1 where none was drawn: its sum is 0)."""
        sums = weights @ self.centred[chosen].T
        if self.present is None:
            counts = np.full((1, 1), float(weights.shape[1]))
        else:
            counts = np.maximum(weights @ self.present[chosen].T, 1.0)
        sums /= counts
        return sums, counts


def _compared(family: _Family, t: Floats, weights: Floats, alternative: Alternative) -> tuple[Floats, Floats, Floats]:
    """Step-down and single-step p-values, and the largest statistic of each resample."""
    turned = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative]
    observed = turned(t)
    order = np.argsort(observed, kind="stable")
    # From the smallest up, so that the maximum over the pairs not yet passed is a running one.
    largest = np.full(len(weights), -inf)
    reached = np.zeros(len(t))
    for block, resampled in family.blocks(order, weights):
        running = turned(resampled)
        running[:, 0] = np.maximum(running[:, 0], largest)
        np.maximum.accumulate(running, axis=1, out=running)
        reached[block] = (running >= _just_below(observed[order[block]])).sum(axis=0)
        largest = running[:, -1].copy()
    of_steps = np.maximum.accumulate(((1 + reached) / (1 + len(weights)))[::-1])[::-1]
    p = np.empty(len(t))
    p[order] = of_steps
    below = np.searchsorted(np.sort(largest), _just_below(observed), side="left")
    return p, (1 + len(weights) - below) / (1 + len(weights)), largest


def _just_below(statistics: Floats) -> Floats:
    """Sums in another order differ by rounding: what is so near counts as reached."""
    return np.asarray(statistics - TIE * np.abs(statistics), dtype=np.float64)


def _of_signs(family: _Family, alternative: Alternative) -> Floats:
    turned = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative](family.means)
    sides = 1 if alternative == "two-sided" else 0
    return np.where(turned > 0, np.exp2(sides - family.n.astype(np.float64)), 1.0)
