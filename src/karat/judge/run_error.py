"""The part of a judge's error that follows a run through all queries: its style suits the judge, or does not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from karat.judge.labelled import Floats
from karat.judge.shared_error import draw_degrees

BATCHES = 40
"""Draws of the runs' effects; within each, responses are drawn as often as it takes."""


def fit_run_effect(
    degrees: npt.ArrayLike, probabilities: npt.ArrayLike, cell: npt.ArrayLike, run: npt.ArrayLike
) -> float:
    """The standard deviation, in log-odds, of an error that all responses of a run share.

    By moments: the variance between runs of their mean residual (contained in full - P(full)), less what the scatter of
    responses within runs explains, over the squared mean of p (1 - p). 0 where nothing is left, or with fewer than
    three runs.
    """
    contained = np.asarray(degrees, float)
    full = np.asarray(probabilities, float)[:, 2]
    cells, runs = np.asarray(cell), np.asarray(run)
    known = ~np.isnan(contained)
    residual, cells, runs, full = (contained >= 1)[known] - full[known], cells[known], runs[known], full[known]
    _, code, counts = np.unique(cells, return_inverse=True, return_counts=True)
    mean_of_cell = np.bincount(code, weights=residual) / counts
    run_of_cell = np.zeros(len(counts), int)
    run_of_cell[code] = runs
    found, excess = [], []
    for one in np.unique(run_of_cell):
        own = mean_of_cell[run_of_cell == one]
        if len(own) > 1:
            found.append(own.mean())
            excess.append(own.var(ddof=1) / len(own))
    if len(found) < 3:
        return 0.0
    left = float(np.var(found, ddof=1) - np.mean(excess))
    slope = float(np.mean(full * (1 - full)))
    return float(np.sqrt(left) / slope) if left > 0 and slope > 0 else 0.0


def draw_with_runs(
    probabilities: npt.ArrayLike, cell: npt.ArrayLike, run: npt.ArrayLike, *, runs: int, sigma: float,
    run_sigma: float, draws: int, seed: int, run_seed: int | None = None,
) -> Floats:  # fmt: skip
    """Degrees drawn with an effect a response and one a run (draws x pairs).

    Who draws for some queries at a time gives the same `run_seed` each time, so that a run's effect is the same in all.
    """
    rng = np.random.default_rng(seed if run_seed is None else run_seed)
    plain, code = np.asarray(probabilities, float), np.asarray(run)
    at_least, full = 1 - plain[:, 0], plain[:, 2]
    found = []
    batches = min(BATCHES, draws)
    for batch in range(batches):
        shift = run_sigma * rng.normal(0.0, 1.0, runs)[code]
        moved_least, moved_full = _moved(at_least, shift), _moved(full, shift)
        moved = np.stack([1 - moved_least, moved_least - moved_full, moved_full], axis=1)
        size = len(range(batch, draws, batches))
        found.append(draw_degrees(np.clip(moved, 0.0, 1.0), cell, sigma=sigma, draws=size, seed=_seed(seed, batch)))
    return np.concatenate(found)


def _seed(seed: int, batch: int) -> int:
    """Seeds of batches that no other seed shares."""
    return int(np.random.SeedSequence([seed, batch]).generate_state(1)[0])


def _moved(probability: Floats, shift: Floats) -> Floats:
    safe = np.clip(probability, 1e-9, 1 - 1e-9)
    moved: Floats = expit(np.log(safe) - np.log1p(-safe) + shift)
    # What is certain stays so.
    return np.where((probability <= 0) | (probability >= 1), probability, moved)
