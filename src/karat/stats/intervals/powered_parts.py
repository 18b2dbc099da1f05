"""Prediction-powered means where all labels are equal, and where some scores are known without labels."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from karat.stats.arrays import Floats
from karat.stats.intervals.bounded import Bounds, equal_values_interval
from karat.stats.intervals.prediction_powered import PoweredMean

NO_WIDTH = 1e-9
NORMAL = 1.959963984540054


def is_without_width(mean: PoweredMean) -> bool:
    """All labels are equal: no variance is seen, which does not mean that there is none."""
    return mean.high - mean.low < NO_WIDTH


def from_equal_labels(mean: PoweredMean, bounds: Bounds, *, confidence: float = 0.95) -> PoweredMean:
    """The interval where all labels are the same c (`equal_values_interval`).

    Had a share q of all queries other labels, n equal ones would have been drawn with a chance of at most (1 - q)^n,
    with or without replacement. So q is at most u = 1 - t^(1/n), and for these queries (of which the labelled share
    f = n / N is known) at most the smaller one of u and 1 - f.
    """
    value = min(max(mean.estimate, bounds.low), bounds.high)
    other = equal_values_interval(value, mean.labelled_queries, bounds=bounds, confidence=confidence)
    unseen = 1 - mean.labelled_queries / mean.queries
    return replace(
        mean,
        low=other.low,
        high=other.high,
        same_low=max(other.low, value - unseen * (value - bounds.low)),
        same_high=min(other.high, value + unseen * (bounds.high - value)),
        labels_low=other.low,
        labels_high=other.high,
    )


def with_known_queries(mean: PoweredMean, known: Floats) -> PoweredMean:
    """The mean over more queries, whose people's scores are known without a label (silence contains nothing).

    With w the share of the queries of `mean`, the estimate is w estimate + (1 - w) mean(known). For these queries the
    interval shrinks by w. Other queries may be of the two kinds in other shares, which adds the variance
    w (1 - w) (estimate - mean(known))^2 / N.
    """
    known = known[~np.isnan(known)]
    if not len(known):
        return mean
    whole = mean.queries + len(known)
    share, middle = mean.queries / whole, float(known.mean())
    between = share * (1 - share) * (mean.estimate - middle) ** 2 / whole + (1 - share) ** 2 * known.var() / len(known)

    def joined(value: float) -> float:
        return share * value + (1 - share) * middle

    def spread(value: float, end: float) -> float:
        return sqrt((share * (end - value)) ** 2 + NORMAL**2 * between)

    estimate, labels = mean.estimate, mean.labels_estimate
    return replace(
        mean,
        estimate=joined(estimate),
        low=joined(estimate) - spread(estimate, mean.low),
        high=joined(estimate) + spread(estimate, mean.high),
        same_low=joined(mean.same_low),
        same_high=joined(mean.same_high),
        labels_estimate=joined(labels),
        labels_low=joined(labels) - spread(labels, mean.labels_low),
        labels_high=joined(labels) + spread(labels, mean.labels_high),
        judge_estimate=joined(mean.judge_estimate),
        responses=mean.responses + len(known),
        queries=whole,
    )
