"""How far scores move with the errors of a judge that other queries would have as well: of runs, of the calibration.

Every error was drawn; how a score moves with one standard deviation of it is found by least squares over the draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.measures.base import Array

MOST_FACTOR = 0.4
"""The largest relative change of differences, by one standard deviation of an error, that keeps their signs: a larger
one would turn them around in more than one draw of a hundred."""


def slopes_of(totals: Array, effects: Array) -> Array:
    """The change of a score with one standard deviation of each effect (draws x effects)."""
    known = ~np.isnan(totals)
    if known.sum() <= effects.shape[1] + 1:
        return np.zeros(effects.shape[1])
    centred = effects[known] - effects[known].mean(axis=0)
    slopes = np.linalg.solve(centred.T @ centred, centred.T @ (totals[known] - totals[known].mean()))
    return np.asarray(slopes * effects.std(axis=0), dtype=np.float64)


def slopes_of_cells(values: Array, effects: Array) -> Array:
    """The same for every query (draws x queries) at once; 0 where a score is undefined in some draw."""
    if len(values) <= effects.shape[1] + 1:
        return np.zeros((values.shape[1], effects.shape[1]))
    centred = effects - effects.mean(axis=0)
    slopes = np.linalg.solve(centred.T @ centred, centred.T @ values).T * effects.std(axis=0)
    return np.asarray(np.where(np.isnan(slopes), 0.0, slopes), dtype=np.float64)


def common_factors(values: Array, slopes: Array) -> Array:
    """By which factor one standard deviation of each effect makes differences larger, whatever is compared.

    The slopes of single scores (cells x effects) are regressed on the scores; with a factor f, every difference d of
    two scores becomes d (1 + f), and no difference stays none. The first effect is that of a run, which is not shared:
    its factor is 0.
    """
    known = ~np.isnan(values)
    centred = values[known] - values[known].mean() if known.any() else np.zeros(0)
    square = float(centred @ centred)
    if square <= 0:
        return np.zeros(slopes.shape[1])
    factors = np.clip(centred @ slopes[known] / square, -MOST_FACTOR, MOST_FACTOR)
    factors[0] = 0.0
    return np.asarray(factors, dtype=np.float64)


def means_of_known(totals: Sequence[Array]) -> Array:
    """The mean of each row of draws; 0 for a run without any usable score, which is in no test."""
    known = [row[~np.isnan(row)] for row in totals]
    return np.array([row.mean() if len(row) else 0.0 for row in known])
