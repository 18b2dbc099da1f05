"""What a judge says about every pair when it may learn from the answers of a plan, but not from the pair's own.

The pairs are put into folds; what the judge says about a fold comes from a calibration on the answers of the others
(cross-fitting, Zrnic & Candès 2024). Answers were drawn where the judge is unsure, so that a calibration learned from
them may be at the wrong level elsewhere: the level is then set by answers that count by one over their chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from karat.evaluate.plan.pair_population import PairName, PairWeights, pair_names
from karat.evaluate.plan.planned_answers import PlannedAnswers
from karat.judges.base import Judge
from karat.judges.calibration.calibrate import calibrate
from karat.judges.calibration.priors import prior_calibration
from karat.judges.pairs import Floats, Pairs
from karat.measures.cases.cases import is_silent

FOLDS = 5
TINY = 1e-4
STEPS = 30
LEVEL_PRIOR = 0.25
"""The prior precision of a level in log-odds: one label at even odds."""


@dataclass(frozen=True)
class PairCredits:
    """Every pair: its name, the judge's probabilities without its own answer, people's degree, and its chance."""

    names: list[PairName]
    before: Floats
    """The judge's probabilities without any label."""
    probabilities: Floats
    """Those by a calibration that has not seen the pair's own answer."""
    degrees: Floats
    """NaN where people gave none that can be used."""
    chances: Floats
    """1 where people were asked anyway, or could not decide; 0 where the pair could not be drawn."""

    @classmethod
    def of(cls, pairs: Pairs, program: Judge, answers: PlannedAnswers, chances: dict[PairName, float]) -> PairCredits:
        names = pair_names(pairs)
        silent = {
            (response.query_id, response.run_id)
            for query in pairs.queries
            for response in query.task.responses
            if is_silent(response)
        }
        empty = np.array([name[:2] in silent for name in names], bool)
        probabilities = np.zeros((len(names), 3))
        # Pairs go to folds by their place, which says nothing about their answers.
        fold = np.random.default_rng(0).integers(FOLDS, size=len(names))
        known = np.array([name in answers.known for name in names], bool)
        drawn = np.array([name in answers.chances for name in names], bool)
        share = np.array([1 / answers.chances[name] if name in answers.chances else 0.0 for name in names])
        for number in range(FOLDS):
            own = fold == number
            learned = calibrate(pairs, program, use=~own, to_read=own).probabilities(pairs)
            level = level_of(learned[:, 2], pairs.degrees >= 1, np.where(own, 0.0, share))
            probabilities[own] = shifted(learned[own], level)
        probabilities[empty] = (1.0, 0.0, 0.0)
        degrees = np.where(empty, 0.0, np.where(known | drawn, pairs.degrees, np.nan))
        undecided = np.array([name in answers.undecided for name in names], bool)
        chance = np.array([chances.get(name, 0.0) for name in names])
        before = prior_calibration(program.name).probabilities(pairs.scores)
        before[empty] = (1.0, 0.0, 0.0)
        return cls(names, before, probabilities, degrees, np.where(known | undecided | empty, 1.0, chance))

    def covers(self, weights: PairWeights) -> bool:
        """Whether everything that counts could be drawn, or is known."""
        return all(
            chance > 0 or not weights.in_mean(*name) for name, chance in zip(self.names, self.chances, strict=True)
        )


def level_of(full: Floats, contained: NDArray[np.bool_], share: Floats) -> float:
    """By how much log-odds have to move so that as much is contained as people say, where pairs count by their share.

    The judge's own level counts as one label.
    """
    if not share.sum() > 0:
        return 0.0
    share = share / share.sum() * (share > 0).sum()
    odds = logit(np.clip(full, TINY, 1 - TINY))
    use = share > 0
    level = 0.0
    for _ in range(STEPS):
        fitted = expit(odds[use] + level)
        slope = float(share[use] @ (contained[use] - fitted)) - LEVEL_PRIOR * level
        curve = float(share[use] @ (fitted * (1 - fitted))) + LEVEL_PRIOR
        level += min(max(slope / curve, -1.0), 1.0)
    return level


def shifted(probabilities: Floats, level: float) -> Floats:
    """P(none), P(partial), P(full) with the log-odds of full, and of at least partial, moved."""
    full, at_least = (
        expit(logit(np.clip(part, TINY, 1 - TINY)) + level) for part in (probabilities[:, 2], 1 - probabilities[:, 0])
    )
    full = np.minimum(full, at_least)
    return np.stack([1 - at_least, at_least - full, full], axis=1)
