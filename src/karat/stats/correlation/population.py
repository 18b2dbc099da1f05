"""Correlations of runs with infinitely many queries: what is left of two score matrices without the noise of queries.

The mean of a run over few queries is its true mean and noise. Noise in either matrix lowers the correlation of the
means (Spearman 1904), and an interval by resampled queries (`correlate_scores`) is one of that lower value: of what
another set of as many queries would give. Here the target is the correlation of the true means of the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, score_matrix
from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.intervals import check_interval_options, scale_of, side_of
from karat.stats.correlation.record import ALL_QUERIES, COEFFICIENTS, Correlation
from karat.stats.intervals.bootstrap import Side

FEWEST_RUNS, FEWEST_QUERIES = 4, 3
ONE_SCORING = 1e-12
SAME_SCORES = "both sides are the same scores (or the same on another scale), with the same errors"
TOO_FEW = f"fewer than {FEWEST_RUNS} runs or {FEWEST_QUERIES} queries have both values"


def population_correlations(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    side: Side = "both",
) -> tuple[Correlation, ...]:
    """All coefficients of the true run means of two score matrices (runs, queries), in the order of COEFFICIENTS.

    Both scores of a run and query are (run + query + error) with errors that are normal and may go together; so are
    the runs. The mean squares of runs, S, and of errors, E / Q, are covariance matrices of two; the true means of run r
    are, given its observed means m,

        normal with the mean m0 + B (m - m0) and the covariance (I - B) T,   T = S - E / Q, B = T (T + E / Q)^-1,

    m0 the mean of all runs. S and E are drawn from their posteriors (inverse Wishart), then the true means of all runs,
    and from these each coefficient; `value` is the mean and `low`, `high` are quantiles of `draws` such coefficients.
    For the error of Pearson's r this is Spearman's correction by both reliabilities, with its uncertainty and without
    values beyond 1. rmse also has the noise of the mean difference between the two matrices.

    Of 95 % intervals 88 to 97 % held the coefficient of the true means (10 to 40 runs, 5 to 50 queries, normal and
    skewed errors); 80 to 96 % where the runs fall into two clusters, because these are not normal, with tau-AP and tau
    lowest. Intervals over resampled queries, which have another target, held it in 30 to 91 % (rmse: 8 to 58 %). The
    value of tau and tau-AP is up to 0.13 too high, with few queries that of r up to 0.13 too low: see
    benchmarks/honesty/intervals.py, and take the interval, not the value.

    `side="low"` gives "at least so good" at the full confidence: a lower limit of a correlation, an upper limit of
    rmse. A cell that is NaN in either is left out of both. n counts runs.
    """
    x, y = score_matrix(a), score_matrix(b)
    if x.shape != y.shape:
        raise UsageError(f"the score matrices have different shapes, {x.shape} and {y.shape}")
    check_interval_options(confidence=confidence, side=side, resamples=draws)
    missing = np.isnan(x) | np.isnan(y)
    kept = np.ix_(~missing.all(axis=1), ~missing.all(axis=0))
    left_out = int(missing.sum())
    x, y = np.where(missing, np.nan, x)[kept], np.where(missing, np.nan, y)[kept]
    runs, queries = x.shape
    if runs < FEWEST_RUNS or queries < FEWEST_QUERIES:
        return tuple(
            Correlation(name=name, value=None, n=runs, left_out=left_out, undefined_reason=TOO_FEW,
                        no_interval_reason=TOO_FEW) for name in COEFFICIENTS
        )  # fmt: skip
    if _is_one_scoring(x, y):
        return _of_one_scoring(x, y, left_out=left_out)
    true = _true_means(_fitted(x, y), draws=draws, rng=np.random.default_rng(seed))
    found = coefficients_of_vectors(true[:, :, 0], true[:, :, 1])
    return tuple(
        _with_quantiles(name, found[name], n=runs, left_out=left_out, confidence=confidence, side=side)
        for name in COEFFICIENTS
    )


def _is_one_scoring(x: Floats, y: Floats) -> bool:
    """Whether one side is the other one, perhaps on another scale: then there are no errors of two scorings to draw."""
    given = ~np.isnan(x)
    left, right = x[given] - x[given].mean(), y[given] - y[given].mean()
    squares = float(left @ left) * float(right @ right)
    return squares > 0 and 1 - float(left @ right) ** 2 / squares < ONE_SCORING


def _of_one_scoring(x: Floats, y: Floats, *, left_out: int) -> tuple[Correlation, ...]:
    """The coefficients of the observed means: the true ones lie on the same line."""
    found = coefficients_of_vectors(np.nanmean(x, axis=1)[None], np.nanmean(y, axis=1)[None])
    made = []
    for name in COEFFICIENTS:
        value = float(found[name][0])
        known = not np.isnan(value)
        made.append(
            Correlation(
                name=name, value=value if known else None, n=len(x), left_out=left_out,
                undefined_reason=None if known else "the runs have the same mean", no_interval_reason=SAME_SCORES,
                target=ALL_QUERIES,
            )
        )  # fmt: skip
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Run means of both matrices, (runs, 2), and the covariances of two they are drawn with."""

    means: Floats
    cells: Floats
    """Of each run."""
    of_runs: Floats
    of_errors: Floats
    error_df: int
    shift_error: float
    """Of the mean difference between the two matrices."""


def _fitted(x: Floats, y: Floats) -> _Fitted:
    both = np.stack([x, y], axis=-1)
    given = ~np.isnan(x)
    run, query = np.zeros((len(x), 1, 2)), np.zeros((1, x.shape[1], 2))
    # Least squares of run + query, by turns; one turn is exact where no cell is missing.
    for _ in range(1 if given.all() else 60):
        query = np.nanmean(both - run, axis=0, keepdims=True)
        run = np.nanmean(both - query, axis=1, keepdims=True)
    rest = np.where(given[..., None], both - run - query, 0.0)
    means = run[:, 0] + query.mean(axis=(0, 1))
    df = max(1, int(given.sum()) - sum(x.shape) + 1)
    errors = np.einsum("rqi,rqj->ij", rest, rest) / df
    difference = query[0, :, 0] - query[0, :, 1]
    shift = float(difference.std(ddof=1)) / np.sqrt(len(difference))
    centred = means - means.mean(axis=0)
    return _Fitted(means, given.sum(axis=1).astype(float), centred.T @ centred / (len(x) - 1), errors, df, shift)


def _true_means(fitted: _Fitted, *, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, runs, 2)"""
    runs = len(fitted.means)
    total = _inverse_wishart(fitted.of_runs, runs - 1, draws, rng)
    errors = _inverse_wishart(fitted.of_errors, fitted.error_df, draws, rng)
    usual = len(fitted.cells) / (1 / fitted.cells).sum()
    of_runs = _at_least_zero(total - errors / usual)
    noise = errors[:, None] / fitted.cells[None, :, None, None]
    whole = of_runs[:, None] + noise
    shrink = of_runs[:, None] @ np.linalg.inv(whole + 1e-12 * _size(whole) * np.eye(2))
    middle = fitted.means.mean(axis=0)
    expected = middle + np.einsum("krij,rj->kri", shrink, fitted.means - middle)
    spread = _roots(_at_least_zero(of_runs[:, None] - shrink @ of_runs[:, None]))
    true = expected + np.einsum("krij,krj->kri", spread, rng.normal(size=expected.shape))
    true[:, :, 0] += fitted.shift_error * rng.normal(size=(draws, 1))
    return np.asarray(true, dtype=np.float64)


def _inverse_wishart(covariance: Floats, df: int, draws: int, rng: np.random.Generator) -> Floats:
    """Covariances that are likely given this one with so many degrees of freedom (Bartlett 1933), (draws, 2, 2)."""
    size = max(float(np.trace(covariance)), 1e-200)
    root = np.linalg.cholesky(np.linalg.inv((covariance + 1e-9 * size * np.eye(2)) * df))
    lower = np.zeros((draws, 2, 2))
    lower[:, 0, 0] = np.sqrt(rng.chisquare(df, draws))
    lower[:, 1, 0] = rng.normal(size=draws)
    lower[:, 1, 1] = np.sqrt(rng.chisquare(max(1, df - 1), draws))
    product = root @ lower
    return np.asarray(np.linalg.inv(product @ product.transpose(0, 2, 1)), dtype=np.float64)


def _at_least_zero(matrices: Floats) -> Floats:
    values, vectors = np.linalg.eigh((matrices + np.swapaxes(matrices, -1, -2)) / 2)
    return np.asarray(
        (vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2), dtype=np.float64
    )


def _roots(matrices: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :], dtype=np.float64)


def _size(matrices: Floats) -> Floats:
    traces = np.maximum(np.trace(matrices, axis1=-2, axis2=-1), 1e-200)
    return np.asarray(traces[..., None, None], dtype=np.float64)


def _with_quantiles(name: str, drawn: Floats, *, n: int, left_out: int, confidence: float, side: Side) -> Correlation:
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) < len(drawn):
        reason = "it is undefined in most draws"
        return Correlation(name=name, value=None, n=n, left_out=left_out, undefined_reason=reason)
    ends = scale_of(name)
    limit = side_of(name, side)
    tail = (1 - confidence) / (2 if side == "both" else 1)
    low, high = (float(level) for level in np.quantile(known, [tail, 1 - tail]))
    return Correlation(
        name=name, value=float(known.mean()), n=n, left_out=left_out, low=ends.low if limit == "high" else low,
        high=ends.high if limit == "low" else high, interval="population",
        target=ALL_QUERIES,
    )  # fmt: skip
