"""How large a paired difference is beside its own variation: the standardised mean difference."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, sqrt

import numpy as np
from numpy.typing import ArrayLike

from karat.model import UsageError
from karat.stats.arrays import checked_scores


@dataclass(frozen=True, slots=True)
class EffectSize:
    """`value` is corrected for small samples, `d_z` is not; the limits are of the true mean / sd."""

    value: float
    d_z: float
    low: float
    high: float
    n: int


def paired_effect_size(differences: ArrayLike, *, confidence: float = 0.95) -> EffectSize | None:
    """d_z = mean(d) / sd(d) of the differences d between two runs, query by query (NaN is left out).

    `value` is Hedges' (1981) unbiased form, J(n - 1) d_z with J(m) = Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2)),
    about 1 - 3 / (4 m - 1). The limits are the exact ones for normal differences: the noncentralities that put
    t = sqrt(n) d_z at the two tails of the noncentral t distribution, divided by sqrt(n) (Steiger and Fouladi 1997).

    d_z speaks of differences within a query. It is larger than Cohen's d of the scores where the two runs find the same
    queries hard, and it is not a difference in scores: 0.2, 0.5 and 0.8 as "small, medium, large" were meant for d.
    None for fewer than 3 differences, or where they do not vary.

    >>> found = paired_effect_size([0.1, 0.2, 0.3, 0.0, 0.2, 0.1])
    >>> f"{found.d_z:.3f} {found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
    '1.430 1.202 [0.226, 2.576]'
    """
    from scipy.special import nctdtrinc

    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1:
        raise UsageError(f"differences of shape {d.shape}: those of one pair are a vector")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    d = checked_scores(d[~np.isnan(d)], infinite="differences must be finite, or NaN where undefined")
    n = len(d)
    sd = float(np.std(d, ddof=1)) if n > 2 else 0.0
    if sd <= 1e-12 * float(np.abs(d).max(initial=0.0)):
        return None
    d_z = float(d.mean()) / sd
    tail = (1 - confidence) / 2
    low, high = (float(nctdtrinc(n - 1, p, sqrt(n) * d_z)) / sqrt(n) for p in (1 - tail, tail))
    return EffectSize(_unbiased(n - 1) * d_z, d_z, low, high, n)


def _unbiased(df: int) -> float:
    return exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
