"""The threshold at which hard decisions agree best with people, by kappa, F1 or accuracy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from karat.judges.calibration.labelled import Floats, Ints, vector
from karat.model import UsageError

Criterion = Literal["kappa", "f1", "accuracy"]

# Equal agreement that comes from different counts differs by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """A nug is contained from `threshold` on. Both numbers are NaN where no threshold is better than another."""

    threshold: float
    value: float
    """The value of the criterion at this threshold."""
    pairs: int


def best_threshold(scores: npt.ArrayLike, positives: npt.ArrayLike, criterion: Criterion = "kappa") -> BestThreshold:
    """The threshold t at which "score >= t" agrees best with `positives` (0 or 1; NaN is left out).

    All different cut points are tried, in O(n log n). The threshold is the middle of the widest range of scores in
    which all cuts are equally good; infinity means "never contained". Kappa and F1 need positives and negatives,
    accuracy needs at least one pair; otherwise the result is NaN.

    >>> best_threshold([0.1, 0.2, 0.6, 0.9], [0, 0, 1, 1]).threshold
    0.4
    """
    if criterion not in get_args(Criterion):
        raise UsageError(f"criterion={criterion!r} is not one of {', '.join(get_args(Criterion))}")
    given, labels = vector(scores, "scores"), vector(positives, "positives")
    if given.shape != labels.shape:
        raise UsageError(f"{len(given)} scores but {len(labels)} positives: give one of each per pair")
    known = ~(np.isnan(given) | np.isnan(labels))
    if not np.isin(labels[known], (0, 1)).all():
        raise UsageError("positives must be 0 or 1, or NaN where they are unknown")
    values, place = np.unique(given[known], return_inverse=True)
    return _best(values, _counts(place, labels[known], len(values)), criterion)


def _counts(place: Ints, labels: Floats, size: int) -> Floats:
    """Negatives and positives at each distinct score."""
    positives = np.bincount(place, labels, minlength=size)
    return np.stack([np.bincount(place, minlength=size) - positives, positives])


def _best(values: Floats, counts: Floats, criterion: Criterion) -> BestThreshold:
    negatives, positives = counts.sum(axis=1) if len(values) else (0.0, 0.0)
    pairs = int(negatives + positives)
    if not pairs or (criterion != "accuracy" and not (negatives and positives)):
        return BestThreshold(math.nan, math.nan, pairs)
    # Cut k accepts values[k:]; the last one accepts nothing.
    accepted = np.concatenate([np.cumsum(counts[:, ::-1], axis=1)[:, ::-1], np.zeros((2, 1))], axis=1)
    false, true = accepted
    if criterion == "accuracy":
        quality = (true + negatives - false) / pairs
    elif criterion == "f1":
        quality = 2 * true / (true + false + positives)
    else:
        by_chance = (true + false) * positives + (pairs - true - false) * negatives
        quality = (pairs * (true + negatives - false) - by_chance) / (pairs**2 - by_chance)
    best = quality.max()
    return BestThreshold(_middle(values, quality >= best - _ROUNDING), float(best), pairs)


def _middle(values: Floats, good: npt.NDArray[np.bool_]) -> float:
    """The middle of the widest range of good cuts; cut k is any threshold in (values[k - 1], values[k]]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    first, last = edges[::2], edges[1::2] - 1
    top = len(values) - 1
    low, high = values[np.maximum(first - 1, 0)], values[np.minimum(last, top)]
    widest = int(np.argmax(high - low))
    if first[widest] > top:
        return math.inf
    middle = float(low[widest] + (high[widest] - low[widest]) / 2)
    # Two neighbouring floats have no middle.
    return middle if first[widest] == 0 or middle > low[widest] else float(high[widest])
