"""Scores of runs as a judge might have judged them, drawn with what it is known to get wrong.

How far errors hang together is learned without the fold of groups that is drawn: each of the other folds is read with a
calibration learned from what is left without these two, so that neither the size of the errors nor the calibration it
is measured with has seen what it is used on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.score.judge_error import DEFAULT_SIGMA
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.learned import learn
from karat.judges.calibration.priors import RUN_SIGMA
from karat.judges.errors.run_error import draw_response, draw_run_effect, fit_run_effect
from karat.judges.errors.shared_error import fit_cell_effect
from karat.judges.pairs import Floats, Ints, Pairs, run_codes
from karat.measures.base import ratio

DRAWS = 2000
FOLDS = 5
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ErrorSizes:
    """How far errors hang together in what is drawn with them, in log-odds: by fold of groups."""

    fold: Ints
    """Of each pair."""
    sigma: Floats
    """Of a response, by fold."""
    run_sigma: Floats
    learned: bool = True
    """False where there are too few groups to learn from: the sizes are those of other collections."""


@dataclass(frozen=True)
class RunIntervals:
    """The judge's 95 % interval of each run's score, in the order of runs."""

    low: Floats
    high: Floats


def learn_error_sizes(pairs: Pairs, groups: Ints, known: Mask) -> ErrorSizes:
    """The shared errors of a response and of a run for each fold of groups, from the other folds."""
    fold = round_robin(groups, folds=FOLDS)
    folds = int(fold.max()) + 1
    sigma, run_sigma = np.full(folds, DEFAULT_SIGMA), np.full(folds, RUN_SIGMA)
    if folds < 3:
        return ErrorSizes(fold, sigma, run_sigma, learned=False)
    read = _read_without(pairs, fold, known)
    run = run_codes(pairs)
    for one in range(folds):
        use = (fold != one) & known & ~np.isnan(read[one]).any(axis=1)
        taught = Labelled(pairs.scores[use], pairs.degrees[use], pairs.question[use], pairs.nug[use])
        found = fit_cell_effect(taught, read[one, use], pairs.cell[use])
        sigma[one] = DEFAULT_SIGMA if np.isnan(found) else found
        run_sigma[one] = fit_run_effect(pairs.degrees[use], read[one, use], pairs.cell[use], run[use])
    return ErrorSizes(fold, sigma, run_sigma)


def round_robin(groups: Ints, *, folds: int) -> Ints:
    """The fold of each pair: its group goes to the next fold in turn, in the order of the groups."""
    _, place = np.unique(groups, return_inverse=True)
    found: Ints = place.ravel() % folds
    return found


def _read_without(pairs: Pairs, fold: Ints, known: Mask) -> Floats:
    """Probabilities (folds x pairs x 3) by calibrations that saw neither the fold nor the pair's own; NaN inside it."""
    folds = int(fold.max()) + 1
    read = np.full((folds, len(fold), 3), np.nan)
    for one in range(folds):
        for other in range(one):
            left = known & (fold != one) & (fold != other)
            if left.any():
                found = learn(pairs, left, to_read=(fold == one) | (fold == other)).probabilities(pairs)
                read[one, fold == other] = found[fold == other]
                read[other, fold == one] = found[fold == one]
    return read


def counted(pairs: Pairs) -> Mask:
    """The pairs that count in scores: of vital nugs, or of all where nothing is called vital."""
    vital = pairs.vital == 1
    return vital if vital.any() else np.ones(len(vital), bool)


def draw_run_scores(
    pairs: Pairs, probabilities: Floats, sizes: ErrorSizes, use: Mask, *, draws: int = DRAWS, seed: int
) -> Floats:
    """The mean score of every run in every draw (draws x runs); pairs outside `use` take no part.

    Response by response, so that memory grows with draws x runs and with the nugs of one query alone.
    """
    run = run_codes(pairs)
    runs = int(run.max()) + 1
    effects = np.stack([draw_run_effect(draws, seed=(seed, 0, number)) for number in range(runs)])
    total, queries = np.zeros((runs, draws)), np.zeros(runs)
    starts = np.searchsorted(pairs.cell, np.arange(int(pairs.cell.max()) + 2))
    for cell, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        own = start + np.flatnonzero(use[start:end])
        if not len(own):
            continue
        number, fold = int(run[own[0]]), sizes.fold[own]
        sigma, run_sigma = float(sizes.sigma[fold].mean()), float(sizes.run_sigma[fold].mean())
        degrees = draw_response(
            probabilities[own], effects[number], sigma=sigma, run_sigma=run_sigma, seed=(seed, 1, cell)
        )
        total[number] += (degrees >= 1).mean(axis=1)
        queries[number] += 1
    return ratio(total, queries[:, None]).T


def run_intervals(drawn: Floats) -> RunIntervals:
    """The middle 95 % of the draws."""
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return RunIntervals(low, high)
