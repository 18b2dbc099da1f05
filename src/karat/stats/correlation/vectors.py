"""Correlations of two vectors of scores, each with its interval.

The first vector is the reference (the official scores), the second the estimate that is held against it; only tau-AP
makes a difference between them. A pair with a NaN is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from karat.stats.correlation.earlier_smaller import Floats, Ints
from karat.stats.correlation.intervals import (
    bootstrap_interval,
    check_interval_options,
    fisher_interval,
    resampling_columns,
    scale_of,
)
from karat.stats.correlation.rank_pairs import PairCounts, counts_of_resamples, counts_of_vectors
from karat.stats.correlation.ranks import rank_coefficients
from karat.stats.correlation.record import (
    COEFFICIENTS,
    Correlation,
    paired_points,
    point_coefficient,
    undefined_reason,
)
from karat.stats.intervals.bootstrap import Side


def pearson(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """Pearson's r: sum (a - mean a)(b - mean b) / sqrt(sum (a - mean a)² sum (b - mean b)²).

    >>> round(pearson([1, 2, 3], [1, 3, 2]).value, 6)
    0.5
    >>> pearson([1, 2, 3], [2, 2, 2]).undefined_reason
    'the second vector is constant'
    """
    points = paired_points(a, b)
    value = np.nan
    if undefined_reason("pearson", points.x, points.y) is None:
        value = _pearson(points.x[:, None], points.y[:, None], np.ones((len(points.x), 1)))[0]
    return point_coefficient("pearson", points, value)


def rmse(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """The root mean square error sqrt(mean (a - b)²): 0 where the vectors are the same, on the scale of the scores.

    >>> rmse([0.0, 0.0], [3.0, 4.0]).value == (25 / 2) ** 0.5
    True
    """
    points = paired_points(a, b)
    value = _rmse(points.x[:, None], points.y[:, None], np.ones((len(points.x), 1)))[0]
    return point_coefficient("rmse", points, value)


def correlate(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    side: Side = "both",
    method: str = "centred",
    pearson: str = "fisher",
) -> tuple[Correlation, ...]:
    """All coefficients of two vectors, in the order of COEFFICIENTS, with intervals by resampling the points.

    `a` is the reference of tau-AP, `b` the estimate. Points are drawn with replacement, both values together; `method`
    is "centred" or "percentile" (see `bootstrap_interval`). Pearson's interval is Fisher's unless
    `pearson="bootstrap"`. `side="low"` gives the lower bound alone, at the full confidence, with the end of the scale
    as the other end. The points must be independent: cells of a score matrix are not, and `correlate_scores` is for
    them.
    """
    check_interval_options(confidence=confidence, side=side, resamples=resamples, method=method, pearson=pearson)
    points = paired_points(a, b)
    n = len(points.x)
    weights = resampling_columns(n, resamples=resamples, seed=seed)
    columns = coefficients_of_resamples(points.x, points.y, groups=np.arange(n), weights=weights)
    return tuple(
        with_interval(
            point_coefficient(name, points, columns[name][0]),
            columns[name],
            groups=n,
            confidence=confidence,
            side=side,
            method="fisher" if name == "pearson" and pearson == "fisher" else method,
        )
        for name in COEFFICIENTS
    )


def with_interval(
    found: Correlation, columns: Floats, *, groups: int, confidence: float, side: Side, method: str
) -> Correlation:
    """The record with its interval, or with the reason why there is none."""
    if found.value is None:
        return replace(found, no_interval_reason="the value is undefined")
    if method == "fisher":
        interval = fisher_interval(found.value, n=found.n, confidence=confidence, side=side)
        reason = "Fisher's interval needs four points"
    elif groups < 2:
        interval, reason = None, "one of a kind says nothing about others"
    else:
        interval = bootstrap_interval(
            columns,
            method=method,
            confidence=confidence,
            side=side,
            ends=scale_of(found.name),
        )
        reason = "it is undefined in most resamples"
    if interval is None:
        return replace(found, no_interval_reason=reason)
    return replace(found, low=interval.low, high=interval.high, interval=method)


def coefficients_of_resamples(x: Floats, y: Floats, *, groups: Ints, weights: Floats) -> dict[str, Floats]:
    """Every coefficient where group g of the points is taken weights[g, b] times; NaN where it is undefined."""
    if not len(x):
        return {name: np.full(weights.shape[1], np.nan) for name in COEFFICIENTS}
    ranked = _ranked(counts_of_resamples(x, y, groups=groups, weights=weights))
    return _with_moments(ranked, x[:, None], y[:, None], weights[groups])


def coefficients_of_vectors(x: Floats, y: Floats) -> dict[str, Floats]:
    """Every coefficient of each of many pairs of vectors, (vectors, points) each; NaN is no point."""
    if not x.size:
        return {name: np.full(len(x), np.nan) for name in COEFFICIENTS}
    ranked = _ranked(counts_of_vectors(x, y))
    there = ~(np.isnan(x) | np.isnan(y))
    return _with_moments(ranked, np.where(there, x, 0).T, np.where(there, y, 0).T, there.T.astype(np.float64))


def _ranked(counts: Iterable[PairCounts]) -> dict[str, Floats]:
    parts = [rank_coefficients(part) for part in counts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _with_moments(ranked: dict[str, Floats], x: Floats, y: Floats, copies: Floats) -> dict[str, Floats]:
    # Rounding can hide from sums of squares that a vector is constant; ranks know it exactly.
    linear = np.where(np.isnan(ranked["kendall_tau_b"]), np.nan, _pearson(x, y, copies))
    return ranked | {"pearson": linear, "rmse": _rmse(x, y, copies)}


def _pearson(x: Floats, y: Floats, copies: Floats) -> Floats:
    """In each column, of points (rows) taken `copies` times; one column of values serves all."""
    x, y = _standing(x, copies), _standing(y, copies)
    total = np.maximum(copies.sum(axis=0), 1)
    sum_x, sum_y = _sum(x, copies), _sum(y, copies)
    product = _sum(x * y, copies) - sum_x * sum_y / total
    square_x, square_y = _sum(x * x, copies) - sum_x**2 / total, _sum(y * y, copies) - sum_y**2 / total
    norm = np.sqrt(np.maximum(square_x, 0) * np.maximum(square_y, 0))
    found = np.divide(product, norm, out=np.full(norm.shape, np.nan), where=norm > 0)
    return np.asarray(np.clip(found, -1, 1), dtype=np.float64)


def _standing(values: Floats, copies: Floats) -> Floats:
    """The values as deviations from their mean, the largest of them 1, so that sums of squares keep their digits."""
    # One column of values belongs to the first of the resamples, which takes every point once.
    own = copies[:, : values.shape[1]]
    values = values / max(float(np.abs(values).max(initial=0)), np.finfo(float).tiny)
    values = values - _sum(values, own) / np.maximum(own.sum(axis=0), 1)
    return np.asarray(values / max(float(np.abs(values).max(initial=0)), np.finfo(float).tiny), dtype=np.float64)


def _rmse(x: Floats, y: Floats, copies: Floats) -> Floats:
    errors = x - y
    # Squares of very large or small errors would leave the range of floats.
    scale = max(float(np.abs(errors).max(initial=0)), np.finfo(float).tiny)
    total, squares = copies.sum(axis=0), _sum((errors / scale) ** 2, copies)
    mean = np.divide(squares, total, out=np.full(total.shape, np.nan), where=total > 0)
    return np.asarray(scale * np.sqrt(mean), dtype=np.float64)


def _sum(values: Floats, copies: Floats) -> Floats:
    return np.asarray(np.einsum("nb,nb->b", np.broadcast_to(values, copies.shape), copies), dtype=np.float64)
