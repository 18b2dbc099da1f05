"""Calibrations by the noisy-threshold model, and which of its forms the data favour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.labelled import Floats, Labelled
from karat.judges.calibration.noisy_threshold import ErrorsBy, NoisyThreshold, ThresholdsBy, fit_noisy_threshold
from karat.model import UsageError

_MODELS: tuple[tuple[str, ThresholdsBy, ErrorsBy], ...] = (
    ("global threshold", "data", "global"),
    ("per-question thresholds", "question", "global"),
    ("per-nug thresholds", "nug", "global"),
    ("per-nug errors and thresholds", "nug", "nug"),
)


@dataclass(frozen=True, slots=True)
class ModelEvidence:
    """One row of Table 4 of Marton & Radul (2006)."""

    name: str
    log10_evidence: float
    """log10 P(labels | model); the model with the highest is the most probable."""
    log10_pooled: float
    """The same where a threshold leans on those of the other units; equal where that does not help."""
    thresholds: ThresholdsBy | None = None
    errors: ErrorsBy | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.log10_evidence:.0f}"


def fit_bayesian(labelled: Labelled, *, thresholds: ThresholdsBy = "nug", errors: ErrorsBy = "global") -> Calibration:
    """Posterior-predictive probabilities of the noisy-threshold model, for each of the two cuts of the scale.

    P(contained | s) = sum over thresholds t and errors of P(t, fp, fn | labels) (1 - fn if s >= t else fp). A question
    or nug with little evidence leans on the thresholds of the others (`pooled_prior`); one without any has theirs.
    Without a partial label the two cuts are one, and P(partial) is 0.

    Raises:
        UsageError: there is no labelled pair, or no such model.
    """
    if thresholds not in get_args(ThresholdsBy):
        raise UsageError(f"thresholds={thresholds!r} is not one of {', '.join(get_args(ThresholdsBy))}")
    if errors not in get_args(ErrorsBy):
        raise UsageError(f"errors={errors!r} is not one of {', '.join(get_args(ErrorsBy))}")
    known = labelled.to_fit()
    full = _fit(known, 1.0, thresholds, errors)
    partial = _fit(known, 0.5, thresholds, errors) if known.three_way else full
    return Calibration(partial=partial, full=full, described=(("thr", thresholds), ("err", errors)))


def compare_models(labelled: Labelled, *, cut: float = 1.0) -> tuple[ModelEvidence, ...]:
    """How probable the labels are under each model, as in Table 4; contained = a degree of at least `cut`.

    The optimally biased coin has the share of contained pairs as its bias: P = p^k (1 - p)^(n - k) with p = k / n.
    Thresholds are a priori independent and uniform over the candidates, error rates Beta(1, 2): a model with more of
    them pays for each. It is `log10_evidence` that the paper compares.
    """
    if cut not in (0.5, 1.0):
        raise UsageError(f"cut={cut:g} is not one of 0.5, 1")
    known = labelled.to_fit()
    positive = _reaches(known, cut)
    share = float(positive.mean())
    entropy = sum(part * np.log10(part) for part in (share, 1 - share) if part > 0)
    coin = float(len(positive) * entropy)
    rows = [ModelEvidence("optimally biased coin", coin, coin)]
    for name, thresholds, errors in _MODELS:
        model = _fit(known, cut, thresholds, errors)
        rows.append(ModelEvidence(name, model.log10_evidence, model.log10_pooled, thresholds, errors))
    return tuple(rows)


def _fit(known: Labelled, cut: float, thresholds: ThresholdsBy, errors: ErrorsBy) -> NoisyThreshold:
    return fit_noisy_threshold(known, _reaches(known, cut), thresholds=thresholds, errors=errors)


def _reaches(known: Labelled, cut: float) -> Floats:
    return (known.degrees >= cut).astype(np.float64)
