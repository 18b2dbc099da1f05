"""Holm's correction of p-values: many tests without false findings just because they are many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjusted p-values, to be compared with the level itself (Holm 1979, "A simple sequentially rejective ...").

    With the m p-values in rising order, the i-th becomes max over j <= i of min(1, (m - j + 1) p_j). The chance of one
    or more false findings stays below the level, however the tests depend on each other. NaN is a test that was not
    made: it stays NaN and is not counted in m.

    >>> holm([0.04, 0.01, 0.03, float("nan")]).tolist()
    [0.06, 0.03, 0.06, nan]
    """
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1:
        raise UsageError(f"p-values have the shape {given.shape}, but a vector is needed")
    made = np.flatnonzero(~np.isnan(given))
    if ((given[made] < 0) | (given[made] > 1)).any():
        raise UsageError("p-values must be between 0 and 1, or NaN where no test was made")
    order = made[np.argsort(given[made], kind="stable")]
    adjusted = np.full(len(given), np.nan)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.arange(len(order), 0, -1)))
    return adjusted
