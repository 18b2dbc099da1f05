"""Errors that all nugs of one response share: a judge that misreads a response does so for many nugs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, logit

from karat.judges.calibration.labelled import Floats, Ints, Labelled, codes
from karat.model import UsageError

MOST_SIGMA = 5.0
_GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, MOST_SIGMA)
_GOLDEN = (math.sqrt(5) - 1) / 2
_WIDEST = 6.0
_STEP = 0.5
_TINY = 1e-12
_NODES_TO_SHIFT = 101


def fit_cell_effect(labelled: Labelled, probabilities: npt.ArrayLike, cell: npt.ArrayLike) -> float:
    """The standard deviation sigma of an effect on the logit that the pairs of one cell (a response) share.

    logit P(degree >= cut | b) = a_cut + b, with one b ~ N(0, sigma^2) per cell, and a_cut such that the mean over b is
    the calibrated probability (`shifted_logits`). sigma maximises prod_cells E_b prod_pairs P(degree | b), at most 5.
    `probabilities` are rows of P(none), P(partial), P(full), one per labelled pair. Pairs without a degree are left
    out, and so are pairs whose degree was certain or impossible by their probabilities. NaN where no cell has two of
    the pairs that are left: then sigma cannot be estimated.
    """
    reach = _reach(probabilities)
    member = codes(cell, "cell")
    if not len(member) == len(reach) == len(labelled.degrees):
        raise UsageError(
            f"{len(labelled.degrees)} labelled pairs, but {len(reach)} probabilities and {len(member)} cells: "
            "give one of each per pair"
        )
    degrees = labelled.degrees
    chance = np.select([degrees == 0, degrees == 0.5], [1 - reach[:, 0], reach[:, 0] - reach[:, 1]], reach[:, 1])
    used = ~np.isnan(degrees) & (chance > 0) & (chance < 1)
    order = np.flatnonzero(used)[np.argsort(member[used], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(member[order]) != 0)) if len(order) else order
    if len(starts) == len(order):
        return math.nan
    # Pairs whose logits are equal to a hundredth are computed once.
    rounded = np.column_stack([degrees, _logit(reach)])[order].round(2)
    # Where a degree is at an end of the scale, it depends on one of the two cuts only.
    rounded[rounded[:, 0] == 1, 1] = np.inf
    rounded[rounded[:, 0] == 0, 2] = -np.inf
    kinds, kind = np.unique(rounded, axis=0, return_inverse=True)
    return _most_likely(lambda sigma: _log_likelihood(kinds, kind.ravel(), starts, sigma))


def shifted_logits(probability: npt.ArrayLike, *, sigma: float) -> Floats:
    """a with E over b ~ N(0, sigma^2) of 1 / (1 + exp(-(a + b))) = probability; infinite for 0 and 1.

    A table of a is made, between whose entries logit(mean) is interpolated. The mean is a sum over equal steps of b, up
    to six standard deviations, which is more accurate here than as many Gauss-Hermite nodes. It is right to 1e-6 of
    the probability; for sigma above 2 to 1e-5, if the probability is above 1e-4.
    """
    if not 0 <= sigma <= MOST_SIGMA:
        raise UsageError(f"sigma={sigma} is not between 0 and {MOST_SIGMA:g}")
    given = np.asarray(probability, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise UsageError("probabilities must be between 0 and 1")
    return _shift(_logit(given), sigma)


def _logit(probability: Floats) -> Floats:
    log_odds: Floats = logit(probability)
    return log_odds


def _shift(plain: Floats, sigma: float) -> Floats:
    """The shifted logits of probabilities whose plain logits are `plain`."""
    if sigma == 0:
        return plain
    shifts, means = _shift_table(sigma)
    shifted = np.interp(-np.abs(plain), means, shifts)
    return np.where(np.isinf(plain), plain, -np.sign(plain) * shifted)


@lru_cache(maxsize=256)
def _shift_table(sigma: float) -> tuple[Floats, Floats]:
    """Shifts, and the logits of the means that they give. A search for sigma visits the same values each time."""
    nodes, weights = _normal(_NODES_TO_SHIFT)
    end = 40 + sigma**2 / 2 + 6 * sigma
    # The curve is odd, so its negative half is enough; there, small means keep their digits.
    shifts = np.arange(-end, 0.01, 0.02)
    return shifts, _logit(expit(shifts[:, None] + sigma * nodes) @ weights)


def _log_likelihood(kinds: Floats, kind: Ints, starts: Ints, sigma: float) -> float:
    """The log likelihood of pairs, each of a kind (degree, logit of at least partial, logit of full).

    Pairs are ordered by cell; cells begin at `starts`.
    """
    # Many pairs in a cell determine its effect well, so the steps have to be small, whatever sigma is.
    nodes, weights = _normal(2 * math.ceil(_WIDEST * sigma / _STEP) + 1)
    effect = sigma * nodes
    degree, partial, full = kinds[:, 0], _shift(kinds[:, 1], sigma), _shift(kinds[:, 2], sigma)
    logs = np.empty((len(kinds), len(nodes)))
    logs[degree == 1] = log_expit(full[degree == 1, None] + effect)
    logs[degree == 0] = log_expit(-partial[degree == 0, None] - effect)
    between = degree == 0.5
    chances = expit(partial[between, None] + effect) - expit(full[between, None] + effect)
    # Far in a tail, or where both logits were rounded to the same, the difference is 0.
    logs[between] = np.log(np.maximum(chances, _TINY))
    logs = logs[kind]
    by_cell = np.add.reduceat(logs, starts, axis=0)
    top = by_cell.max(axis=1, keepdims=True)
    return float((top[:, 0] + np.log(np.exp(by_cell - top) @ weights)).sum())


def _most_likely(likelihood: Callable[[float], float]) -> float:
    """Up the grid until the likelihood falls, then golden-section search between the neighbours of the best value."""
    values = [likelihood(_GRID[0])]
    for sigma in _GRID[1:]:
        values.append(likelihood(sigma))
        if values[-1] < values[-2]:
            break
    best = int(np.argmax(values))
    low, high = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(values) - 1)]
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = likelihood(left), likelihood(right)
    while high - low > 0.01:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = likelihood(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = likelihood(right)
    sigma, value = (left, at_left) if at_left >= at_right else (right, at_right)
    # The search does not quite reach the ends of the range.
    return sigma if value > values[best] else _GRID[best]


def _normal(points: int) -> tuple[Floats, Floats]:
    nodes = np.linspace(-_WIDEST, _WIDEST, points) if points > 1 else np.zeros(1)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def _reach(probabilities: npt.ArrayLike) -> Floats:
    """P(at least partial) and P(full), one row per pair."""
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise UsageError(
            f"probabilities have the shape {given.shape}, but rows of P(none), P(partial), P(full) are needed"
        )
    known = given[~np.isnan(given).any(axis=1)]
    if (known < -1e-9).any() or (np.abs(known.sum(axis=1) - 1) > 1e-6).any():
        raise UsageError("each row of probabilities must be three numbers from 0 to 1 with sum 1")
    return np.clip(np.stack([1 - given[:, 0], given[:, 2]], axis=1), 0, 1)
