"""The six coefficients of two vectors: the rank correlations, Pearson's r and the root mean square error.

The first vector is the reference (the official scores), the second the estimate that is compared with it; the order
matters only for tau-AP. A pair with a NaN is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from karat.stats.arrays import Floats, Ints
from karat.stats.correlation.rank_pairs import PairCounts, counts_of_resamples, counts_of_vectors
from karat.stats.correlation.ranks import rank_coefficients
from karat.stats.correlation.record import COEFFICIENTS


def coefficients_of_resamples(x: Floats, y: Floats, *, groups: Ints, weights: Floats) -> dict[str, Floats]:
    """Every coefficient in each resample b, where group g of the points is taken weights[g, b] times.

    NaN where it is undefined.
    """
    if not len(x):
        return {name: np.full(weights.shape[1], np.nan) for name in COEFFICIENTS}
    ranked = _ranked(counts_of_resamples(x, y, groups=groups, weights=weights))
    return _with_moments(ranked, x[:, None], y[:, None], weights[groups])


def coefficients_of_vectors(x: Floats, y: Floats) -> dict[str, Floats]:
    """Every coefficient of many pairs of vectors, both of shape (vectors, points); NaN means that there is no point."""
    if not x.size:
        return {name: np.full(len(x), np.nan) for name in COEFFICIENTS}
    ranked = _ranked(counts_of_vectors(x, y))
    there = ~(np.isnan(x) | np.isnan(y))
    return _with_moments(ranked, np.where(there, x, 0).T, np.where(there, y, 0).T, there.T.astype(np.float64))


def _ranked(counts: Iterable[PairCounts]) -> dict[str, Floats]:
    parts = [rank_coefficients(part) for part in counts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _with_moments(ranked: dict[str, Floats], x: Floats, y: Floats, copies: Floats) -> dict[str, Floats]:
    # Sums of squares may miss, by rounding, that a vector is constant; ranks show it exactly.
    linear = np.where(np.isnan(ranked["kendall_tau_b"]), np.nan, _pearson(x, y, copies))
    return ranked | {"pearson": linear, "rmse": _rmse(x, y, copies)}


def _pearson(x: Floats, y: Floats, copies: Floats) -> Floats:
    """Pearson's r in each column: sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)² sum (y - mean y)²).

    Each point (row) is taken `copies` times; x and y have one column per resample, or one for all of them.
    """
    x, y = _standardised(x, copies), _standardised(y, copies)
    total = np.maximum(copies.sum(axis=0), 1)
    sum_x, sum_y = _sum(x, copies), _sum(y, copies)
    product = _sum(x * y, copies) - sum_x * sum_y / total
    square_x, square_y = _sum(x * x, copies) - sum_x**2 / total, _sum(y * y, copies) - sum_y**2 / total
    norm = np.sqrt(np.maximum(square_x, 0) * np.maximum(square_y, 0))
    ratio = np.divide(product, norm, out=np.full(norm.shape, np.nan), where=norm > 0)
    return np.asarray(np.clip(ratio, -1, 1), dtype=np.float64)


def _standardised(values: Floats, copies: Floats) -> Floats:
    """Deviations from the mean, divided by the largest of them, so that sums of squares keep their digits."""
    # Where there is one column of values, the first resample takes every point once.
    times = copies[:, : values.shape[1]]
    values = values / max(float(np.abs(values).max(initial=0)), np.finfo(float).tiny)
    values = values - _sum(values, times) / np.maximum(times.sum(axis=0), 1)
    return np.asarray(values / max(float(np.abs(values).max(initial=0)), np.finfo(float).tiny), dtype=np.float64)


def _rmse(x: Floats, y: Floats, copies: Floats) -> Floats:
    """The root mean square error sqrt(mean (x - y)²): 0 where the vectors are equal, on the scale of the scores."""
    errors = x - y
    # Squares of very large or small errors would leave the range of floats.
    scale = max(float(np.abs(errors).max(initial=0)), np.finfo(float).tiny)
    total, squares = copies.sum(axis=0), _sum((errors / scale) ** 2, copies)
    mean = np.divide(squares, total, out=np.full(total.shape, np.nan), where=total > 0)
    return np.asarray(scale * np.sqrt(mean), dtype=np.float64)


def _sum(values: Floats, copies: Floats) -> Floats:
    return np.asarray(np.einsum("nb,nb->b", np.broadcast_to(values, copies.shape), copies), dtype=np.float64)
