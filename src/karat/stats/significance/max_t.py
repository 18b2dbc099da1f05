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
from karat.stats.intervals.bootstrap import Resamples
from karat.stats.significance.added_variance import Covariance, SharedErrors, pair_variances
from karat.stats.significance.t_test import (
    ROUNDING,
    Alternative,
    check_alternative,
    checked_pairs,
    checked_values,
    differences_of,
)

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
    array = checked_values(values)
    chosen = checked_pairs(pairs, runs=len(array))
    differences, n, family = _family(array, chosen, least=least)
    if covariance is not None:
        family = family.with_shared_errors(covariance, resamples=resamples, seed=seed)
    rows, count = family.rows, len(chosen)
    ends = np.full((2, count), nan)
    p, p_single, statistics, errors = (np.full(count, nan) for _ in range(4))
    critical = nan
    if family.pool > 0 or family.added.any():
        drawn = Resamples(array.shape[1], resamples=resamples, seed=seed)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.nan_to_num(family.means / family.errors, nan=0.0, posinf=inf, neginf=-inf)
        statistics[rows], errors[rows] = t, family.errors
        p[rows], p_single[rows], largest = _compared(family, t, drawn, alternative)
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
    return MaxT(tested, p, p_single, ends[0], ends[1], differences, n, statistics, errors, critical, confidence)


@dataclass(frozen=True, slots=True)
class _Family:
    """The tested pairs of a family, and what their statistics need. Differences by query are made when they are used:
    those of all pairs would not fit into memory where queries are many."""

    values: Floats
    pairs: NDArray[np.int64]
    """The two runs of each tested pair."""
    rows: NDArray[np.int64]
    """Where they stand among the pairs that were asked for."""
    means: Floats
    flat: NDArray[np.bool_]
    """Pairs whose differences do not vary but for rounding."""
    has_gaps: bool
    """Whether some difference of a tested pair is undefined."""
    n: NDArray[np.int64]
    squares: Floats
    """The squared differences less their means, summed over the pairs, of each query."""
    pool: float
    errors: Floats
    added: Floats
    """The variance of each difference by errors that all queries share; 0 where there are none."""
    shared: Floats | None = None
    """(runs, resamples): such errors of the runs, as they were drawn."""

    def with_shared_errors(self, covariance: Covariance, *, resamples: int, seed: int) -> _Family:
        added = pair_variances(covariance, self.pairs)
        if not added.any():
            return self
        if isinstance(covariance, SharedErrors):
            drawn = covariance.drawn(resamples, seed=(seed, 1))
            return replace(self, errors=np.sqrt(self.errors**2 + added), added=added, shared=drawn)
        spread, axes = np.linalg.eigh(np.asarray(covariance, dtype=np.float64))
        factor = axes * np.sqrt(np.maximum(spread, 0.0))
        # Other random numbers than those that draw the queries.
        drawn = factor @ np.random.default_rng((seed, 1)).standard_normal((len(spread), resamples))
        return replace(self, errors=np.sqrt(self.errors**2 + added), added=added, shared=drawn)

    def centred(self, chosen: NDArray[np.int64]) -> tuple[Floats, Floats | None]:
        """(pairs, queries): the differences less their mean, 0 where undefined; and 1 where they are defined, else 0
        (None where all are)."""
        d = differences_of(self.values, self.pairs[chosen]).by_query
        d -= self.means[chosen, None]
        d[self.flat[chosen]] = np.where(np.isnan(d[self.flat[chosen]]), np.nan, 0.0)
        if not self.has_gaps:
            return d, None
        there = ~np.isnan(d)
        return np.where(there, d, 0.0), there.astype(np.float64)

    def blocks(self, order: NDArray[np.int64], weights: Floats, resamples: slice) -> Iterator[tuple[slice, Floats]]:
        """Of the pairs in this order, a block at a time, the statistics of these resamples (resamples, pairs)."""
        size = max(1, CELLS_AT_ONCE // max(weights.shape))
        pool = self._pools(weights, size)
        for start in range(0, len(order), size):
            block = slice(start, start + size)
            chosen = order[block]
            centred, present = self.centred(chosen)
            means, counts = _resampled_means(centred, present, weights)
            variances = weights @ (centred**2).T
            variances /= counts
            variances -= means**2
            np.maximum(variances, 0.0, out=variances)
            variances *= OWN_SHARE
            variances += (1 - OWN_SHARE) * pool[:, None]
            variances /= counts
            if self.shared is not None:
                variances += self.added[chosen]
                shared = self.shared[:, resamples]
                means += (shared[self.pairs[chosen, 0]] - shared[self.pairs[chosen, 1]]).T
            # A resample of queries that are all alike has no error; its difference, if any, is beyond all bounds.
            with np.errstate(divide="ignore", invalid="ignore"):
                t = means / np.sqrt(variances, out=variances)
            yield block, np.nan_to_num(t, copy=False, nan=0.0, posinf=inf, neginf=-inf)

    def _pools(self, weights: Floats, size: int) -> Floats:
        within, drawn = weights @ self.squares, np.zeros(len(weights))
        for start in range(0, len(self.n), size):
            chosen = np.arange(start, min(start + size, len(self.n)))
            means, counts = _resampled_means(*self.centred(chosen), weights)
            drawn += np.broadcast_to(counts, means.shape).sum(axis=1)
            means *= means
            means *= counts
            within -= means.sum(axis=1)
        floor = ROUNDING * self.pool
        pools = np.divide(within, drawn, out=np.zeros_like(within), where=drawn > 0)
        return np.where(pools > floor, pools, 0.0)


def _family(values: Floats, pairs: NDArray[np.int64], *, least: int) -> tuple[Floats, NDArray[np.int64], _Family]:
    """The mean difference and the number of queries of every pair, and those with enough queries as a family."""
    size = max(1, CELLS_AT_ONCE // max(1, values.shape[1]))
    differences, n = np.full(len(pairs), nan), np.zeros(len(pairs), np.int64)
    flat, squares = np.zeros(len(pairs), bool), np.zeros(len(pairs))
    by_query, has_gaps = np.zeros(values.shape[1]), False
    for start in range(0, len(pairs), size):
        block = slice(start, start + size)
        paired = differences_of(values, pairs[block])
        differences[block], n[block] = paired.means, paired.n
        enough = paired.n >= least
        d = paired.by_query[enough] - paired.means[enough, None]
        there = ~np.isnan(d)
        centred = np.where(there, d, 0.0)
        # The mean carries the rounding of values that may be far larger than their differences.
        is_flat = np.max(np.abs(centred), axis=1, initial=0.0) <= ROUNDING * paired.sizes[enough]
        centred[is_flat] = 0.0
        centred **= 2
        at = start + np.flatnonzero(enough)
        flat[at], squares[at] = is_flat, centred.sum(axis=1)
        by_query += centred.sum(axis=0)
        has_gaps = has_gaps or not bool(there.all())
    rows = np.flatnonzero(n >= least)
    means, number, own = differences[rows], n[rows], squares[rows]
    pool = float(own.sum() / number.sum()) if len(rows) else 0.0
    errors = np.sqrt((OWN_SHARE * own / number + (1 - OWN_SHARE) * pool) / number)
    family = _Family(
        values, pairs[rows], rows, means, flat[rows], has_gaps, number, by_query, pool, errors, np.zeros(len(rows))
    )
    return differences, n, family


def _resampled_means(centred: Floats, present: Floats | None, weights: Floats) -> tuple[Floats, Floats]:
    """Resampled means, and how many queries each is of (1 where none was drawn: its sum is 0)."""
    sums = weights @ centred.T
    if present is None:
        counts = np.full((1, 1), float(weights.shape[1]))
    else:
        counts = np.maximum(weights @ present.T, 1.0)
    sums /= counts
    return sums, counts


def _compared(family: _Family, t: Floats, drawn: Resamples, alternative: Alternative) -> tuple[Floats, Floats, Floats]:
    """Step-down and single-step p-values, and the largest statistic of each resample."""
    turned = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative]
    observed = turned(t)
    order = np.argsort(observed, kind="stable")
    reached = np.zeros(len(t))
    largest = np.full(drawn.resamples, -inf)
    start = 0
    for weights in drawn:
        resamples = slice(start, start + len(weights))
        start += len(weights)
        # From the smallest up, so that the maximum over the pairs not yet passed is a running one.
        for block, resampled in family.blocks(order, weights, resamples):
            running = turned(resampled)
            running[:, 0] = np.maximum(running[:, 0], largest[resamples])
            np.maximum.accumulate(running, axis=1, out=running)
            reached[block] += (running >= _just_below(observed[order[block]])).sum(axis=0)
            largest[resamples] = running[:, -1]
    of_steps = np.maximum.accumulate(((1 + reached) / (1 + len(largest)))[::-1])[::-1]
    p = np.empty(len(t))
    p[order] = of_steps
    below = np.searchsorted(np.sort(largest), _just_below(observed), side="left")
    return p, (1 + len(largest) - below) / (1 + len(largest)), largest


def _just_below(statistics: Floats) -> Floats:
    """Sums in another order differ by rounding: what is so near counts as reached."""
    return np.asarray(statistics - TIE * np.abs(statistics), dtype=np.float64)


def _of_signs(family: _Family, alternative: Alternative) -> Floats:
    turned = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}[alternative](family.means)
    sides = 1 if alternative == "two-sided" else 0
    return np.where(turned > 0, np.exp2(sides - family.n.astype(np.float64)), 1.0)
