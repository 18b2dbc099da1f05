"""Prediction-powered means where all labels are equal, and where some scores are known without labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from karat.stats.arrays import Floats
from karat.stats.intervals.bootstrap import Interval
from karat.stats.intervals.bounded import Bounds, equal_values_interval
from karat.stats.intervals.prediction_powered import Alternative, PoweredMean, ppi_difference, ppi_mean

NO_WIDTH = 1e-9
SMALLEST_P = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualLabels(PoweredMean):
    """All labels are the same c: intervals are those of equal values (`equal_values_interval`).

    Had a share q of all queries other labels, n equal ones would have been drawn with a chance of at most (1 - q)^n,
    with or without replacement. So q is at most u = 1 - t^(1/n), and for these queries (of which the labelled share
    f = n / N is known) at most the smaller one of u and 1 - f.
    """

    label: float
    bounds: Bounds
    share: float = 1.0
    """Of the queries that have to be labelled, among all."""
    known: float = 0.0
    """The mean of the other ones."""
    between: float = 0.0
    """The variance that they add."""

    def interval(self, confidence: float) -> Interval:
        equal = equal_values_interval(self.label, self.labelled_queries, bounds=self.bounds, confidence=confidence)
        middle = self.share * self.label + (1 - self.share) * self.known
        more = _normal(confidence) ** 2 * self.between
        below, above = self.share * (self.label - equal.low), self.share * (equal.high - self.label)
        return Interval(middle - sqrt(below**2 + more), middle + sqrt(above**2 + more))

    def p(self, alternative: Alternative = "two-sided") -> float:
        """The largest level at which the interval still holds 0, found by halving."""
        if alternative == "two-sided":
            return min(1.0, 2 * self._one_sided(self.estimate))
        towards = self.estimate if alternative == "greater" else -self.estimate
        return self._one_sided(self.estimate) if towards > 0 else 1.0

    def _one_sided(self, estimate: float) -> float:
        def holds(p: float) -> bool:
            ends = self.interval(1 - 2 * p)
            return ends.low <= 0 if estimate > 0 else ends.high >= 0

        if abs(estimate) < NO_WIDTH or holds(0.4999):
            return 0.5
        low, high = log(SMALLEST_P), log(0.4999)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(exp(middle)) else (low, middle)
        return exp(high)


def is_without_width(mean: PoweredMean) -> bool:
    """All labels are equal: no variance is seen, which does not mean that there is none."""
    return mean.high - mean.low < NO_WIDTH


def from_equal_labels(mean: PoweredMean, bounds: Bounds, *, confidence: float = 0.95) -> EqualLabels:
    """The mean with the interval of equal labels."""
    value = min(max(mean.estimate, bounds.low), bounds.high)
    other = equal_values_interval(value, mean.labelled_queries, bounds=bounds, confidence=confidence)
    unseen = 1 - mean.labelled_queries / mean.queries
    said = {field.name: getattr(mean, field.name) for field in fields(PoweredMean)}
    said |= {
        "low": other.low,
        "high": other.high,
        "same_low": max(other.low, value - unseen * (value - bounds.low)),
        "same_high": min(other.high, value + unseen * (bounds.high - value)),
        "labels_low": other.low,
        "labels_high": other.high,
    }
    return EqualLabels(**said, label=value, bounds=bounds)


def labels_alone(mean: PoweredMean, people: Sequence[ArrayLike]) -> PoweredMean:
    """The mean (of one run's labels), or the difference (of two runs'), as if there were no judge."""
    none = [np.zeros(len(np.asarray(labels))) for labels in people]
    if len(people) == 1:
        alone = ppi_mean(none[0], people[0])
    else:
        alone = ppi_difference((none[0], none[1]), (people[0], people[1]))
    assert alone is not None
    return replace(
        alone, judge_estimate=mean.judge_estimate, judge_bias=mean.judge_bias, queries=mean.queries,
        responses=mean.responses,
    )  # fmt: skip


def within_bounds(mean: PoweredMean, bounds: Bounds) -> PoweredMean:
    """The mean with all limits within what it can be."""

    def inside(value: float) -> float:
        return min(max(value, bounds.low), bounds.high)

    return replace(
        mean, estimate=inside(mean.estimate), low=inside(mean.low), high=inside(mean.high),
        same_low=inside(mean.same_low), same_high=inside(mean.same_high), labels_low=inside(mean.labels_low),
        labels_high=inside(mean.labels_high), least=bounds.low, most=bounds.high,
    )  # fmt: skip


def is_within(mean: PoweredMean, bounds: Bounds) -> bool:
    """Whether the corrected mean is one that people's labels can have; few labels and a poor judge may miss that."""
    return bounds.low - NO_WIDTH <= mean.estimate <= bounds.high + NO_WIDTH


def with_known_queries(mean: PoweredMean, known: Floats, *, confidence: float = 0.95) -> PoweredMean:
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
    between = share * (1 - share) * (mean.estimate - middle) ** 2 / whole
    between += (1 - share) ** 2 * float(known.var()) / len(known)

    def joined(value: float) -> float:
        return share * value + (1 - share) * middle

    def spread(end: float) -> float:
        return sqrt((share * (end - mean.labels_estimate)) ** 2 + _normal(confidence) ** 2 * between)

    labels = joined(mean.labels_estimate)
    joint = replace(
        mean,
        estimate=joined(mean.estimate),
        same_low=joined(mean.same_low),
        same_high=joined(mean.same_high),
        labels_estimate=labels,
        labels_low=labels - spread(mean.labels_low),
        labels_high=labels + spread(mean.labels_high),
        judge_estimate=joined(mean.judge_estimate),
        responses=mean.responses + len(known),
        queries=whole,
        error=sqrt((share * mean.error) ** 2 + between),
    )
    if isinstance(joint, EqualLabels):
        joint = replace(joint, share=share, known=middle, between=between)
    ends = joint.interval(confidence)
    return replace(joint, low=ends.low, high=ends.high)


def _normal(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))
