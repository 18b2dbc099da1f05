"""Tests of differences whose values are not exact: the variance of their own error is added to that over queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.significance.t_test import Alternative, check_alternative, checked_pairs, paired_differences


@dataclass(frozen=True, slots=True)
class SamplingError:
    """One entry per pair of runs: the difference, and its standard error over queries; NaN below two queries."""

    differences: Floats
    errors: Floats
    n: NDArray[np.int64]


def mean_errors(values: ArrayLike, pairs: ArrayLike) -> SamplingError:
    """Of means over queries, on the queries where both runs are defined: sd(d) / sqrt(n)."""
    paired = paired_differences(values, pairs)
    present = ~np.isnan(paired.by_query)
    squares = np.where(present, paired.by_query - paired.means[:, None], 0.0) ** 2
    variance = squares.sum(axis=1) / np.maximum(paired.n - 1, 1) / np.maximum(paired.n, 1)
    return SamplingError(paired.means, np.where(paired.n > 1, np.sqrt(variance), np.nan), paired.n)


def jackknife_errors(totals: ArrayLike, without: ArrayLike, pairs: ArrayLike) -> SamplingError:
    """Of any score over all queries, by the jackknife: se^2 = (n - 1) / n sum (d_i - mean d)^2.

    `totals`: the score of each run; `without` (runs, queries): the same without that query, NaN where the run does not
    have the query.
    """
    scores, left_out = np.asarray(totals, float), np.asarray(without, float)
    rows = checked_pairs(pairs, runs=len(scores))
    by_query = left_out[rows[:, 0]] - left_out[rows[:, 1]]
    present = ~np.isnan(by_query)
    n = present.sum(axis=1)
    mean = np.where(present, by_query, 0.0).sum(axis=1) / np.maximum(n, 1)
    squares = (np.where(present, by_query - mean[:, None], 0.0) ** 2).sum(axis=1)
    errors = np.where(n > 1, np.sqrt(squares * (n - 1) / np.maximum(n, 1)), np.nan)
    return SamplingError(scores[rows[:, 0]] - scores[rows[:, 1]], errors, n)


@dataclass(frozen=True, slots=True, eq=False)
class SharedErrors:
    """Errors of very many runs, whose covariance (runs, runs) would be too large: S S' + diag(own^2)."""

    slopes: Floats
    """S (runs, effects): how far each run's score moves with one standard deviation of an effect that runs share."""
    own: Floats
    """The standard deviation of each run's own error."""

    def of_rows(self, rows: Sequence[int]) -> SharedErrors:
        return SharedErrors(self.slopes[rows], self.own[rows])

    def drawn(self, draws: int, *, seed: int | tuple[int, ...]) -> Floats:
        """Such errors (runs, draws)."""
        draw = np.random.default_rng(seed)
        errors = self.slopes @ draw.standard_normal((self.slopes.shape[1], draws))
        for row, own in enumerate(self.own.tolist()):
            errors[row] += own * draw.standard_normal(draws)
        return errors


Covariance = ArrayLike | SharedErrors
"""The covariance of errors of the runs: a matrix, or what it is made of."""


def pair_variances(covariance: Covariance, pairs: ArrayLike) -> Floats:
    """The variance of each pair's difference from the covariance (runs, runs): c_aa + c_bb - 2 c_ab."""
    if isinstance(covariance, SharedErrors):
        of_runs = checked_pairs(pairs, runs=len(covariance.own))
        apart = covariance.slopes[of_runs[:, 0]] - covariance.slopes[of_runs[:, 1]]
        own: Floats = (covariance.own[of_runs] ** 2).sum(axis=1)
        return np.asarray((apart**2).sum(axis=1) + own, dtype=np.float64)
    matrix = np.asarray(covariance, float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"a covariance has the shape (runs, runs), not {matrix.shape}")
    rows = checked_pairs(pairs, runs=len(matrix))
    first, second = rows[:, 0], rows[:, 1]
    variance = matrix[first, first] + matrix[second, second] - matrix[first, second] - matrix[second, first]
    return np.asarray(np.maximum(variance, 0.0), dtype=np.float64)


def added_variance_p(
    sampling: SamplingError, variance: ArrayLike, *, alternative: Alternative = "two-sided", freedom: float = inf
) -> Floats:
    """p-values of t = d / sqrt(se^2 + v), v being the variance of the values' own error in each difference.

    The degrees of freedom are those of Welch and Satterthwaite: (se^2 + v)^2 / (se^4 / (n - 1) + v^2 / freedom), where
    `freedom` is that of v. "less" asks whether the first run is lower. NaN below two paired queries; 1 where nothing
    differs and nothing varies.

    >>> exact = mean_errors([[0.9, 0.5, 0.7], [0.4, 0.2, 0.3]], [[0, 1]])
    >>> [float(added_variance_p(exact, [v])[0].round(3)) for v in (0.0, 0.04)]
    [0.02, 0.056]
    """
    from scipy.special import stdtr

    check_alternative(alternative)
    added = np.asarray(variance, float)
    d, own, n = sampling.differences, sampling.errors**2, sampling.n
    whole = own + added
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(whole > 0, d / np.sqrt(whole), np.where(d == 0, 0.0, np.copysign(inf, d)))
        degrees = whole**2 / (own**2 / np.maximum(n - 1, 1) + added**2 / freedom)
    # Where nothing varies over queries, and the other variance is known, the normal distribution is left.
    degrees = np.where(np.isfinite(degrees), np.maximum(degrees, 1.0), 1e9)
    lower = stdtr(degrees, -np.abs(t) if alternative == "two-sided" else t if alternative == "less" else -t)
    p = 2 * lower if alternative == "two-sided" else lower
    return np.asarray(np.where(n > 1, p, np.nan), dtype=np.float64)
