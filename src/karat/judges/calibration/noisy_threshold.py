"""The noisy-threshold model of one cut (Marton & Radul 2006, Table 4), fitted by Bayes' rule.

A pair with score s is contained with probability 1 - fn if s >= t, and fp otherwise. The threshold t is one for the
data set, or one a question or nug; the error rates are one pair for the data set, or one a nug.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from karat.judges.calibration.calibration import Scored
from karat.judges.calibration.error_grid import error_grid
from karat.judges.calibration.labelled import Floats, Ints, Labelled
from karat.judges.calibration.threshold_counts import Counts, log_sum_exp, score_bins
from karat.judges.calibration.threshold_prior import PooledPrior, pooled_prior, posterior
from karat.model import UsageError

ThresholdsBy = Literal["data", "question", "nug"]
ErrorsBy = Literal["global", "nug"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NoisyThreshold:
    """P(contained | score) of each unit: a mixture of steps, smooth where many thresholds are plausible."""

    by: ThresholdsBy
    """Which codes a pair is looked up by."""
    units: Ints
    scores: Floats
    """The mean score of each bin; between them the probability is interpolated."""
    table: Floats
    """Shape (units + 1, bins); the last row is that of a unit that was not fitted."""
    log10_evidence: float
    """log10 P(labels | model), thresholds a priori independent and uniform over the candidates, as in Table 4."""
    log10_pooled: float
    """The same where a threshold leans on those of other units (`pooled_prior`); what the probabilities are made of."""
    pooling: float

    def probability(self, pairs: Scored) -> Floats:
        given = {"data": None, "question": pairs.question, "nug": pairs.nug}[self.by]
        row = np.full(len(pairs.scores), 0 if self.by == "data" else len(self.units))
        if given is not None:
            place = np.minimum(np.searchsorted(self.units, given), len(self.units) - 1)
            row = np.where(self.units[place] == given, place, row)
        left = np.clip(np.searchsorted(self.scores, pairs.scores, side="right") - 1, 0, len(self.scores) - 1)
        right = np.minimum(left + 1, len(self.scores) - 1)
        gap = np.where(right > left, self.scores[right] - self.scores[left], 1.0)
        share = np.clip((pairs.scores - self.scores[left]) / gap, 0, 1)
        found: Floats = (1 - share) * self.table[row, left] + share * self.table[row, right]
        return found


def fit_noisy_threshold(
    labelled: Labelled, positive: Floats, *, thresholds: ThresholdsBy, errors: ErrorsBy
) -> NoisyThreshold:
    """Fit one cut to known pairs; `positive` is 1 where the label reaches the cut.

    Given a threshold, four counts say all about the error rates. Rates of a nug of its own (and those of one threshold
    for all) are integrated out by Beta functions; rates that many thresholds share are summed over `error_grid`.
    """
    low = score_bins(labelled.scores)
    place = np.searchsorted(low, labelled.scores, side="right") - 1
    bins = len(low)
    owner, unit = _units(labelled, thresholds)
    if errors == "nug":
        owner_of_errors, error_unit = _units(labelled, "nug")
        threshold_of = _threshold_of(error_unit, unit, len(owner_of_errors))
    else:
        owner_of_errors, error_unit, threshold_of = owner, unit, np.arange(len(owner))
    counts = Counts.of(error_unit, place, positive, units=len(owner_of_errors), bins=bins)
    uniform = np.full(bins + 1, -np.log(bins + 1))
    if errors == "nug" or len(owner) == 1:
        likelihood = np.zeros((len(owner), bins + 1))
        np.add.at(likelihood, threshold_of, counts.log_marginal())
        evidence = float(log_sum_exp(likelihood + uniform, axis=1).sum())
        prior = pooled_prior(likelihood)
        owned = posterior(likelihood, prior.log_weights)
        # With one threshold for all there is no other that a new nug could have.
        new = owned if len(owner) == 1 else np.exp(prior.log_weights)[None]
        table = _table_of_own_errors(counts, owned[threshold_of], new)
    else:
        flat = error_grid(counts, uniform)
        evidence = flat.log_evidence
        prior = pooled_prior(counts.log_likelihood(*flat.mode))
        table = _table_of_shared_errors(counts, prior, positive.mean())
    return NoisyThreshold(
        by="nug" if errors == "nug" else thresholds,
        units=owner_of_errors,
        scores=np.bincount(place, labelled.scores, minlength=bins) / np.bincount(place, minlength=bins),
        table=table,
        log10_evidence=evidence / np.log(10),
        log10_pooled=(evidence + prior.log_gain) / np.log(10),
        pooling=prior.pooling,
    )


def _table_of_shared_errors(counts: Counts, prior: PooledPrior, rate: float) -> Floats:
    grid = error_grid(counts, prior.log_weights)
    likely = np.flatnonzero(grid.weights > 1e-4 * grid.weights.max())
    weights = grid.weights[likely] / grid.weights[likely].sum()
    table = np.zeros((len(counts.hits) + 1, counts.hits.shape[1] - 1))
    for fp, fn, weight in zip(grid.fp[likely], grid.fn[likely], weights, strict=True):
        owned = posterior(counts.log_likelihood(fp, fn), prior.log_weights)
        reached = np.cumsum(np.vstack([owned, np.exp(prior.log_weights)]), axis=1)[:, :-1]
        # A score that speaks against a nug is taken for one that says nothing.
        below, above = (fp, 1 - fn) if fp <= 1 - fn else (rate, rate)
        table += weight * (below + (above - below) * np.minimum(reached, 1))
    return table


def _table_of_own_errors(counts: Counts, owned: Floats, new: Floats) -> Floats:
    """From the posterior of each unit's threshold; a unit that is new has the errors of all units together."""
    total = counts.total()
    below = np.vstack([counts.expected_below(), total.expected_below()])
    above = np.vstack([counts.expected_above(), total.expected_above()])
    contained = np.vstack([counts.strays + counts.hits, total.strays + total.hits])
    absent = np.vstack([counts.rest + counts.alarms, total.rest + total.alarms])
    says_nothing = (contained + 1) / (contained + absent + 2)
    against = below > above
    below, above = np.where(against, says_nothing, below), np.where(against, says_nothing, above)
    weights = np.vstack([owned, new])
    reached = np.cumsum(weights * above, axis=1)[:, :-1]
    missed = (weights * below).sum(axis=1, keepdims=True) - np.cumsum(weights * below, axis=1)[:, :-1]
    found: Floats = np.clip(reached + missed, 0, 1)
    return found


def _units(labelled: Labelled, by: ThresholdsBy) -> tuple[Ints, Ints]:
    if by == "data":
        return np.zeros(1, dtype=np.int64), np.zeros(len(labelled.scores), dtype=np.int64)
    owners, unit = np.unique(labelled.nug if by == "nug" else labelled.question, return_inverse=True)
    return owners, unit


def _threshold_of(error_unit: Ints, unit: Ints, units: int) -> Ints:
    """Which threshold each nug has."""
    found = np.full(units, -1, dtype=np.int64)
    found[error_unit] = unit
    if (found[error_unit] != unit).any():
        raise UsageError("a nug's code belongs to one question; here one stands with two")
    return found
