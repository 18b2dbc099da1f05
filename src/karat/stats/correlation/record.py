"""The record of a correlation, the names of the coefficients, and the points of two vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, checked_scores

COEFFICIENTS = ("pearson", "spearman", "kendall_tau_b", "tau_ap", "weighted_tau", "rmse")

OTHER_QUERIES = "other queries, as many"
OTHER_RUNS = "other runs, as many"
ALL_QUERIES = "infinitely many queries"

TOO_FEW_POINTS = "fewer than two points have both values"
NO_POINTS = "no point has both values"
FIRST_CONSTANT = "the first vector is constant"
SECOND_CONSTANT = "the second vector is constant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A coefficient of two vectors; `value` is None where it is undefined, and `undefined_reason` says why."""

    name: str
    value: float | None
    n: int
    """The number of points (runs, cells or queries) that it was computed from."""
    left_out: int = 0
    """The number of points (of matrices: cells) without a value in one of the two."""
    undefined_reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    """How the interval was made: "fisher", "centred", "percentile" or "population"; None where there is none."""
    target: str | None = None
    """What the interval is one of: the value with OTHER_QUERIES, OTHER_RUNS or ALL_QUERIES."""
    no_interval_reason: str | None = None
    undefined: int = 0
    """Within queries: the number of queries whose coefficient is undefined; they are left out of the mean."""


@dataclass(frozen=True, slots=True)
class Points:
    """The values of two vectors where both have one."""

    x: Floats
    y: Floats
    left_out: int


def paired_points(a: npt.ArrayLike, b: npt.ArrayLike) -> Points:
    """The pairs of values in which neither is NaN.

    Raises:
        UsageError: they are not vectors of one length, or values are infinite or beyond 1e100.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise UsageError(f"a correlation needs two vectors of one length, not the shapes {x.shape} and {y.shape}")
    x, y = (
        checked_scores(values, infinite="values must be finite, or NaN where they are undefined") for values in (x, y)
    )
    both = ~(np.isnan(x) | np.isnan(y))
    return Points(x[both], y[both], int(np.count_nonzero(~both)))


def undefined_reason(name: str, x: Floats, y: Floats) -> str | None:
    """Why this coefficient has no value for these points (none of which is NaN); None where it has one."""
    if name == "rmse":
        return NO_POINTS if not len(x) else None
    if len(x) < 2:
        return TOO_FEW_POINTS
    if x.min() == x.max():
        return FIRST_CONSTANT
    if y.min() == y.max():
        return SECOND_CONSTANT
    return None


def point_coefficient(name: str, points: Points, value: float) -> Correlation:
    """The record of a value without an interval; without the value where it is undefined for these points."""
    reason = undefined_reason(name, points.x, points.y)
    return Correlation(
        name=name,
        value=float(value) if reason is None else None,
        n=len(points.x),
        left_out=points.left_out,
        undefined_reason=reason,
    )
