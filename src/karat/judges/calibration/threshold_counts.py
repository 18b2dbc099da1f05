"""Sufficient statistics of the noisy-threshold model: what lies on either side of each candidate threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from karat.judges.calibration.labelled import Floats, Ints

MAX_BINS = 64
FP_PRIOR = FN_PRIOR = (1.0, 2.0)
"""Beta priors of the two error rates: any rate is possible, smaller ones are likelier (density 2 (1 - x), mean 1/3).
The same for both, because the paper gives no reason to expect more of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Shape (units, cuts): the pairs of a unit by label and by side of the threshold."""

    strays: Floats
    """Contained, though the score is below: false positives of the threshold function, rate fp."""
    rest: Floats
    alarms: Floats
    """Not contained, though the score is not below: false negatives, rate fn."""
    hits: Floats

    @classmethod
    def of(cls, unit: Ints, place: Ints, positive: Floats, *, units: int, bins: int) -> Counts:
        """From each pair's unit, bin of scores and label."""
        cell = unit * bins + place
        contained, absent = (
            np.bincount(cell, label, minlength=units * bins).reshape(units, bins).astype(np.float64)
            for label in (positive, 1 - positive)
        )
        strays, rest = _before(contained), _before(absent)
        return cls(
            strays, rest, absent.sum(axis=1, keepdims=True) - rest, contained.sum(axis=1, keepdims=True) - strays
        )

    def total(self) -> Counts:
        """All units as one."""
        return Counts(*(part.sum(axis=0, keepdims=True) for part in (self.strays, self.rest, self.alarms, self.hits)))

    def log_likelihood(self, fp: float, fn: float) -> Floats:
        """log P(labels | threshold, fp, fn)."""
        found: Floats = self.strays * np.log(fp) + self.rest * np.log1p(-fp)
        found += self.alarms * np.log(fn)
        found += self.hits * np.log1p(-fn)
        return found

    def log_marginal(self) -> Floats:
        """log P(labels | threshold), fp and fn integrated out: B(strays + a, rest + b) / B(a, b), likewise for fn."""
        (a, b), (c, d) = FP_PRIOR, FN_PRIOR
        found: Floats = betaln(self.strays + a, self.rest + b) - betaln(a, b)
        found += betaln(self.alarms + c, self.hits + d) - betaln(c, d)
        return found

    def expected_below(self) -> Floats:
        """E(fp | labels, threshold)."""
        a, b = FP_PRIOR
        return (self.strays + a) / (self.strays + self.rest + a + b)

    def expected_above(self) -> Floats:
        """E(1 - fn | labels, threshold)."""
        a, b = FN_PRIOR
        return (self.hits + b) / (self.hits + self.alarms + a + b)


def score_bins(scores: Floats) -> Floats:
    """The lower ends of up to about 64 bins: quantiles of the scores and of the distinct scores.

    The candidate thresholds are these ends, and "above all". Quantiles of the distinct scores are there because most
    pairs may have one and the same score, such as 0. Labels play no part, so this is a prior.
    """
    distinct = np.unique(scores)
    if len(distinct) <= MAX_BINS:
        return distinct
    shares = np.arange(MAX_BINS // 2) / (MAX_BINS // 2)
    return np.unique(np.concatenate([np.quantile(of, shares, method="lower") for of in (scores, distinct)]))


def log_sum_exp(values: Floats, *, axis: int = -1) -> Floats:
    """log sum exp, without overflow."""
    top = values.max(axis=axis, keepdims=True)
    found: Floats = np.squeeze(top, axis=axis) + np.log(np.exp(values - top).sum(axis=axis))
    return found


def _before(counts: Floats) -> Floats:
    """Cut g has the bins before g below it; the last cut has all of them."""
    return np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)
