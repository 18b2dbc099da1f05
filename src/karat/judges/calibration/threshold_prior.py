"""Shrinkage: what the thresholds of the others say of one that has little evidence of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.judges.calibration.labelled import Floats
from karat.judges.calibration.threshold_counts import log_sum_exp

CONCENTRATIONS = np.array([1.0, 4.0, 16.0, 64.0, 256.0])
"""How many units the uniform part of the prior weighs as much as."""
_ROUNDS = 20


@dataclass(frozen=True, slots=True, eq=False)
class PooledPrior:
    """The distribution of thresholds in the data set: pooling * mean posterior of the units + (1 - pooling) uniform."""

    log_weights: Floats
    pooling: float
    """0: a unit learns nothing from the others."""
    log_gain: float
    """By how much it raises the log probability of the data over the uniform prior; 0 where it would not."""


def pooled_prior(log_likelihood: Floats) -> PooledPrior:
    """Fit the prior of thresholds to log P(labels | threshold) of shape (units, cuts).

    The prior is (sum_u posterior_u + c / G) / (U + c) over G cuts and U units: pooling is U / (U + c). c maximises the
    marginal likelihood P(D) = prod_u P(D_u | D_1 .. D_(u - 1)), where the prior of unit u is pooled from the units
    before it (Newton's predictive recursion, 2002): no unit has a say in its own prior, so the gain is an honest one
    even for two or three units. If every c is worse than uniform, the prior is uniform.
    """
    units, cuts = log_likelihood.shape
    uniform = np.full(cuts, -np.log(cuts))
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    pooled = np.full((len(CONCENTRATIONS), cuts), 1 / cuts)
    gains = np.zeros(len(CONCENTRATIONS))
    for number, own in enumerate(likelihood):
        joint = pooled * own
        chance = joint.sum(axis=1)
        gains += np.log(chance) - np.log(own.mean())
        # The concentration is a weight in units, so each further unit moves the pool less.
        share = 1 / (CONCENTRATIONS + number + 1)
        pooled += share[:, None] * (joint / chance[:, None] - pooled)
    best = int(np.argmax(gains))
    if units < 2 or gains[best] <= 0:
        return PooledPrior(uniform, 0.0, 0.0)
    concentration = CONCENTRATIONS[best]
    weights = pooled[best]
    for _ in range(_ROUNDS):
        joint = likelihood * weights
        posterior = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
        weights = (posterior + concentration / cuts) / (units + concentration)
    return PooledPrior(np.log(weights), float(units / (units + concentration)), float(gains[best]))


def posterior(log_likelihood: Floats, log_prior: Floats) -> Floats:
    """P(threshold | labels) of each unit."""
    joint = log_likelihood + log_prior
    found: Floats = np.exp(joint - log_sum_exp(joint, axis=1)[:, None])
    return found
