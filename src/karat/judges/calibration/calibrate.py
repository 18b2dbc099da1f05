"""Choose how the raw scores of a judge become probabilities: learned from labels, the prior, or a fixed threshold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Judge
from karat.judges.calibration.calibration import Calibration, fixed, score_credit
from karat.judges.calibration.chosen_model import FittedThresholds, ThresholdModelName, fit_threshold_model
from karat.judges.calibration.decisions import decision_rates
from karat.judges.calibration.learned import Learned, learn
from karat.judges.calibration.priors import BETWEEN_FREEDOM, PRIORS, expected_slope, prior_calibration
from karat.judges.calibration.uncertainty import FEW_QUERIES, error_sizes, prior_sizes
from karat.judges.pairs import Floats, Pairs, run_codes, without_empty
from karat.measures.cases.saved_fields import CommonErrors, Sigmas
from karat.model import UsageError
from karat.model.wording import number_of

ENOUGH_LABELS = 60
"""A calibration is learned from at least so many labelled pairs; with fewer, the one that comes with Karat is used."""
CALIBRATED = "calibrated on labels of"
LABEL = f"; label about {ENOUGH_LABELS} judgements with `karat review`"
ADVICE = (
    f"{LABEL}: in tests with 5 queries intervals were then half "
    "as wide, and runs that differ by 0.1 or more were in the right order in 98 % of pairs instead of 90 %"
)
"""Measured by benchmarks/honesty/labelling.py (docs/statistics.md)."""
UNCALIBRATED = f"scores use a calibration from other collections, and intervals are wide because of that{ADVICE}"


def uncalibrated(name: str) -> str:
    """What a note says of a judge's scores where no calibration was learned; what was measured is about other judges
    than one whose prior has another source."""
    source = PRIORS[name].source
    return f"scores use {source}, and intervals are wide because of that{LABEL}" if source else UNCALIBRATED


def without_advice(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes for who is labelling just now: there it is of no use to advise labels."""
    return tuple(note.replace(ADVICE, "").replace(LABEL, "") for note in notes)


def of_random_part(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes where labels correct the judge instead of teaching it: nothing about learning from them."""
    return without_advice(note for note in notes if not note.startswith(CALIBRATED))


@dataclass(frozen=True)
class Calibrated:
    """How raw scores become probabilities, and how large the errors are that a response or a run shares."""

    calibration: Learned | FittedThresholds | Calibration
    sizes: Sigmas
    notes: tuple[str, ...] = ()
    rates: Calibration | None = None
    """Where decisions are hard: how often people agree with them; None where it is not known."""
    measured: bool = True
    """Whether the probabilities say how often the judge is wrong; hard decisions and credits do not."""

    @property
    def sigma(self) -> float:
        return self.sizes.sigma

    @property
    def run_sigma(self) -> float:
        return self.sizes.run_sigma

    @property
    def common(self) -> CommonErrors:
        return self.sizes.common

    def probabilities(self, pairs: Pairs) -> Floats:
        """P(none), P(partial), P(full) of every pair."""
        if isinstance(self.calibration, Calibration):
            return self.calibration.probabilities(pairs.scores)
        return self.calibration.probabilities(pairs)

    def error_rates(self, pairs: Pairs) -> Floats | None:
        """P(none), P(partial), P(full) given each decision, NaN where unknown; None where the probabilities say it."""
        if self.measured:
            return None
        return np.full((len(pairs.scores), 3), np.nan) if self.rates is None else self.rates.probabilities(pairs.scores)


def calibrate(
    pairs: Pairs,
    program: Judge,
    *,
    threshold: float | None = None,
    threshold_model: ThresholdModelName | None = None,
    use: NDArray[np.bool_] | None = None,
    to_read: NDArray[np.bool_] | None = None,
) -> Calibrated:
    """Learn from people's labels, where there are enough of them, how raw scores become probabilities.

    threshold: decide at this raw score; labels then say how often the decisions are right (`decisions`). Where the
    score itself is the credit, scores below it count 0. threshold_model: use only this noisy-threshold model (see
    `threshold_model`). use: learn only from these pairs. to_read: the pairs whose probabilities will be asked for (see
    `learn`). Labels of empty responses are not used: an empty response contains nothing, whatever the calibration says.

    Raises:
        UsageError: a model of thresholds is given where a threshold is given, or where the score itself is the credit.
    """
    if threshold_model is not None and threshold is not None:
        raise UsageError("a fixed threshold needs no model of thresholds: choose --threshold or --threshold-model")
    if program.credits_scores:
        if threshold_model is not None:
            raise UsageError(
                f"{program} gives credits and no probabilities: --threshold-model needs credit=probability"
            )
        return Calibrated(score_credit(threshold), Sigmas(0.0, 0.0), measured=False)
    pairs = without_empty(pairs)
    if use is not None:
        pairs = replace(pairs, degrees=np.where(use, pairs.degrees, np.nan))
    known = ~np.isnan(pairs.degrees)
    if threshold is not None:
        decided = Calibrated(fixed(threshold), Sigmas(0.0, 0.0), measured=False)
        if known.sum() < ENOUGH_LABELS:
            return decided
        rates = decision_rates(pairs.labelled(), threshold)
        sizes = error_sizes(pairs, rates.probabilities(pairs.scores)[:, 2], run_codes(pairs))
        return replace(decided, rates=rates, sizes=sizes, notes=_few_queries(len(np.unique(pairs.question[known]))))
    if lack := _lack_of_labels(pairs.degrees[known]):
        unused = f"; --threshold-model {threshold_model} was not used" if threshold_model is not None else ""
        notes = (f"{lack}: {uncalibrated(program.name)}{unused}",)
        return Calibrated(prior_calibration(program.name), prior_sizes(program.name), notes)
    few = _few_queries(len(np.unique(pairs.question[known])))
    if threshold_model is not None:
        fitted = fit_threshold_model(pairs, threshold_model)
        return Calibrated(fitted, error_sizes(pairs, fitted.probabilities(pairs)[:, 2], run_codes(pairs)), few)
    learned = learn(pairs, to_read=to_read, expected=expected_slope(program.name))
    slope_sd = PRIORS[program.name].between.slope_sd(BETWEEN_FREEDOM)
    sizes = error_sizes(pairs, learned.probabilities(pairs)[:, 2], run_codes(pairs), slope_sd=slope_sd)
    return Calibrated(learned, sizes, few)


def _few_queries(queries: int) -> tuple[str, ...]:
    if queries >= FEW_QUERIES:
        return ()
    return (
        f"{CALIBRATED} {number_of(queries, 'query')}: the judge's intervals are wide because of that; "
        f"label {FEW_QUERIES} queries or more",
    )


def _lack_of_labels(degrees: Floats) -> str:
    """Why no calibration can be learned from these labels; empty where one can."""
    if not len(degrees):
        return "no labels here"
    if len(degrees) < ENOUGH_LABELS:
        labels = number_of(len(degrees), "label")
        return f"only {labels} of responses with text ({ENOUGH_LABELS} are needed to calibrate)"
    if degrees.min() >= 1:
        return "labels of no use: every labelled response contains every nug in full"
    return "" if degrees.max() >= 1 else "labels of no use: no labelled response contains a nug in full"
