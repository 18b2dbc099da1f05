"""What labels say about thresholds and error rates: the Bayesian part of the noisy-threshold model (`thresholds`).

Three steps. `Counts` says how many pairs lie on either side of each candidate threshold, which is all that the
likelihood needs. `pooled_prior` lets a threshold with few labels lean on the thresholds of the other units.
`error_grid` is the joint posterior of the two error rates where all units share them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit, logit

from karat.judges.calibration.labelled import Floats, Ints

MAX_BINS = 64
FP_PRIOR = FN_PRIOR = (1.0, 2.0)
"""Beta priors of the two error rates: any rate is possible, smaller ones are more likely (density 2 (1 - x), mean 1/3).
Both are the same, because the paper gives no reason to expect more errors of one kind."""
CONCENTRATIONS = np.array([1.0, 4.0, 16.0, 64.0, 256.0])
"""How many units the uniform part of the pooled prior counts for."""
_POOLING_ROUNDS = 20
_POINTS = 15
_MOST_POINTS = 57
_MOST_ROUNDS = 15
# A logit beyond it cannot be told from a rate of 0 or 1.
_WIDEST = 25.0
# A sum over equal steps converges so fast that, where half the steps are right to this, the error is nearly nothing.
_COARSE = 0.02
# Nothing is looked for below exp(-12) of the peak.
_REACH = 12.0
_STARTS = ((0.1, 0.1), (0.05, 0.5), (0.4, 0.05))
_TINY = 1e-9
_FEW_CELLS = 1 << 13


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many pairs each unit has, by label and by side of the threshold: four tables (units, cuts)."""

    strays: Floats
    """Contained, though the score is below the threshold: their rate is fp."""
    rest: Floats
    """Not contained, and the score is below."""
    alarms: Floats
    """Not contained, though the score is not below: their rate is fn."""
    hits: Floats
    """Contained, and the score is not below."""

    @classmethod
    def of(cls, unit: Ints, place: Ints, positive: Floats, *, units: int, bins: int) -> Counts:
        """Count pairs, given the unit, the bin of the score and the label of each."""
        cell = unit * bins + place
        contained, absent = (
            np.bincount(cell, label, minlength=units * bins).reshape(units, bins).astype(np.float64)
            for label in (positive, 1 - positive)
        )
        strays, rest = _before(contained), _before(absent)
        return cls(
            strays, rest, absent.sum(axis=1, keepdims=True) - rest, contained.sum(axis=1, keepdims=True) - strays
        )

    def only(self, units: Ints) -> Counts:
        """The counts of these units."""
        return Counts(self.strays[units], self.rest[units], self.alarms[units], self.hits[units])

    def total(self) -> Counts:
        """The same for all units together."""
        return Counts(*(part.sum(axis=0, keepdims=True) for part in (self.strays, self.rest, self.alarms, self.hits)))

    def log_likelihood(self, fp: float, fn: float) -> Floats:
        """log P(labels | threshold, fp, fn)."""
        log_chance: Floats = self.strays * np.log(fp) + self.rest * np.log1p(-fp)
        log_chance += self.alarms * np.log(fn)
        log_chance += self.hits * np.log1p(-fn)
        return log_chance

    def log_marginal(self) -> Floats:
        """log P(labels | threshold), fp and fn integrated out: B(strays + a, rest + b) / B(a, b), likewise for fn."""
        (a, b), (c, d) = FP_PRIOR, FN_PRIOR
        log_chance: Floats = betaln(self.strays + a, self.rest + b) - betaln(a, b)
        log_chance += betaln(self.alarms + c, self.hits + d) - betaln(c, d)
        return log_chance

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

    The candidate thresholds are these ends, and "above all". Quantiles of the distinct scores are needed because most
    pairs may have the same score, such as 0. Labels are not used, so this is a prior.
    """
    distinct = np.unique(scores)
    if len(distinct) <= MAX_BINS:
        return distinct
    shares = np.arange(MAX_BINS // 2) / (MAX_BINS // 2)
    return np.unique(np.concatenate([np.quantile(of, shares, method="lower") for of in (scores, distinct)]))


def log_sum_exp(values: Floats, *, axis: int = -1) -> Floats:
    """log sum exp, without overflow."""
    top = values.max(axis=axis, keepdims=True)
    log_sum: Floats = np.squeeze(top, axis=axis) + np.log(np.exp(values - top).sum(axis=axis))
    return log_sum


def _before(counts: Floats) -> Floats:
    """The counts below each cut: those of the bins before it; all bins are below the last cut."""
    return np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class PooledPrior:
    """The distribution of thresholds in the data set: pooling * mean posterior of the units + (1 - pooling) uniform."""

    log_weights: Floats
    pooling: float
    """From 0 to 1; 0 means that a unit learns nothing from the others."""
    log_gain: float
    """How much it raises the log probability of the labels above that of the uniform prior; 0 where it does not."""


def pooled_prior(log_likelihood: Floats) -> PooledPrior:
    """Fit the prior of thresholds to log P(labels | threshold) of shape (units, cuts).

    The prior is (sum_u posterior_u + c / G) / (U + c) over G cuts and U units: pooling is U / (U + c). c maximises the
    marginal likelihood P(D) = prod_u P(D_u | D_1 .. D_(u - 1)), where the prior of unit u is pooled from the units
    before it (Newton's predictive recursion, 2002): no unit influences its own prior, so the gain is not too high
    even for two or three units. If every c is worse than uniform, the prior is uniform.
    """
    units, cuts = log_likelihood.shape
    uniform = np.full(cuts, -np.log(cuts))
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    pooled = np.full((len(CONCENTRATIONS), cuts), 1 / cuts)
    gains = np.zeros(len(CONCENTRATIONS))
    for number, of_unit in enumerate(likelihood):
        joint = pooled * of_unit
        chance = joint.sum(axis=1)
        gains += np.log(chance) - np.log(of_unit.mean())
        # The concentration counts as so many units, so each further unit changes the pool less.
        share = 1 / (CONCENTRATIONS + number + 1)
        pooled += share[:, None] * (joint / chance[:, None] - pooled)
    best = int(np.argmax(gains))
    if units < 2 or gains[best] <= 0:
        return PooledPrior(uniform, 0.0, 0.0)
    concentration = CONCENTRATIONS[best]
    weights = pooled[best]
    for _ in range(_POOLING_ROUNDS):
        joint = likelihood * weights
        posterior = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
        weights = (posterior + concentration / cuts) / (units + concentration)
    return PooledPrior(np.log(weights), float(units / (units + concentration)), float(gains[best]))


def posterior(log_likelihood: Floats, log_prior: Floats) -> Floats:
    """P(threshold | labels) of each unit."""
    joint = log_likelihood + log_prior
    chances: Floats = np.exp(joint - log_sum_exp(joint, axis=1)[:, None])
    return chances


@dataclass(frozen=True, slots=True, eq=False)
class ErrorGrid:
    """Points (fp, fn) with their posterior weights."""

    fp: Floats
    fn: Floats
    weights: Floats
    log_evidence: float
    """log P(labels), with thresholds summed and error rates integrated out."""
    mode: tuple[float, float]


def error_grid(counts: Counts, log_prior: Floats) -> ErrorGrid:
    """P(fp, fn | labels) is proportional to Beta(fp) Beta(fn) prod_u sum_g prior_g P(labels of u | t_g, fp, fn).

    The grid is in logits, where the density is smooth and falls to 0 on all sides, so that a plain sum over equal steps
    is accurate. It starts around the mode that EM finds. It is moved and scaled until it covers everything above
    exp(-12) of the peak, and made finer until the result no longer changes.
    """
    mode = max(
        (_mode(counts, log_prior, *start) for start in _STARTS), key=lambda at: _log_joint(counts, log_prior, *at)
    )
    total = counts.total()
    pairs = float(total.strays[0, 0] + total.rest[0, 0] + total.alarms[0, 0] + total.hits[0, 0])
    centre = logit(np.array(mode))
    half = np.array([6 * np.sqrt(2 / (pairs * rate * (1 - rate) + 1)) for rate in mode])
    points = _POINTS
    for _ in range(_MOST_ROUNDS):
        axes = [np.linspace(at - reach, at + reach, points) for at, reach in zip(centre, half, strict=True)]
        values = _log_joints(counts, log_prior, expit(axes[0]), expit(axes[1]))
        settled = True
        for axis in (0, 1):
            heights = values.max(axis=1 - axis) - values.max()
            inside = np.flatnonzero(heights > -_REACH)
            first, last = int(inside[0]), int(inside[-1])
            if first == 0 or last == points - 1:
                centre[axis], half[axis], settled = (
                    axes[axis][int(np.argmax(heights))],
                    min(1.5 * half[axis], _WIDEST),
                    False,
                )
            elif last - first < 0.7 * points:
                low, high = axes[axis][first - 1], axes[axis][last + 1]
                centre[axis], half[axis], settled = (low + high) / 2, (high - low) / 2, False
        log_evidence = _integral(values, axes)
        if settled and abs(log_evidence - _integral(values[::2, ::2], [axis[::2] for axis in axes])) < _COARSE:
            break
        if settled:
            points = min(2 * points - 1, _MOST_POINTS)
    fp, fn = np.meshgrid(expit(axes[0]), expit(axes[1]), indexing="ij")
    weights = np.exp(values - values.max())
    return ErrorGrid(fp.ravel(), fn.ravel(), (weights / weights.sum()).ravel(), log_evidence, mode)


def _integral(values: Floats, axes: list[Floats]) -> float:
    return float(log_sum_exp(values.ravel())) + float(np.log([axis[1] - axis[0] for axis in axes]).sum())


def _log_joint(counts: Counts, log_prior: Floats, fp: float, fn: float) -> float:
    """log of prior times likelihood, per unit of logit(fp) and logit(fn)."""
    log_joint = float(log_sum_exp(counts.log_likelihood(fp, fn) + log_prior, axis=1).sum())
    for rate, (a, b) in ((fp, FP_PRIOR), (fn, FN_PRIOR)):
        log_joint += a * np.log(rate) + b * np.log1p(-rate) - float(betaln(a, b))
    return log_joint


def _log_joints(counts: Counts, log_prior: Floats, fps: Floats, fns: Floats) -> Floats:
    """`_log_joint` at every point of a grid; where few units share the rates, many points at once, which is faster."""
    if counts.hits.size > _FEW_CELLS:
        return np.array([[_log_joint(counts, log_prior, fp, fn) for fn in fns] for fp in fps])
    below = counts.strays * np.log(fps)[:, None, None] + counts.rest * np.log1p(-fps)[:, None, None]
    above = counts.alarms * np.log(fns)[:, None, None] + counts.hits * np.log1p(-fns)[:, None, None] + log_prior
    values: Floats = np.array([log_sum_exp(row + above).sum(axis=-1) for row in below])
    for rates, (a, b), axis in ((fps, FP_PRIOR, 1), (fns, FN_PRIOR, 0)):
        of_rates = a * np.log(rates) + b * np.log1p(-rates) - float(betaln(a, b))
        values += np.expand_dims(of_rates, axis)
    return values


def _mode(counts: Counts, log_prior: Floats, fp: float, fn: float) -> tuple[float, float]:
    """The nearest peak of `_log_joint`, by EM over the unknown thresholds."""
    (a, b), (c, d) = FP_PRIOR, FN_PRIOR
    for _ in range(100):
        weights = posterior(counts.log_likelihood(fp, fn), log_prior)
        strays, rest, alarms, hits = (
            float((weights * part).sum()) for part in (counts.strays, counts.rest, counts.alarms, counts.hits)
        )
        before = fp, fn
        fp, fn = (strays + a) / (strays + rest + a + b), (alarms + c) / (alarms + hits + c + d)
        if abs(fp - before[0]) + abs(fn - before[1]) < _TINY + 1e-4 * min(fp, fn):
            break
    return fp, fn
