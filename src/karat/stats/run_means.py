"""Means of runs over queries, for many sets of queries at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.checking import checked_scores
from karat.stats.dominance import Floats

DIGITS = 12


def score_matrix(values: npt.ArrayLike) -> Floats:
    """The scores as an array (runs, queries); anything else is a UsageError."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        raise UsageError(f"scores have the shape (runs, queries), not {matrix.shape}")
    return checked_scores(matrix, infinite="values must be finite, or NaN where they are undefined")


def run_means(values: Floats, *, weights: Floats | None = None) -> Floats:
    """Mean of each run over the queries where it is defined: (runs, draws) for weights (queries, draws).

    A run without a defined query has NaN. Means are rounded to twelve digits of the largest, because runs with the
    same scores in another order are tied and sums of floats would part them.
    """
    if weights is None:
        weights = np.ones((values.shape[1], 1))
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0) @ weights, defined.astype(np.float64) @ weights
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    largest = float(np.max(np.abs(means), initial=0, where=~np.isnan(means)))
    return means if largest == 0 else np.asarray(np.round(means / largest, DIGITS) * largest, dtype=np.float64)
