"""Arrays of scores: checks (finite, and not so large that their squares overflow), and means of runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from karat.model import UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
DIGITS = 12
LARGEST = 1e100
SMALLEST = 1e-100
"""Scores nearer to 0 are taken for 0: their squares, and ratios of these, would leave the range of floats."""


def score_matrix(values: npt.ArrayLike) -> Floats:
    """The scores as an array (runs, queries).

    Raises:
        UsageError: they have another shape, or values that cannot be used.
    """
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        raise UsageError(f"scores must have the shape (runs, queries), not {matrix.shape}")
    return checked_scores(matrix, infinite="values must be finite, or NaN where they are undefined")


def run_means(values: Floats, *, weights: Floats | None = None) -> Floats:
    """The mean of each run over the queries where it is defined: (runs, draws) for weights (queries, draws).

    NaN for a run without a defined query. Means are rounded to twelve digits of the largest: runs with the same scores
    in another order are tied, and the rounding of sums must not separate them.
    """
    if weights is None:
        weights = np.ones((values.shape[1], 1))
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0) @ weights, defined.astype(np.float64) @ weights
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    largest = float(np.max(np.abs(means), initial=0, where=~np.isnan(means)))
    return means if largest == 0 else np.asarray(np.round(means / largest, DIGITS) * largest, dtype=np.float64)


def checked_scores(scores: Floats, *, infinite: str) -> Floats:
    """The scores, where those nearer to 0 than 1e-100 are set to 0; NaN stays.

    Raises:
        UsageError: a score is infinite (with the message `infinite`), or beyond 1e100.
    """
    check_sizes(scores, infinite=infinite)
    size = np.abs(scores)
    return np.where((size > 0) & (size < SMALLEST), 0.0, scores)


def check_sizes(scores: Floats, *, infinite: str) -> None:
    """The same checks, for what needs no squares: small scores are not changed."""
    largest = float(np.max(np.abs(scores), initial=0.0, where=~np.isnan(scores)))
    if np.isinf(largest):
        raise UsageError(infinite)
    if largest > LARGEST:
        raise UsageError("scores beyond 1e100 cannot be compared")
