"""What raw scores mean, learned from people's judgements.

One logistic curve of the score and the importance is for all nugs; every query has the same weight in it. A nug that
was judged in several responses also has its own threshold (the noisy-threshold model of Marton & Radul 2006, their best
one; nugs with few labels lean on the others). The two count the same: their log-odds are averaged. On TREC RAG 2024
only the threshold is best for single nugs, and only the curve is best for telling runs apart. Half and half is a
compromise, chosen after looking at that set and at REALSumm, whose Brier score would have given the threshold three
quarters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import ExpectedSlope, fit_logistic
from karat.judges.calibration.threshold_models import fit_bayesian
from karat.judges.pairs import Floats, Ints, Pairs

TINY = 1e-4
ENOUGH_OF_NUG = 5
"""A nug's own threshold counts if the nug was judged in so many responses."""


@dataclass(frozen=True)
class Learned:
    """What a score means: by the nug's own threshold where it was judged often enough, and by the common curve."""

    common: Calibration
    of_nugs: Calibration | None
    codes: dict[tuple[str, str], int]
    """Query and nug -> the code of the nug in `of_nugs`, for nugs that were judged often enough."""

    def probabilities(self, pairs: Pairs) -> Floats:
        """P(none), P(partial), P(full) of every pair."""
        probabilities = self.common.probabilities(pairs.scores, covariates=pairs.covariates())
        if self.of_nugs is None:
            return probabilities
        code = self._codes_of(pairs)
        has_own = code >= 0
        if has_own.any():
            of_nugs = self.of_nugs.probabilities(pairs.scores[has_own], nug=code[has_own])
            probabilities[has_own] = _between(probabilities[has_own], of_nugs)
        return probabilities

    def knows(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs belong to nugs that have their own threshold."""
        return self._codes_of(pairs) >= 0

    def _codes_of(self, pairs: Pairs) -> Ints:
        return np.array([self.codes.get(name, -1) for name in nug_names(pairs)], int)[pairs.nug]

    def settings(self) -> dict[str, str]:
        return self.common.settings() | ({"thr": "nug"} if self.of_nugs is not None else {})


def learn(
    pairs: Pairs,
    use: NDArray[np.bool_] | None = None,
    *,
    to_read: NDArray[np.bool_] | None = None,
    expected: ExpectedSlope | None = None,
) -> Learned:
    """Learn from the judged pairs (only those in `use`, where it is given).

    to_read: the pairs whose probabilities will be asked for; thresholds that their nugs do not need are not learned.
    expected: what other collections say about the slope of the score (where the importance is unknown).
    """
    use = ~np.isnan(pairs.degrees) & (np.ones(len(pairs.scores), bool) if use is None else use)
    taught = Labelled(pairs.scores[use], pairs.degrees[use], pairs.question[use], pairs.nug[use])
    if expected is not None:
        # The covariates are the importance, and its product with the score.
        expected = replace(expected, along=(1.0, 0.0, 0.5))
    common = fit_logistic(taught, covariates=pairs.covariates()[use], questions_alike=True, expected=expected)
    often = _judged_often(pairs.nug[use])
    if to_read is not None:
        asked = set(np.unique(pairs.nug[to_read]).tolist())
        often = [code for code in often if code in asked]
    if not often:
        return Learned(common, None, {})
    of_nugs = fit_bayesian(taught, thresholds="nug")
    names = nug_names(pairs)
    return Learned(common, of_nugs, {names[code]: code for code in often})


def _between(first: Floats, second: Floats) -> Floats:
    """Probabilities of none, partial and full from the mean log-odds of full, and of at least partial."""
    at_least, full = (
        expit((logit(np.clip(left, TINY, 1 - TINY)) + logit(np.clip(right, TINY, 1 - TINY))) / 2)
        for left, right in ((1 - first[:, 0], 1 - second[:, 0]), (first[:, 2], second[:, 2]))
    )
    full = np.minimum(full, at_least)
    return np.stack([1 - at_least, at_least - full, full], axis=1)


def _judged_often(nug: Ints) -> list[int]:
    codes, counts = np.unique(nug, return_counts=True)
    return [int(code) for code in codes[counts >= ENOUGH_OF_NUG]]


def nug_names(pairs: Pairs) -> list[tuple[str, str]]:
    """Query and id of each nug, by its code."""
    return [(query.task.query_id, nug.nug_id) for query in pairs.queries for nug in query.task.nugs]
