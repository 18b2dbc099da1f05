"""Intervals of correlations: Fisher's z, and the bootstrap by centred or plain percentiles.

Means over resampled queries have more noise than the means themselves, so that correlations of resampled runs are below
the value, often all of them. Plain percentiles are then too low. BCa fails: its 95 % intervals contained the expected
value in 60 to 82 % of simulations. Percentiles moved to the value contained it in 90 to 94 %.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atanh, inf, sqrt, tanh
from typing import get_args

import numpy as np

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, Ints
from karat.stats.correlation.record import Correlation
from karat.stats.intervals.bootstrap import Interval, Side, resample_weights

METHODS = ("centred", "percentile")
FEW_GROUPS = 6
"""Up to this number, groups can be drawn in at most 462 different ways: C(2 g - 1, g)."""


def fisher_interval(r: float, *, n: int, confidence: float = 0.95, side: Side = "both") -> Interval | None:
    """The interval of Pearson's r from n independent points: tanh(atanh(r) ± z / sqrt(n - 3)) (Fisher 1921).

    With `side="low"` it goes from the lower bound to 1, as Dang & Lin (2007) print it; with "high" from -1 to the upper
    bound. None for fewer than four points. The interval of r = ±1 is that value.

    >>> round(fisher_interval(0.987, n=59, side="low").low, 3)
    0.98
    """
    from scipy.special import ndtri

    check_interval_options(confidence=confidence, side=side)
    if n < 4:
        return None
    if abs(r) >= 1:
        return _cut(Interval(r, r), side=side, ends=Interval(-1.0, 1.0))
    reach = -float(ndtri(_tail(confidence, side))) / sqrt(n - 3)
    interval = Interval(tanh(atanh(r) - reach), tanh(atanh(r) + reach))
    return _cut(interval, side=side, ends=Interval(-1.0, 1.0))


def resampling_columns(groups: int, *, resamples: int, seed: int) -> Floats:
    """How often each group is taken, (groups, 1 + resamples): once in the first column, in the others as drawn."""
    return np.concatenate([np.ones((groups, 1)), resample_weights(groups, resamples=resamples, seed=seed).T], axis=1)


@dataclass(frozen=True, slots=True)
class DistinctColumns:
    columns: Floats
    column_of: Ints
    """columns[:, column_of] gives all columns back."""


def distinct_columns(weights: Floats) -> DistinctColumns:
    """The different columns of `resampling_columns`, the first one first; with many groups all columns are kept."""
    groups, drawn = weights.shape
    if not 0 < groups <= FEW_GROUPS:
        return DistinctColumns(weights, np.arange(drawn))
    first, column_of = np.unique(weights, axis=1, return_index=True, return_inverse=True)[1:]
    rank = np.argsort(np.argsort(first))
    return DistinctColumns(weights[:, np.sort(first)], rank[column_of.reshape(-1)])


def bootstrap_interval(
    columns: Floats, *, method: str, confidence: float, side: Side, ends: Interval
) -> Interval | None:
    """The interval from a statistic in each of `resampling_columns`; where it is NaN (undefined) it is left out.

    "percentile": the (1 - c)/2 and (1 + c)/2 quantiles of the resamples (Efron 1979), widened to contain the value.
    "centred": the same quantiles, moved by the difference between the value and the median of the resamples. None where
    most resamples are undefined. `ends` are the ends of the statistic's scale: an interval does not go beyond them, and
    a one-sided interval goes to one of them.
    """
    value, drawn = float(columns[0]), columns[1:]
    known = drawn[~np.isnan(drawn)]
    if not len(known) or 2 * len(known) < len(drawn):
        return None
    tail = _tail(confidence, side)
    low, middle, high = (float(level) for level in np.quantile(known, [tail, 0.5, 1 - tail]))
    if method == "centred":
        low, high = value + (low - middle), value + (high - middle)
    interval = Interval(max(min(low, value), ends.low), min(max(high, value), ends.high))
    return _cut(interval, side=side, ends=ends)


def with_interval(
    correlation: Correlation, columns: Floats, *, groups: int, confidence: float, side: Side, method: str, target: str
) -> Correlation:
    """The record with its interval, or with the reason why there is none.

    `columns` has the value in each of `resampling_columns`. `target` says what the interval is one of.
    """
    side = side_of(correlation.name, side)
    if correlation.value is None:
        return replace(correlation, no_interval_reason="the value is undefined")
    if method == "fisher":
        interval = fisher_interval(correlation.value, n=correlation.n, confidence=confidence, side=side)
        reason = "Fisher's interval needs at least four points"
    elif groups < 2:
        interval, reason = None, "with only one query (or run), nothing is known about others"
    else:
        interval = bootstrap_interval(
            columns,
            method=method,
            confidence=confidence,
            side=side,
            ends=scale_of(correlation.name),
        )
        reason = "the value is undefined in most resamples"
    if interval is None:
        return replace(correlation, no_interval_reason=reason)
    return replace(correlation, low=interval.low, high=interval.high, interval=method, target=target)


def check_interval_options(
    *, confidence: float, side: str, resamples: int = 1, method: str = "centred", pearson: str = "bootstrap"
) -> None:
    """Raises UsageError for an option that is not one of the choices."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    if resamples < 1:
        raise UsageError(f"resamples {resamples} is not 1 or more")
    for option, chosen, choices in (
        ("side", side, get_args(Side)),
        ("method", method, METHODS),
        ("pearson", pearson, ("fisher", "bootstrap")),
    ):
        if chosen not in choices:
            raise UsageError(f"{option} {chosen!r} is not one of {', '.join(choices)}")


def _tail(confidence: float, side: Side) -> float:
    return (1 - confidence) / 2 if side == "both" else 1 - confidence


def _cut(interval: Interval, *, side: Side, ends: Interval) -> Interval:
    return Interval(ends.low if side == "high" else interval.low, ends.high if side == "low" else interval.high)


def side_of(name: str, side: Side) -> Side:
    """The side on which a coefficient is bounded: "low" is "at least so good", and a good error is a small one."""
    if name != "rmse" or side == "both":
        return side
    return "high" if side == "low" else "low"


def scale_of(name: str) -> Interval:
    """The ends of a coefficient's scale."""
    return Interval(0.0, inf) if name == "rmse" else Interval(-1.0, 1.0)
