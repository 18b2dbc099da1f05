"""BCa intervals (Efron 1987) of many statistics at once, from their resampled values."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.stats.arrays import Floats

Side = Literal["both", "low", "high"]
TIE = 1e-9
"""Replicates that are as near to the estimate as this share of their spread are ties."""
EQUAL = 3e-14
"""Replicates whose spread is not larger than this share of the estimate are all equal."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval that contains the value with the stated confidence; an end not asked for is infinite."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bca:
    """What the intervals need besides the replicates, one entry or row per statistic; see `mean_intervals`."""

    estimates: Floats
    deviations: Floats
    """The jackknife deviations, up to a common positive factor per row; 0 where there is none."""
    n: NDArray[np.int64]
    """The number of defined queries: two or more."""

    def intervals(self, replicates: Floats, *, confidence: float, side: Side) -> list[Interval | None]:
        """One interval per row of replicates; None where most of the row is undefined (NaN or infinite)."""
        estimates = self.estimates[:, None]
        ordered = np.where(np.isinf(replicates), np.nan, replicates)
        ordered.sort(axis=1)  # undefined ones come last
        known = replicates.shape[1] - np.isnan(ordered).sum(axis=1)
        enough = (known > 0) & (2 * known >= replicates.shape[1])
        count = np.maximum(known, 1)
        last = np.take_along_axis(ordered, count[:, None] - 1, axis=1)
        spread = last - ordered[:, :1]
        slack = TIE * spread
        below = (ordered < estimates - slack).sum(axis=1)
        tied = (ordered <= estimates + slack).sum(axis=1) - below
        bounds = self._bounds((below + tied / 2) / count, count, confidence, side)
        equal = spread[:, 0] <= EQUAL * np.abs(self.estimates)
        lows, highs = (np.where(equal, self.estimates, _quantiles(ordered, count, level)) for level in bounds)
        rows = zip(self.estimates.tolist(), lows.tolist(), highs.tolist(), enough.tolist(), strict=True)
        return [around(estimate, low, high, side) if there else None for estimate, low, high, there in rows]

    def _bounds(self, share: Floats, count: NDArray[np.int64], confidence: float, side: Side) -> tuple[Floats, Floats]:
        from scipy.special import ndtri, stdtrit

        # At least half a resample from either end, so that z0 is finite where all are on one side.
        z0 = ndtri(np.clip(share, 0.5 / count, 1 - 0.5 / count))
        z = stdtrit(self.n - 1, tail(confidence, side)) * np.sqrt(self.n / (self.n - 1))
        return self._levels(z0, z), self._levels(z0, -z)

    def _levels(self, z0: Floats, z: Floats) -> Floats:
        from scipy.special import ndtr

        shift = z0 + z
        room = 1 - self._accelerations() * shift
        # Beyond the pole of the correction, take the end of the distribution.
        turned = np.divide(shift, room, out=np.copysign(inf, shift), where=room > 0)
        return np.asarray(ndtr(z0 + turned), dtype=np.float64)

    def _accelerations(self) -> Floats:
        largest = np.max(np.abs(self.deviations), axis=1, initial=0.0, keepdims=True)
        # Cubes of tiny deviations would vanish.
        scaled = np.divide(self.deviations, largest, out=np.zeros_like(self.deviations), where=largest > 0)
        squares = np.maximum((scaled**2).sum(axis=1), 1.0)
        return np.asarray((scaled**3).sum(axis=1) / (6 * squares**1.5), dtype=np.float64)


def _quantiles(ordered: Floats, count: NDArray[np.int64], levels: Floats) -> Floats:
    """The quantiles of the first `count` values of each sorted row, one level per row, with linear interpolation."""
    place = levels * (count - 1)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, count - 1)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, lower], ordered[rows, upper]
    return np.asarray(low + (high - low) * (place - lower), dtype=np.float64)


def tail(confidence: float, side: Side) -> float:
    return (1 - confidence) / 2 if side == "both" else 1 - confidence


def around(estimate: float, low: float, high: float, side: Side) -> Interval:
    """The interval, widened to contain the estimate."""
    return Interval(
        -inf if side == "high" else min(float(low), estimate), inf if side == "low" else max(float(high), estimate)
    )
