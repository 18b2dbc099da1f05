"""The studentized range: how far apart the largest and the smallest of several equal means may come by chance.

scipy.stats has this distribution too. Here it needs only scipy.special: its import and all critical values take a
fraction of the time of importing scipy.stats. The tests compare the two to 1e-8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from karat.model import UsageError
from karat.stats.arrays import Floats

# Beyond this the density is less than exp(-38) of the peak: too little for a double.
_REACH = 38.0
_NORMAL_REACH = math.sqrt(2 * _REACH)
_NORMAL_STEP = 0.1
_LOG_STEP = 0.03
_MAX_NODES = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class ScaledChi:
    """A standard deviation estimated with some degrees of freedom, as a multiple of the true one.

    The mean of a function of it is `weights @ function(points)`.
    """

    points: Floats
    weights: Floats


def scaled_chi(df: float, *, step: float = _LOG_STEP) -> ScaledChi:
    """Nodes and weights for s = chi(df) / sqrt(df).

    The density of t = log s is proportional to exp(df (t - (e^(2t) - 1) / 2)). It is smooth and falls to 0 at both
    ends, so the error of the trapezoid rule is less than any power of its step. `step` bounds the step in t: a function
    of s that rises steeply needs a smaller one.
    """
    tail = _REACH / df
    low, high = -(tail + math.sqrt(tail)), math.sqrt(tail)
    count = math.ceil((high - low) / min(step, 0.28 / math.sqrt(df))) + 1
    logs = np.linspace(low, high, min(count, _MAX_NODES))
    weights = np.exp(df * (logs - np.expm1(2 * logs) / 2))
    return ScaledChi(np.exp(logs), weights / weights.sum())


def studentized_range_cdf(q: float, *, groups: int, df: float) -> float:
    """P(range of `groups` standard normal values / s <= q), s an independent standard deviation of `df` degrees.

    The mean over s of groups * integral of phi(z) (Phi(z + q s) - Phi(z))^(groups - 1) dz, where z is the lowest
    value. Right to about 1e-12; `df` may be infinite.
    """
    _check(groups, df)
    if not q > 0:
        return math.nan if math.isnan(q) else 0.0
    if math.isinf(q):
        return 1.0
    if math.isinf(df):
        return float(_range_cdf(np.array([q]), groups)[0])
    spread = scaled_chi(df)
    return min(1.0, float(spread.weights @ _range_cdf(q * spread.points, groups)))


@lru_cache(maxsize=256)
def studentized_range_quantile(probability: float, *, groups: int, df: float) -> float:
    """The q that the studentized range does not exceed with this probability, to ten digits.

    Results are kept, because resampling asks for the same ones again and again.
    """
    _check(groups, df)
    if not 0 < probability < 1:
        raise UsageError(f"probability={probability} is not between 0 and 1")
    return smallest(lambda q: studentized_range_cdf(q, groups=groups, df=df) >= probability)


def smallest(enough: Callable[[float], bool]) -> float:
    """The smallest positive number that is enough, to ten digits, where every larger one is enough too."""
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, high * 2
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _range_cdf(ranges: Floats, groups: int) -> Floats:
    from scipy.special import ndtr

    lowest = np.arange(-_NORMAL_REACH, _NORMAL_REACH, _NORMAL_STEP)
    density = np.exp(-(lowest**2) / 2) / math.sqrt(2 * math.pi)
    within = ndtr(lowest + ranges[:, None]) - ndtr(lowest)
    cdf: Floats = groups * _NORMAL_STEP * (within ** (groups - 1) @ density)
    return cdf


def _check(groups: int, df: float) -> None:
    if groups < 2:
        raise UsageError(f"a range needs at least 2 groups, but groups={groups}")
    if not df > 0:
        raise UsageError(f"the degrees of freedom must be above 0, but df={df}")
