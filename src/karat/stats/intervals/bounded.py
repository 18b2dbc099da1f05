"""Intervals of the mean of scores that cannot leave a range: valid for few queries, and where all values are equal.

The bootstrap knows the values that were seen and nothing else. From 20 zeros it concludes that the mean is 0, and from
three queries that the fourth is like them. A score in [0, 1] has bounds, and they say how far a value that was not seen
could have moved the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from karat.model import UsageError
from karat.stats.arrays import Floats, check_sizes
from karat.stats.intervals.bca import Interval, Side, around, tail
from karat.stats.intervals.bootstrap import mean_intervals

FEW_QUERIES = 10
"""With fewer, BCa holds the mean less often than it says, for some kind of scores: see `interval_trust`."""
DRAWS = 10_000
Method = Literal["BCa", "bounded", "equal values", "percentile"]
EQUAL = 1e-12
"""Values that differ by less are equal: the rest is rounding."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the most that a single value can be."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise UsageError(f"bounds: {self.low} is not below {self.high}")


UNIT = Bounds()


@dataclass(frozen=True, slots=True)
class ScoreInterval(Interval):
    """An interval of a mean over queries, how it was made, and how far it holds what it says."""

    method: Method
    n: int
    least_coverage: float
    """The lowest share of 95 % intervals of this kind that held the mean, over eight kinds of scores (simulated)."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How often 95 % BCa intervals from n queries hold the mean, in the worst of eight kinds of scores."""

    n: int
    bca: float
    """NaN with fewer than two queries, where there is none."""
    bounded: float

    @property
    def full(self) -> bool:
        """BCa holds the mean at least nine times out of ten, whatever the scores look like."""
        return self.n >= FEW_QUERIES


def equal_values_interval(
    value: float, n: int, *, bounds: Bounds | None = None, confidence: float = 0.95, side: Side = "both"
) -> Interval:
    """The interval of the mean where all n values are the same c.

    If another value has the chance q, n times c in a row has the chance (1 - q)^n. With u = 1 - t^(1/n), larger q are
    ruled out at the level t, whatever the other values are; in the worst case they lie at a bound. So the mean lies in
    [c - u (c - low), c + u (high - c)]: with all values 0, [0, u], as Clopper & Pearson (1934) have it for shares, and
    about 3 / n for t = 0.05 (the rule of three; Hanley & Lippman-Hand 1983). t is (1 - confidence) / 2 where both sides
    are asked for, and 1 - confidence for one.

    >>> equal_values_interval(0.0, 20, side="high").high  # 1 - 0.05^(1/20)
    0.13910834066826516
    """
    bounds = _within(np.array([value]), bounds or Bounds())
    if n < 1:
        raise UsageError(f"n {n} is not 1 or more")
    reach = 1 - tail(confidence, side) ** (1 / n)
    return around(value, value - reach * (value - bounds.low), value + reach * (bounds.high - value), side)


def bounded_mean_intervals(
    values: ArrayLike,
    *,
    bounds: Bounds | None = None,
    confidence: float = 0.95,
    side: Side = "both",
    draws: int = DRAWS,
    seed: int = 0,
) -> list[Interval | None]:
    """The interval of every run's mean from values that cannot leave their bounds (Gaffke 2005), (runs, queries).

    The lower limit is the t-quantile of sum_i w_i x_i + w_0 low, the upper one the (1 - t)-quantile of
    sum_i w_i x_i + w_0 high, where (w_0, ..., w_n) is uniform over all weights that sum to 1: one more value, at the
    bound, is added to the sample. For shares it is the interval of Clopper & Pearson, for equal values
    `equal_values_interval`. That it is valid for every distribution is a conjecture without a known exception
    (Learned-Miller & Thomas 2019; Phan, Thomas & Learned-Miller 2021). In simulations with eight kinds of scores and 2
    to 30 queries, 96 % or more of 95 % intervals held the mean; intervals of betting (Waudby-Smith & Ramdas 2024), for
    which there is a proof, were a fifth wider.

    None where a run has no value.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise UsageError(f"values (runs, queries) cannot have the shape {array.shape}")
    _check(confidence=confidence, side=side, draws=draws)
    bounds = _within(array, bounds or Bounds())
    ends = tail(confidence, side)
    weights_of: dict[int, Floats] = {}
    found: list[Interval | None] = []
    for row in array:
        known = np.sort(row[~np.isnan(row)])
        n = len(known)
        if not n:
            found.append(None)
            continue
        if known[0] == known[-1]:
            found.append(equal_values_interval(float(known[0]), n, bounds=bounds, confidence=confidence, side=side))
            continue
        if n not in weights_of:
            weights_of[n] = _uniform_weights(n + 1, draws=draws, seed=seed)
        weights = weights_of[n]
        means = weights[:, :n] @ known
        low = np.quantile(means + weights[:, n] * bounds.low, ends)
        high = np.quantile(means + weights[:, n] * bounds.high, 1 - ends)
        found.append(around(float(known.mean()), float(low), float(high), side))
    return found


def score_intervals(
    values: ArrayLike,
    *,
    bounds: Bounds | None = UNIT,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    side: Side = "both",
) -> list[ScoreInterval | None]:
    """The interval of every run's mean that can be trusted: BCa from ten queries on, else from the bounds.

    All values equal: `equal_values_interval`, at any n. Fewer than ten: `bounded_mean_intervals`; else
    `mean_intervals`. None with fewer than two values, as there.

    bounds=None says that none are known: then BCa at any n, which `least_coverage` says how far to trust, and None for
    equal values, about which nothing can be said.
    """
    array = np.asarray(values, dtype=np.float64)
    usual = mean_intervals(array, confidence=confidence, resamples=resamples, seed=seed, side=side)
    numbers = (~np.isnan(array)).sum(axis=1)
    least, most = (edge(np.where(np.isnan(array), fill, array), axis=1, initial=fill) for edge, fill in _EDGES)
    with np.errstate(invalid="ignore"):  # a row without any value
        equal = most - least <= EQUAL * np.maximum(np.abs(most), np.abs(least))
    if bounds is None:
        special = np.flatnonzero((numbers > 1) & equal)
        replaced: list[Interval | None] = [None] * len(special)
    else:
        bounds = _within(array, bounds)
        special = np.flatnonzero((numbers > 1) & ((numbers < FEW_QUERIES) | equal))
        of_rows = np.where(equal[special, None] & ~np.isnan(array[special]), least[special, None], array[special])
        replaced = bounded_mean_intervals(of_rows, bounds=bounds, confidence=confidence, side=side, seed=seed)
    by_row = dict(zip(special.tolist(), replaced, strict=True))
    found: list[ScoreInterval | None] = []
    for row, (n, interval) in enumerate(zip(numbers.tolist(), usual, strict=True)):
        chosen = by_row.get(row, interval)
        if chosen is None:
            found.append(None)
            continue
        trust = interval_trust(n)
        method: Method = "BCa" if row not in by_row else "equal values" if equal[row] else "bounded"
        holds = trust.bca if method == "BCa" else trust.bounded
        found.append(ScoreInterval(chosen.low, chosen.high, method, n, holds))
    return found


_EDGES = ((np.min, np.inf), (np.max, -np.inf))
_BCA = {2: 0.45, 3: 0.68, 4: 0.81, 5: 0.85, 6: 0.89, 7: 0.90, 8: 0.91, 9: 0.92, 10: 0.92, 15: 0.93, 20: 0.94}
"""The lowest shares that `benchmarks/honesty/intervals.py` measured, rounded down."""
_BOUNDED = 0.97


def interval_trust(n: int) -> Trust:
    """How far 95 % intervals from n queries can be trusted: the lowest coverage over eight kinds of scores.

    Uniform; beta(0.5, 3); 60 % and 85 % zeros; steps of 1/7 around 0.4 and around 0.9; 80 % ones; 0 or 1. Equal values
    count with the interval that `equal_values_interval` gives them (without it, 5 queries hold the mean in 55 %).

    >>> interval_trust(5).bca, interval_trust(12).full
    (0.85, True)
    """
    known = [size for size in _BCA if size <= n]
    return Trust(n, _BCA[max(known)] if known else float("nan"), _BOUNDED)


def _uniform_weights(n: int, *, draws: int, seed: int) -> Floats:
    weights = np.random.default_rng(seed).exponential(size=(draws, n))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def _within(values: Floats, bounds: Bounds) -> Bounds:
    check_sizes(values, infinite="values must be finite, or NaN where undefined")
    known = values[~np.isnan(values)]
    if known.size and not (bounds.low <= known.min() and known.max() <= bounds.high):
        raise UsageError(f"values from {known.min()} to {known.max()} leave the bounds {bounds.low} and {bounds.high}")
    return bounds


def _check(*, confidence: float, side: str, draws: int) -> None:
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    if side not in get_args(Side):
        raise UsageError(f"side {side!r} is not one of {', '.join(get_args(Side))}")
    if draws < 100:
        raise UsageError(f"draws {draws} is not 100 or more")
