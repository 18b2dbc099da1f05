"""How good a judge's scores, probabilities and decisions are, beside what people said.

Labels are 0 or 1. A pair with a NaN on either side is left out; without any pair a quality is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.judges.calibration.labelled import Floats, vector
from karat.model import UsageError

_SMALLEST = 1e-15


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The pairs whose probability lies in [low, high) (the last bin: [low, high])."""

    low: float
    high: float
    pairs: int
    probability: float
    """The mean of what the judge said; NaN in an empty bin, and so is `share`."""
    share: float
    """How many were contained."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Decisions against labels. A ratio without a denominator is NaN."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    accuracy: float
    precision: float
    recall: float
    f1: float
    """2 TP / (2 TP + FP + FN)."""
    kappa: float
    """Cohen's: (p_o - p_e) / (1 - p_e); NaN where judge and people say one and the same throughout."""


def brier(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The mean squared difference of probability and label (Brier 1950)."""
    p, y = _probabilities(probabilities, labels)
    return float(((p - y) ** 2).mean()) if len(p) else math.nan


def log_loss(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """-mean log P(label), in nats; probabilities are kept 1e-15 away from 0 and 1."""
    p, y = _probabilities(probabilities, labels)
    if not len(p):
        return math.nan
    p = np.clip(p, _SMALLEST, 1 - _SMALLEST)
    return float(-(y * np.log(p) + (1 - y) * np.log1p(-p)).mean())


def calibration_table(
    probabilities: npt.ArrayLike, labels: npt.ArrayLike, *, bins: int = 10
) -> tuple[CalibrationBin, ...]:
    """What the judge said and what was so, by bins of equal width."""
    if bins < 1:
        raise UsageError(f"bins={bins} must be at least 1")
    p, y = _probabilities(probabilities, labels)
    edges = np.linspace(0, 1, bins + 1)
    place = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, bins - 1)
    pairs = np.bincount(place, minlength=bins)
    said, so = (np.bincount(place, values, minlength=bins) for values in (p, y))
    return tuple(
        CalibrationBin(
            float(edges[i]), float(edges[i + 1]), int(pairs[i]), _ratio(said[i], pairs[i]), _ratio(so[i], pairs[i])
        )
        for i in range(bins)
    )


def auc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """P(a contained pair scores higher than one that is not), ties counting half: Mann and Whitney's U by mean ranks.

    NaN without pairs of both kinds.

    >>> auc([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1])
    0.875
    """
    given, y = _known(scores, labels, "scores")
    positives = int(y.sum())
    if positives in (0, len(y)):
        return math.nan
    _, place, times = np.unique(given, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    above = float(ranks[y == 1].sum()) - positives * (positives + 1) / 2
    return above / (positives * (len(y) - positives))


def kappa_f1(decisions: npt.ArrayLike, labels: npt.ArrayLike) -> Confusion:
    """The confusion of decisions (0 or 1) and labels, and what is usually made of it."""
    said, y = _known(decisions, labels, "decisions")
    if not np.isin(said, (0, 1)).all():
        raise UsageError("decisions must be 0 or 1, or NaN where unknown")
    tp, fp, fn, tn = (int(((said == a) & (y == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0)))
    n = tp + fp + fn + tn
    by_chance = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
    return Confusion(
        true_positive=tp,
        false_positive=fp,
        false_negative=fn,
        true_negative=tn,
        accuracy=_ratio(tp + tn, n),
        precision=_ratio(tp, tp + fp),
        recall=_ratio(tp, tp + fn),
        f1=_ratio(2 * tp, 2 * tp + fp + fn),
        kappa=_ratio(n * (tp + tn) - by_chance, n * n - by_chance),
    )


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan


def _known(values: npt.ArrayLike, labels: npt.ArrayLike, name: str) -> tuple[Floats, Floats]:
    given, y = vector(values, name), vector(labels, "labels")
    if len(given) != len(y):
        raise UsageError(f"{len(given)} {name} and {len(y)} labels")
    known = ~(np.isnan(given) | np.isnan(y))
    if not np.isin(y[known], (0, 1)).all():
        raise UsageError("labels must be 0 or 1, or NaN where unknown")
    return given[known], y[known]


def _probabilities(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Floats, Floats]:
    p, y = _known(probabilities, labels, "probabilities")
    if ((p < 0) | (p > 1)).any():
        raise UsageError("probabilities must lie between 0 and 1")
    return p, y
