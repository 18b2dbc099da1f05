"""Errors that all nugs of one response share: a judge that misreads a response misreads it for many nugs."""

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

    logit P(degree >= cut | b) = a_cut + b with b ~ N(0, sigma^2) a cell, and a_cut such that the mean over b is the
    calibrated probability (`shifted_logits`). sigma maximises prod_cells E_b prod_pairs P(degree | b), at most 5.
    `probabilities` are rows of P(none), P(partial), P(full), one a labelled pair. Pairs without a degree, and those
    whose degree was certain or impossible by their probabilities, are left out; without two others in any cell there
    is nothing to tell it by: NaN.
    """
    reach = _reach(probabilities)
    member = codes(cell, "cell")
    if not len(member) == len(reach) == len(labelled.degrees):
        raise UsageError(f"{len(labelled.degrees)} labelled pairs, {len(reach)} probabilities and {len(member)} cells")
    degrees = labelled.degrees
    chance = np.select([degrees == 0, degrees == 0.5], [1 - reach[:, 0], reach[:, 0] - reach[:, 1]], reach[:, 1])
    used = ~np.isnan(degrees) & (chance > 0) & (chance < 1)
    order = np.flatnonzero(used)[np.argsort(member[used], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(member[order]) != 0)) if len(order) else order
    if len(starts) == len(order):
        return math.nan
    # Pairs whose logits agree to a hundredth are computed once.
    rounded = np.column_stack([degrees, _logit(reach)])[order].round(2)
    # Where a degree is at an end of the scale, one of the two cuts has no part in it.
    rounded[rounded[:, 0] == 1, 1] = np.inf
    rounded[rounded[:, 0] == 0, 2] = -np.inf
    kinds, kind = np.unique(rounded, axis=0, return_inverse=True)
    return _most_likely(lambda sigma: _log_likelihood(kinds, kind.ravel(), starts, sigma))


def shifted_logits(probability: npt.ArrayLike, *, sigma: float) -> Floats:
    """a with E over b ~ N(0, sigma^2) of 1 / (1 + exp(-(a + b))) = probability; infinite for 0 and 1.

    The mean is summed over equal steps of b out to six standard deviations, which is more accurate here than as many
    Gauss-Hermite nodes, for a table of a; between its entries logit(mean) is interpolated. The mean is met to 1e-6
    of the probabilities, beyond sigma 2 to 1e-5 of those above 1e-4.
    """
    if not 0 <= sigma <= MOST_SIGMA:
        raise UsageError(f"sigma={sigma} must lie between 0 and {MOST_SIGMA:g}")
    given = np.asarray(probability, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise UsageError("probabilities must lie between 0 and 1")
    return _shift(_logit(given), sigma)


def _logit(probability: Floats) -> Floats:
    found: Floats = logit(probability)
    return found


def _shift(plain: Floats, sigma: float) -> Floats:
    """The shifted logits of probabilities whose own are `plain`."""
    if sigma == 0:
        return plain
    shifts, means = _shift_table(sigma)
    found = np.interp(-np.abs(plain), means, shifts)
    return np.where(np.isinf(plain), plain, -np.sign(plain) * found)


@lru_cache(maxsize=256)
def _shift_table(sigma: float) -> tuple[Floats, Floats]:
    """Shifts, and the logits of the means that they give. A search for sigma visits the same values each time."""
    nodes, weights = _normal(_NODES_TO_SHIFT)
    end = 40 + sigma**2 / 2 + 6 * sigma
    # The curve is odd: its negative half, where small means keep their digits, is all of it.
    shifts = np.arange(-end, 0.01, 0.02)
    return shifts, _logit(expit(shifts[:, None] + sigma * nodes) @ weights)


def _log_likelihood(kinds: Floats, kind: Ints, starts: Ints, sigma: float) -> float:
    """Of pairs, each of a kind (degree, logit of at least partial, logit of full), in cells that begin at `starts`."""
    # Many pairs in a cell tell its effect well, so the steps have to be small beside 1, whatever sigma is.
    nodes, weights = _normal(2 * math.ceil(_WIDEST * sigma / _STEP) + 1)
    effect = sigma * nodes
    degree, partial, full = kinds[:, 0], _shift(kinds[:, 1], sigma), _shift(kinds[:, 2], sigma)
    logs = np.empty((len(kinds), len(nodes)))
    logs[degree == 1] = log_expit(full[degree == 1, None] + effect)
    logs[degree == 0] = log_expit(-partial[degree == 0, None] - effect)
    between = degree == 0.5
    chances = expit(partial[between, None] + effect) - expit(full[between, None] + effect)
    # Deep in a tail, or rounded to one and the same logit, nothing is left of the difference.
    logs[between] = np.log(np.maximum(chances, _TINY))
    logs = logs[kind]
    by_cell = np.add.reduceat(logs, starts, axis=0)
    top = by_cell.max(axis=1, keepdims=True)
    return float((top[:, 0] + np.log(np.exp(by_cell - top) @ weights)).sum())


def _most_likely(likelihood: Callable[[float], float]) -> float:
    """Up the grid until the likelihood falls, then by golden section between the neighbours of the best."""
    values = [likelihood(_GRID[0])]
    for sigma in _GRID[1:]:
        values.append(likelihood(sigma))
        if values[-1] < values[-2]:
            break
    best = int(np.argmax(values))
    low, high = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(values) - 1)]
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_two = likelihood(one), likelihood(two)
    while high - low > 0.01:
        if at_one >= at_two:
            high, two, at_two = two, one, at_one
            one = high - _GOLDEN * (high - low)
            at_one = likelihood(one)
        else:
            low, one, at_one = one, two, at_two
            two = low + _GOLDEN * (high - low)
            at_two = likelihood(two)
    sigma, value = (one, at_one) if at_one >= at_two else (two, at_two)
    # At the ends of the range the search only comes near.
    return sigma if value > values[best] else _GRID[best]


def _normal(points: int) -> tuple[Floats, Floats]:
    nodes = np.linspace(-_WIDEST, _WIDEST, points) if points > 1 else np.zeros(1)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def _reach(probabilities: npt.ArrayLike) -> Floats:
    """P(at least partial) and P(full), a row a pair."""
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise UsageError(f"probabilities of shape {given.shape}: rows of P(none), P(partial), P(full) are needed")
    known = given[~np.isnan(given).any(axis=1)]
    if (known < -1e-9).any() or (np.abs(known.sum(axis=1) - 1) > 1e-6).any():
        raise UsageError("each row of probabilities must be three numbers from 0 to 1 with sum 1")
    return np.clip(np.stack([1 - given[:, 0], given[:, 2]], axis=1), 0, 1)
