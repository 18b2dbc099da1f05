"""What every array of scores must be: finite, and of a size whose squares are numbers too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.model import UsageError

FloatArray = NDArray[np.float64]
LARGEST = 1e100
SMALLEST = 1e-100
"""Scores nearer to 0 are 0: their squares, and the ratios of these, would leave the range of floats."""


def checked_scores(scores: FloatArray, *, infinite: str) -> FloatArray:
    """The scores with those nearer to 0 than 1e-100 set to 0; NaN stays.

    Raises:
        UsageError: with the message `infinite` where a score is; where one is beyond 1e100.
    """
    check_sizes(scores, infinite=infinite)
    size = np.abs(scores)
    return np.where((size > 0) & (size < SMALLEST), 0.0, scores)


def check_sizes(scores: FloatArray, *, infinite: str) -> None:
    """The same for what needs no squares: small scores are what they are."""
    largest = float(np.max(np.abs(scores), initial=0.0, where=~np.isnan(scores)))
    if np.isinf(largest):
        raise UsageError(infinite)
    if largest > LARGEST:
        raise UsageError("scores beyond 1e100 cannot be compared")
