"""Error rates that all units share: their joint posterior on a grid that fits itself to where the mass is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit, logit

from karat.judges.calibration.labelled import Floats
from karat.judges.calibration.threshold_counts import FN_PRIOR, FP_PRIOR, Counts, log_sum_exp
from karat.judges.calibration.threshold_prior import posterior

_POINTS = 15
_MOST_POINTS = 57
_MOST_ROUNDS = 15
# Beyond it a rate cannot be told from 0 or 1.
_WIDEST = 25.0
# A sum over equal steps converges so fast that half the steps being right to this leaves nearly nothing.
_COARSE = 0.02
# exp(-12) of the peak is the border beyond which nothing is looked for.
_REACH = 12.0
_STARTS = ((0.1, 0.1), (0.05, 0.5), (0.4, 0.05))
_TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ErrorGrid:
    """Nodes of (fp, fn) with their posterior weights."""

    fp: Floats
    fn: Floats
    weights: Floats
    log_evidence: float
    """log P(labels), with thresholds summed and error rates integrated out."""
    mode: tuple[float, float]


def error_grid(counts: Counts, log_prior: Floats) -> ErrorGrid:
    """P(fp, fn | labels) is proportional to Beta(fp) Beta(fn) prod_u sum_g prior_g P(labels of u | t_g, fp, fn).

    The grid is in logits, where the density is smooth and dies out on all sides, so that a plain sum over equal steps
    is accurate. It starts around the mode that EM finds, and is moved and scaled until it covers all that exceeds
    exp(-12) of the peak, and made finer until that changes nothing.
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
        values = np.array([[_log_joint(counts, log_prior, expit(x), expit(y)) for y in axes[1]] for x in axes[0]])
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
    found = float(log_sum_exp(counts.log_likelihood(fp, fn) + log_prior, axis=1).sum())
    for rate, (a, b) in ((fp, FP_PRIOR), (fn, FN_PRIOR)):
        found += a * np.log(rate) + b * np.log1p(-rate) - float(betaln(a, b))
    return found


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
