"""Bootstrap intervals of a mean over queries."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval that holds the value with the stated confidence."""

    low: float
    high: float


def mean_interval(
    values: Sequence[float], *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval | None:
    """The percentile bootstrap interval of the mean (Efron 1979).

    Queries are drawn with replacement `resamples` times; the interval runs from the (1-c)/2 to the (1+c)/2 quantile
    of the means. One query says nothing about other queries: None.
    """
    if len(values) < 2:
        return None
    draw = random.Random(seed).choices  # noqa: S311 - resampling, not secrets
    means = sorted(sum(draw(values, k=len(values))) / len(values) for _ in range(resamples))
    tail = (1 - confidence) / 2
    return Interval(means[round(tail * (resamples - 1))], means[round((1 - tail) * (resamples - 1))])
