"""The interval of a share whose units come in groups, such as the citations of a response (Korn & Graubard 1998).

With h_g of the n_g units of group g marked, k groups, p = sum h / sum n and n = sum n:

    v  = k / (k - 1) * sum over groups of (h_g - p n_g)^2 / n^2          the variance of p between groups
    n* = min(n, p (1 - p) / v) * (t(n - 1) / t(k - 1))^2          what the units are worth, with 97.5 % quantiles t

and the interval is that of Clopper & Pearson (1934) for p n* of n* units. With one group, or where all units or none
are marked, nothing is known about how groups differ: the units count as independent.

Korn, E. L., & Graubard, B. I. (1998): Confidence intervals for proportions with small expected number of positive
counts estimated from survey data. Survey Methodology 24, 193-201.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaincinv, stdtrit

from karat.model import UsageError
from karat.stats.intervals.bca import Interval


def clustered_share_interval(marked: Sequence[float], sizes: Sequence[float], *, confidence: float = 0.95) -> Interval:
    """The interval of sum(marked) / sum(sizes), where each entry is one group.

    >>> found = clustered_share_interval([0], [20])
    >>> (round(found.low, 3), round(found.high, 3))
    (0.0, 0.168)
    """
    hits, counts = np.asarray(marked, float), np.asarray(sizes, float)
    if hits.shape != counts.shape or not counts.sum() > 0 or (hits > counts).any() or (hits < 0).any():
        raise UsageError("a share needs at least one unit, and from 0 to all units of a group marked")
    n, k = counts.sum(), int((counts > 0).sum())
    p = float(hits.sum() / n)
    tail = (1 - confidence) / 2
    worth = n
    if k > 1 and 0 < p < 1:
        between = k / (k - 1) * ((hits - p * counts) ** 2).sum() / n**2
        ratio = stdtrit(n - 1, 1 - tail) / stdtrit(k - 1, 1 - tail)
        worth = min(n, p * (1 - p) / between if between > 0 else n) * ratio**2
    x = p * worth
    low = float(betaincinv(x, worth - x + 1, tail)) if x > 0 else 0.0
    high = float(betaincinv(x + 1, worth - x, 1 - tail)) if x < worth else 1.0
    return Interval(low, high)
