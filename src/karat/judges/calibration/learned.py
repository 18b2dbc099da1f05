"""How raw scores are read as probabilities, learned from people's judgements.

One logistic curve of the score and the importance, in which every query weighs the same, reads all nugs. Where a nug
was judged in several responses it also has a threshold of its own (the noisy-threshold model of Marton & Radul 2006,
their best; nugs with little evidence lean on the others), and the two count alike: their log-odds are averaged. The
threshold alone knows nugs best, and the curve alone tells runs apart best on TREC RAG 2024. Half and half is a
compromise made after looking at that set and at REALSumm, whose Brier score alone would have given the threshold three
quarters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from karat.judges.calibration.calibration import Calibration
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.calibration.thresholds import fit_bayesian
from karat.judges.pairs import Floats, Ints, Pairs

TINY = 1e-4
ENOUGH_OF_NUG = 5
"""Judged responses from which a nug's own threshold counts."""


@dataclass(frozen=True)
class Learned:
    """What a score means: by nug where it was judged often enough, else by importance."""

    common: Calibration
    of_nugs: Calibration | None
    codes: dict[tuple[str, str], int]
    """Query and nug -> the code by which `of_nugs` knows the nug; of those judged often enough."""

    def probabilities(self, pairs: Pairs) -> Floats:
        """P(none), P(partial), P(full) of every pair."""
        found = self.common.probabilities(pairs.scores, covariates=pairs.covariates())
        if self.of_nugs is None:
            return found
        code = self._codes_of(pairs)
        own = code >= 0
        if own.any():
            found[own] = _between(found[own], self.of_nugs.probabilities(pairs.scores[own], nug=code[own]))
        return found

    def knows(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs are of nugs with thresholds of their own."""
        return self._codes_of(pairs) >= 0

    def _codes_of(self, pairs: Pairs) -> Ints:
        return np.array([self.codes.get(name, -1) for name in nug_names(pairs)], int)[pairs.nug]

    def settings(self) -> dict[str, str]:
        return self.common.settings() | ({"thr": "nug"} if self.of_nugs is not None else {})


def learn(pairs: Pairs, use: NDArray[np.bool_] | None = None, *, to_read: NDArray[np.bool_] | None = None) -> Learned:
    """Learn from the judged pairs (of those in `use`).

    to_read: the pairs that will be read; what their nugs have no use for is not learned.
    """
    use = ~np.isnan(pairs.degrees) & (np.ones(len(pairs.scores), bool) if use is None else use)
    taught = Labelled(pairs.scores[use], pairs.degrees[use], pairs.question[use], pairs.nug[use])
    common = fit_logistic(taught, covariates=pairs.covariates()[use], questions_alike=True)
    often = _judged_often(pairs.nug[use])
    if to_read is not None:
        asked = set(np.unique(pairs.nug[to_read]).tolist())
        often = [code for code in often if code in asked]
    if not often:
        return Learned(common, None, {})
    of_nugs = fit_bayesian(taught, thresholds="nug")
    names = nug_names(pairs)
    return Learned(common, of_nugs, {names[code]: code for code in often})


def _between(one: Floats, other: Floats) -> Floats:
    """Probabilities of none, partial and full whose log-odds lie in the middle, of full as of at least partial."""
    at_least, full = (
        expit((logit(np.clip(mine, TINY, 1 - TINY)) + logit(np.clip(yours, TINY, 1 - TINY))) / 2)
        for mine, yours in ((1 - one[:, 0], 1 - other[:, 0]), (one[:, 2], other[:, 2]))
    )
    full = np.minimum(full, at_least)
    return np.stack([1 - at_least, at_least - full, full], axis=1)


def _judged_often(nug: Ints) -> list[int]:
    codes, counts = np.unique(nug, return_counts=True)
    return [int(code) for code in codes[counts >= ENOUGH_OF_NUG]]


def nug_names(pairs: Pairs) -> list[tuple[str, str]]:
    """Query and id of each nug, by its code."""
    return [(query.task.query_id, nug.nug_id) for query in pairs.queries for nug in query.task.nugs]
