"""The paired t test of many pairs of runs at once, and the paired differences that all paired tests use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats, checked_scores
from karat.stats.intervals.bca import Interval

Alternative = Literal["two-sided", "less", "greater"]
"""What the test looks for: the first run differs, is lower, or is higher."""
ROUNDING = 1e-12
"""Numbers whose difference is not more than this share of their size are equal."""


CELLS_AT_ONCE = 1_000_000
"""Bounds the memory: so many differences are held at a time."""


@dataclass(frozen=True, slots=True)
class TTestResult:
    """One entry per pair of runs."""

    p: Floats
    t: Floats
    differences: Floats
    """The mean of the first run minus that of the second, over the queries where both are defined."""
    n: NDArray[np.int64]
    """The number of these queries."""


def paired_t(values: ArrayLike, pairs: ArrayLike, *, alternative: Alternative = "two-sided") -> TTestResult:
    """Student's t test of the differences d of each pair: t = mean(d) / (sd(d) / sqrt(n)), n - 1 degrees of freedom.

    `values` has the shape (runs, queries), NaN undefined: a query counts for a pair where both runs are defined.
    `pairs` holds two row numbers for each pair. "less" asks whether the first run is lower than the second.

    Fewer than two paired queries: p and t are NaN. No difference at all: t is 0 and p is 1. Differences that are all
    equal and not zero: t is infinite, but p is NaN and not 0, because the noise, which the test needs, cannot be
    estimated from such data; the permutation test gives a p-value there.

    >>> float(paired_t([[1.0, 2.0, 4.0], [0.0, 2.0, 2.0]], [[0, 1]]).p[0].round(4))
    0.2254
    """
    from scipy.special import stdtr

    check_alternative(alternative)
    paired = paired_differences(values, pairs)
    d, n = paired.by_query, paired.n
    present = ~np.isnan(d)
    means = paired.means
    residuals = np.where(present, d - means[:, None], 0.0)
    # The mean has the rounding errors of values that may be far larger than their differences.
    equal = np.max(np.abs(residuals), axis=1, initial=0.0) <= ROUNDING * paired.sizes
    undecided = (n < 2) | equal
    errors = np.sqrt((residuals**2).sum(axis=1) / np.maximum(n - 1, 1) / np.maximum(n, 1))
    t = np.divide(means, errors, out=np.full(len(n), np.nan), where=~undecided)
    lower = stdtr(
        np.maximum(n - 1, 1), -np.abs(t) if alternative == "two-sided" else t if alternative == "less" else -t
    )
    p = np.where(undecided, np.nan, 2 * lower if alternative == "two-sided" else lower)
    flat = (n >= 2) & equal
    same = flat & (means == 0)
    t = np.where(same, 0.0, np.where(flat, np.copysign(np.inf, means), t))
    return TTestResult(p=np.where(same, 1.0, p), t=t, differences=means, n=n)


def mean_t_interval(differences: ArrayLike, *, confidence: float = 0.95) -> Interval | None:
    """Student's interval of a mean: mean(d) -+ t(n - 1) sd(d) / sqrt(n); None for fewer than two numbers.

    >>> interval = mean_t_interval([1.0, 2.0, 3.0])
    >>> f"{interval.low:.3f} {interval.high:.3f}"
    '-0.484 4.484'
    """
    from scipy.special import stdtrit

    d = np.asarray(differences, dtype=np.float64)
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    if d.ndim != 1 or not np.isfinite(d).all():
        raise UsageError("differences must be one row of finite numbers")
    if len(d) < 2:
        return None
    mean = float(d.mean())
    half = float(stdtrit(len(d) - 1, (1 + confidence) / 2) * d.std(ddof=1) / np.sqrt(len(d)))
    return Interval(mean - half, mean + half)


@dataclass(frozen=True, slots=True)
class PairedDifferences:
    """One row per pair of runs: the first minus the second."""

    by_query: Floats
    """Shape (pairs, queries); NaN where either run is undefined, exactly 0 where they differ only by rounding."""
    means: Floats
    """Over the defined queries; NaN where there are none."""
    n: NDArray[np.int64]
    sizes: Floats
    """The largest absolute value in either run, to decide what is rounding."""


def paired_differences(values: ArrayLike, pairs: ArrayLike) -> PairedDifferences:
    """The differences between the two runs of each pair, query by query."""
    array = checked_values(values)
    return differences_of(array, checked_pairs(pairs, runs=len(array)))


def checked_values(values: ArrayLike) -> Floats:
    """Scores (runs, queries), NaN undefined."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise UsageError(f"values must have the shape (runs, queries), not {array.shape}")
    return checked_scores(array, infinite="values (runs, queries) must be finite, or NaN where undefined")


def differences_of(array: Floats, rows: NDArray[np.int64]) -> PairedDifferences:
    """The same of values and pairs that were checked."""
    first, second = array[rows[:, 0]], array[rows[:, 1]]
    d = first - second
    size = np.maximum(np.abs(first), np.abs(second))
    d[np.abs(d) <= ROUNDING * size] = 0.0
    present = ~np.isnan(d)
    n = present.sum(axis=1)
    sums = np.where(present, d, 0.0).sum(axis=1)
    means = np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0)
    return PairedDifferences(d, means, n, np.max(size, axis=1, where=present, initial=0.0))


def difference_spreads(values: Floats, pairs: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Of each pair the size of the mean difference and the standard deviation of the differences over queries.

    Both are NaN for a pair that has fewer than two queries in common.

    >>> [part.round(3).tolist() for part in difference_spreads(np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([[0, 1]]))]
    [[0.0], [1.414]]
    """
    sizes, spreads = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    at_once = max(1, CELLS_AT_ONCE // max(1, values.shape[1]))
    for start in range(0, len(pairs), at_once):
        part = pairs[start : start + at_once]
        by_query = values[part[:, 0]] - values[part[:, 1]]
        known = ~np.isnan(by_query)
        numbers = known.sum(axis=1)
        for n in np.unique(numbers[numbers >= 2]).tolist():
            # Pairs with as many queries together, without the others: sums of as many numbers in the same order.
            rows = np.flatnonzero(numbers == n)
            differences = by_query[rows][known[rows]].reshape(len(rows), n)
            sizes[start + rows] = np.abs(differences.mean(axis=1))
            spreads[start + rows] = differences.std(axis=1, ddof=1)
    return sizes, spreads


def checked_pairs(pairs: ArrayLike, *, runs: int) -> NDArray[np.int64]:
    """Pairs of row numbers as an array (pairs, 2); an empty list is no pairs."""
    rows = np.asarray(pairs)
    if rows.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise UsageError(f"pairs must be two row numbers per pair, not shape {rows.shape} and type {rows.dtype}")
    if rows.min() < 0 or rows.max() >= runs:
        raise UsageError(f"pairs have rows {rows.min()} to {rows.max()}, but the {runs} runs are rows 0 to {runs - 1}")
    return rows.astype(np.int64)


def check_alternative(alternative: str) -> None:
    if alternative not in get_args(Alternative):
        raise UsageError(f"alternative {alternative!r} is not one of {', '.join(get_args(Alternative))}")
