"""The part of a judge's error that all responses of a run share: the style of a run may suit the judge or not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from karat.judges.calibration.labelled import Floats
from karat.judges.errors.shared_error import MOST_SIGMA, shifted_logits


def fit_run_effect(
    degrees: npt.ArrayLike, probabilities: npt.ArrayLike, cell: npt.ArrayLike, run: npt.ArrayLike
) -> float:
    """The standard deviation, in log-odds, of an error that all responses of a run share.

    By moments: the variance between runs of their mean residual (contained in full - P(full)), minus what the variance
    of responses within runs explains, divided by the squared mean of p (1 - p). 0 where nothing is left, or with fewer
    than three runs.
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
    means, within = [], []
    for code in np.unique(run_of_cell):
        of_run = mean_of_cell[run_of_cell == code]
        if len(of_run) > 1:
            means.append(of_run.mean())
            within.append(of_run.var(ddof=1) / len(of_run))
    if len(means) < 3:
        return 0.0
    between = float(np.var(means, ddof=1) - np.mean(within))
    slope = float(np.mean(full * (1 - full)))
    return float(np.sqrt(between) / slope) if between > 0 and slope > 0 else 0.0


def draw_response(
    probabilities: npt.ArrayLike, of_run: npt.ArrayLike, *, sigma: float, run_sigma: float, seed: Sequence[int]
) -> Floats:
    """Degrees 0, 0.5 and 1 of the pairs of one response (draws x pairs), with the errors that they share.

    logit P(degree >= cut | r, b) = a_cut + run_sigma r + sigma b: r, the effect of the run, is `of_run` in each draw
    (`draw_run_effect`), so that all responses of the run share it; b ~ N(0, 1) belongs to this response. a_cut is
    chosen so that the mean over both is the given probability (`shifted_logits`).
    """
    plain, run_effect = np.asarray(probabilities, float), np.asarray(of_run, float)
    spread = min(math.hypot(sigma, run_sigma), MOST_SIGMA)
    partial, full = (
        shifted_logits(np.clip(column, 0.0, 1.0), sigma=spread) for column in (1 - plain[:, 0], plain[:, 2])
    )
    random = np.random.default_rng(list(seed))
    effect = run_sigma * run_effect + sigma * random.standard_normal(len(run_effect))
    level = logit(random.random((len(run_effect), len(plain)))) - effect[:, None]
    degrees: Floats = 0.5 * (level < partial) + 0.5 * (level < full)
    return degrees


def draw_run_effect(draws: int, *, seed: Sequence[int]) -> Floats:
    """The effect of one run in every draw, in standard deviations."""
    return np.random.default_rng(list(seed)).standard_normal(draws)
