"""How coefficients over units get their intervals: the jackknife over few units or groups, else the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats, checked_scores
from karat.stats.intervals.bounded import Bounds
from karat.stats.intervals.jackknife import AROUND_ZERO, MOST_GROUPS, jackknife_interval

Statistic = Callable[[Floats], Floats]
"""From weights of rows, one line per resample, to one number per resample: NaN where it is not defined."""
RESAMPLES = 2000
_ROOM = 4_000_000
"""The most numbers that are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient, its 95 % interval, and how many units and raters it comes from."""

    value: float | None
    low: float | None = None
    high: float | None = None
    units: int
    """The number of units that at least two raters rated."""
    raters: int
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class WeightedRows:
    """The different rows, and how often each occurs (in each group): a resample only changes their weights."""

    rows: NDArray[Any]
    times: Floats
    group: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, rows: NDArray[Any], groups: NDArray[np.int64] | None = None) -> WeightedRows:
        keyed = rows if groups is None else np.column_stack([groups, rows])
        unique, times = np.unique(keyed, axis=0, return_counts=True)
        if groups is None:
            return cls(unique, times.astype(float))
        numbered = np.unique(unique[:, 0], return_inverse=True)[1].reshape(-1)
        return cls(unique[:, 1:], times.astype(float), numbered)

    def coefficient(
        self,
        statistic: Statistic,
        *,
        units: int,
        raters: int,
        undefined: str,
        seed: int,
        room: int = 1,
        bounds: Bounds = AROUND_ZERO,
    ) -> Coefficient:
        """The statistic of the rows as they are, and its interval.

        `room`: numbers it holds for one resample; `bounds`: what it cannot leave.
        """
        value = float(statistic(self.times[None, :])[0])
        if np.isnan(value):
            return Coefficient(value=None, units=units, raters=raters, reason=undefined)
        if self._drawable() <= MOST_GROUPS:
            low, high = self._jackknifed(value, statistic, bounds)
        else:
            low, high = self._resampled(statistic, seed, room)
        return Coefficient(value=value, low=low, high=high, units=units, raters=raters)

    def _drawable(self) -> int:
        """How many units (or groups of them) there are."""
        return int(self.times.sum()) if self.group is None else int(self.group.max()) + 1

    def _jackknifed(
        self, value: float, statistic: Statistic, bounds: Bounds
    ) -> tuple[float, float] | tuple[None, None]:
        # One unit or group says nothing about others, and without it there is nothing left to compute.
        if self._drawable() < 2:
            return None, None
        if self.group is None:
            one_less = self.times - np.eye(len(self.times))
            # Equal units give the same value when one of them is left out.
            without = np.repeat(np.concatenate([statistic(row[None, :]) for row in one_less]), self.times.astype(int))
        else:
            kept = (self.times * (self.group != name) for name in range(self._drawable()))
            without = np.concatenate([statistic(row[None, :]) for row in kept])
        found = jackknife_interval(value, without, bounds=bounds)
        return (None, None) if found is None else (found.low, found.high)

    def _resampled(self, statistic: Statistic, seed: int, room: int) -> tuple[float, float] | tuple[None, None]:
        """The 2.5 and 97.5 % quantiles."""
        rng = np.random.default_rng(seed)
        drawable = self._drawable()
        parts: list[Floats] = []
        step = max(1, min(RESAMPLES, _ROOM // max(len(self.rows), drawable if self.group is not None else 1, room)))
        for start in range(0, RESAMPLES, step):
            size = min(step, RESAMPLES - start)
            if self.group is None:
                drawn = rng.multinomial(drawable, self.times / self.times.sum(), size=size).astype(float)
            else:
                drawn = rng.multinomial(drawable, np.full(drawable, 1 / drawable), size=size)[:, self.group]
                drawn = drawn * self.times
            parts.append(statistic(drawn))
        values = np.concatenate(parts)
        values = values[~np.isnan(values)]
        return (float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))) if len(values) else (None, None)


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient; NaN where the denominator is zero."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def rating_matrix(ratings: ArrayLike) -> Floats:
    """Ratings as floats, with one row per unit and one column per rater."""
    try:
        matrix = np.asarray(ratings, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("ratings must be numbers, with NaN where there is none") from None
    if matrix.ndim == 1 and not len(matrix):
        return matrix.reshape(0, 0)
    if matrix.ndim != 2:
        raise UsageError(f"ratings must have one row per unit and one column per rater, not {matrix.ndim} dimensions")
    return checked_scores(matrix, infinite="ratings must be finite numbers, with NaN where there is none")


def group_numbers(groups: ArrayLike | None, units: int) -> NDArray[np.int64] | None:
    """The number of each unit's group."""
    if groups is None:
        return None
    numbers = np.asarray(groups)
    if numbers.shape != (units,):
        raise UsageError(f"groups must have one number for each of the {units} units, not the shape {numbers.shape}")
    return np.unique(numbers, return_inverse=True)[1].reshape(-1)
