"""Smooth calibration: the logit of the probability is linear in the score (Platt 1999), with a ridge."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, log_expit

from karat.judges.calibration.calibration import Calibration, Scored, columns
from karat.judges.calibration.labelled import Floats, Labelled
from karat.model import UsageError

_MOST_ROUNDS = 100
_FAR = 40.0


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """P(contained) = 1 / (1 + exp(-(intercept + slopes . (score, covariates...))))."""

    intercept: float
    slopes: tuple[float, ...]

    def probability(self, pairs: Scored) -> Floats:
        given = 0 if pairs.covariates is None else pairs.covariates.shape[1]
        if given != len(self.slopes) - 1:
            raise UsageError(
                f"the calibration was fitted with {len(self.slopes) - 1} covariates, but {given} are given: "
                "give the same ones"
            )
        chances: Floats = expit(self.intercept + _features(pairs.scores, pairs.covariates) @ np.array(self.slopes))
        return chances


@dataclass(frozen=True, slots=True)
class ExpectedSlope:
    """What is known about the slope of the score before any label: its mean, and its standard deviation."""

    mean: float
    sd: float
    along: tuple[float, ...] = (1.0,)
    """How the features (score, covariates...) grow with the score, so that the slope is along . slopes."""


def fit_logistic(
    labelled: Labelled,
    *,
    covariates: npt.ArrayLike | None = None,
    ridge: float = 1.0,
    questions_alike: bool = False,
    expected: ExpectedSlope | None = None,
) -> Calibration:
    """Two cuts of one scale (proportional odds, McCullagh 1980): full and at least partial, on score and covariates.

    The curve of full minimises -log likelihood + ridge / 2 |w|^2, with w the slopes of the standardised features and
    the intercept free, by Newton's method. The ridge keeps the slope finite where a threshold separates all pairs. The
    curve of at least partial has the same slopes, and the intercept with the highest likelihood: partial labels are
    few, and with its own slopes the curve would be too high where no word matches. Where all pairs have the same label,
    a curve is flat, at (k + 1) / (n + 2) with k of n contained; where this happens only to full, at least partial has
    its own slopes.
    questions_alike: every question has the same weight, however many pairs it has, as in a mean over questions.
    expected: (slope - mean)^2 / (2 sd^2) is added, which draws the slope of the score towards the one expected: labels
    that all have nearly the same score, such as those that a judge is least sure of, say nothing about it.
    """
    if not (ridge > 0 and math.isfinite(ridge)):
        raise UsageError(f"ridge={ridge} is not a number above 0")
    known = labelled.to_fit()
    others = None if covariates is None else columns(covariates, len(labelled.scores))[labelled.known]
    features = _features(known.scores, others)
    weight = _alike(known.question) if questions_alike else np.ones(len(known.scores))
    full = _fit(features, known.degrees == 1, ridge, weight, expected)
    partial = full
    if known.three_way:
        reached = known.degrees >= 0.5
        apart = reached.all() or not (known.degrees == 1).any()
        partial = _fit(features, reached, ridge, weight, expected) if apart else _moved(full, features, reached, weight)
    described = [("cal", "logistic"), ("ridge", f"{ridge:g}")]
    if questions_alike:
        described.append(("weigh", "questions"))
    if expected is not None:
        described.append(("slope", f"{expected.mean:.3g}+-{expected.sd:.2g}"))
    if others is not None:
        described.append(("covariates", str(others.shape[1])))
    return Calibration(partial=partial, full=full, described=tuple(described))


def _moved(curve: LogisticCurve, features: Floats, positive: npt.NDArray[np.bool_], weight: Floats) -> LogisticCurve:
    """The curve with the intercept at which it expects as many positive pairs as there are."""
    along = features @ np.array(curve.slopes)
    # At these ends every pair is expected to be on one side.
    low, high = float(-along.max() - _FAR), float(-along.min() + _FAR)
    root = brentq(lambda intercept: float(weight @ (expit(intercept + along) - positive)), low, high, xtol=1e-12)
    return LogisticCurve(float(root), curve.slopes)


def _features(scores: Floats, covariates: Floats | None) -> Floats:
    return scores[:, None] if covariates is None else np.column_stack([scores, covariates])


def _alike(question: npt.NDArray[np.int64]) -> Floats:
    """Weights of mean 1 that sum to the same over the pairs of every question."""
    _, code, counts = np.unique(question, return_inverse=True, return_counts=True)
    weights: Floats = len(question) / (len(counts) * counts[code])
    return weights


def _fit(
    features: Floats,
    positive: npt.NDArray[np.bool_],
    ridge: float,
    weight: Floats,
    expected: ExpectedSlope | None = None,
) -> LogisticCurve:
    contained, n = int(positive.sum()), len(positive)
    centre, spread = features.mean(axis=0), features.std(axis=0)
    if contained in (0, n):
        return LogisticCurve(math.log((contained + 1) / (n - contained + 1)), (0.0,) * features.shape[1])
    # A constant feature says nothing; the ridge keeps its slope at 0.
    spread = np.where(spread > 0, spread, 1.0)
    design = np.column_stack([np.ones(n), (features - centre) / spread])
    penalty = np.concatenate([[0.0], np.full(features.shape[1], ridge)])
    # -log likelihood + w' drawn w / 2 - towards' w
    drawn, towards = np.diag(penalty), np.zeros(design.shape[1])
    if expected is not None:
        slope_of = np.concatenate([[0.0], np.array(expected.along) / spread])
        drawn = drawn + np.outer(slope_of, slope_of) / expected.sd**2
        towards = slope_of * expected.mean / expected.sd**2
    weights = np.zeros(design.shape[1])
    weights[0] = math.log(contained / (n - contained))
    sign = np.where(positive, 1.0, -1.0)

    def loss_of(at: Floats) -> float:
        return float(-(weight * log_expit(sign * (design @ at))).sum() + at @ drawn @ at / 2 - towards @ at)

    loss = loss_of(weights)
    for _ in range(_MOST_ROUNDS):
        p = expit(design @ weights)
        gradient = design.T @ (weight * (p - positive)) + drawn @ weights - towards
        curvature = (design * (weight * p * (1 - p))[:, None]).T @ design + drawn
        # Far from the optimum the curvature of the intercept can be 0.
        curvature[0, 0] += 1e-12 * n
        step = np.linalg.solve(curvature, gradient)
        size, smaller = 1.0, loss_of(weights - step)
        while smaller > loss and size > 1e-8:
            size /= 2
            smaller = loss_of(weights - size * step)
        weights = weights - size * step
        if abs(loss - smaller) <= 1e-13 * (1 + abs(loss)) and np.abs(size * step).max() < 1e-8:
            break
        loss = smaller
    slopes = weights[1:] / spread
    return LogisticCurve(float(weights[0] - slopes @ centre), tuple(map(float, slopes)))
