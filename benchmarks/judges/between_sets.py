"""A prior from labelled sets: the mean curve, and how far the curve of each set lies from it (`Between`).

The mean curve is that of the sets with answers of real systems (it predicts sets that it was not fitted on better than
that of all sets, by the log likelihood); all sets say how far a set may lie from it. Sets of one kind (the two years of
Temporal Summarization) count as one. With z the normal quantile of the mean curve's P(full), every set has a line of
its own, P(contained) = Phi(a + b z), every query with the same weight. Level (a + b centre) and slope (b) of the kinds
have Student's distribution with one degree of freedom less than there are kinds; its scale is the most likely one,
times sqrt(1 + 1 / kinds), because the mean is not known either. One kind that lies far from the others moves such a
scale less than a standard deviation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.calibration.priors import Between
from karat.judges.errors.correlations import quantiles
from set_scores import ScoredSet

Floats = NDArray[np.float64]
KINDS = {"trec-tempsumm-2013": "trec-tempsumm", "trec-tempsumm-2014": "trec-tempsumm"}
"""Sets of one source; any other set is a kind of its own."""
SYSTEMS = ("nuggetizer-rag24", "realsumm", "summhay")
"""The sets with answers of real systems; the others are answers put together, or whole pages."""
ROUNDS = 500


@dataclass(frozen=True)
class SetPrior:
    """What sets say about another one."""

    curves: Calibration
    between: Between
    freedom: float
    lines: dict[str, tuple[float, float]]
    """Intercept and slope of each set on the normal scale."""


def kind_of(name: str) -> str:
    return KINDS.get(name, name)


def without(sets: Mapping[str, ScoredSet], name: str) -> dict[str, ScoredSet]:
    """The sets of other kinds."""
    return {other: each for other, each in sets.items() if kind_of(other) != kind_of(name)}


def fit_prior(sets: Mapping[str, ScoredSet]) -> SetPrior:
    """The prior of some sets."""
    kinds = [kind_of(name) for name in sets]
    curves = mean_curve(sets)
    lines = {name: line_of(each, curves) for name, each in sets.items()}
    weights = np.array([1 / kinds.count(kind) for kind in kinds])
    count = float(weights.sum())
    means = [quantiles(curves.probabilities(each.scores)[:, 2]).mean() for each in sets.values()]
    centre = round(float(weights @ means / count), 3)
    freedom, widened = count - 1, math.sqrt(1 + 1 / count)
    levels, slopes = (
        np.array([line[0] + line[1] * centre for line in lines.values()]),
        np.array([line[1] for line in lines.values()]),
    )
    level, slope = (round(student_scale(values, weights, freedom) * widened, 3) for values in (levels, slopes))
    return SetPrior(curves, Between(centre, level, slope), freedom, lines)


def mean_curve(sets: Mapping[str, ScoredSet]) -> Calibration:
    """One curve for all sets with answers of systems; every set has the same weight."""
    sets = {name: each for name, each in sets.items() if name in SYSTEMS}
    scores, degrees = (
        np.concatenate([getattr(each, field) for each in sets.values()]) for field in ("scores", "degrees")
    )
    # The set is the question here, so that every set has the same weight.
    source = np.concatenate([np.full(len(each.scores), at) for at, each in enumerate(sets.values())])
    return fit_logistic(Labelled(scores, degrees, source, source), questions_alike=True)


def line_of(labelled: ScoredSet, curves: Calibration, ridge: float = 1e-4) -> tuple[float, float]:
    """Intercept and slope of a probit regression on z, by Newton's method; every query has the same weight."""
    z = quantiles(curves.probabilities(labelled.scores)[:, 2])
    design = np.column_stack([np.ones(len(z)), z])
    sign = np.where(labelled.degrees >= 1, 1.0, -1.0)
    weight = 1.0 / np.bincount(labelled.query)[labelled.query]
    weight /= weight.sum()
    line, penalty = np.array([0.0, 1.0]), np.array([0.0, ridge])
    for _ in range(100):
        at = sign * (design @ line)
        # phi / Phi, safe in the tail.
        mills = np.exp(-(at**2) / 2 - math.log(2 * math.pi) / 2 - log_ndtr(at))
        gradient = design.T @ (weight * sign * mills) - penalty * line
        curvature = (design * (weight * mills * (mills + at))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        line = line + step
        if np.abs(step).max() < 1e-9:
            break
    return float(line[0]), float(line[1])


def student_scale(values: Floats, weights: Floats, freedom: float) -> float:
    """The most likely scale of a Student distribution with these degrees of freedom, its centre unknown (by EM)."""
    centre, scale = float(np.median(values)), float(values.std()) + 1e-3
    for _ in range(ROUNDS):
        pull = weights * (freedom + 1) / (freedom + ((values - centre) / scale) ** 2)
        centre = float(pull @ values / pull.sum())
        scale = math.sqrt(float(pull @ (values - centre) ** 2 / weights.sum()))
    return scale
