"""Correlations of two plain vectors, through the functions that correlate score matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.record import Correlation
from karat.stats.correlation.score_matrices import correlate_scores


def coefficient(name: str, a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """The coefficient of two vectors; NaN where it is undefined."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(coefficients_of_vectors(first[None], second[None])[name][0])


def correlate(a: npt.ArrayLike, b: npt.ArrayLike, **options: Any) -> tuple[Correlation, ...]:
    """All coefficients of two vectors: of matrices with one query, where runs are resampled."""
    first, second = np.asarray(a, dtype=float)[:, None], np.asarray(b, dtype=float)[:, None]
    return correlate_scores(first, second, level="query", resample="runs", **({"pearson": "fisher"} | options))
