"""The threshold with the best agreement, on all data and on everything but one's own group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from karat.judges.calibration.calibration import Calibration, fixed
from karat.judges.calibration.labelled import Floats, Ints, Labelled, codes, vector
from karat.model import UsageError

Criterion = Literal["kappa", "f1", "accuracy"]

# Equal agreement reached by different counts differs by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """Contained from `threshold` on. Both NaN where no threshold is better than another."""

    threshold: float
    value: float
    """What the criterion is there."""
    pairs: int


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidated:
    """Thresholds of each group, from all other groups."""

    groups: Ints
    """The codes of the groups; `thresholds` and `partial_thresholds` go with them."""
    thresholds: Floats
    partial_thresholds: Floats | None
    """None where people never said partial."""
    decisions: Floats
    """The degree of each labelled pair, by the thresholds of its group: no pair had a say in its own. NaN where the
    score or the group's threshold is."""
    calibration: Calibration
    """For a group that was not there: thresholds from all groups."""


def best_threshold(scores: npt.ArrayLike, positives: npt.ArrayLike, criterion: Criterion = "kappa") -> BestThreshold:
    """The threshold t at which "score >= t" agrees best with `positives` (0 or 1; NaN is left out).

    All distinct cut points are tried, in O(n log n). Where neighbouring cuts are equally good, or where nothing lies
    between two scores, the middle is taken, of the widest such stretch; infinity is the threshold of "never".
    Kappa and F1 need positives and negatives, accuracy needs pairs; otherwise the outcome is NaN.

    >>> best_threshold([0.1, 0.2, 0.6, 0.9], [0, 0, 1, 1]).threshold
    0.4
    """
    _check(criterion)
    given, labels = vector(scores, "scores"), vector(positives, "positives")
    if given.shape != labels.shape:
        raise UsageError(f"{len(given)} scores and {len(labels)} positives")
    known = ~(np.isnan(given) | np.isnan(labels))
    if not np.isin(labels[known], (0, 1)).all():
        raise UsageError("positives must be 0 or 1, or NaN where unknown")
    values, place = np.unique(given[known], return_inverse=True)
    return _best(values, _counts(place, labels[known], len(values)), criterion)


def fit_cross_validated(labelled: Labelled, *, groups: npt.ArrayLike, criterion: Criterion = "kappa") -> CrossValidated:
    """For each group (a query, a run, an institution) the thresholds with the best criterion on all other groups.

    Full: degree 1 against the rest; partial, where people said it: degree 0.5 and 1 against 0, its threshold never
    above that of full. The probabilities of `calibration` are 0 and 1; its thresholds are those of all groups together.
    """
    _check(criterion)
    member = codes(groups, "groups")
    if len(member) != len(labelled.scores):
        raise UsageError(f"{len(member)} groups for {len(labelled.scores)} labelled pairs")
    labelled.to_fit()
    names, group = np.unique(member, return_inverse=True)
    full, full_of_all = _left_out(labelled, labelled.degrees == 1, group, len(names), criterion)
    partial, partial_of_all = None, None
    if labelled.three_way:
        partial, partial_of_all = _left_out(labelled, labelled.degrees >= 0.5, group, len(names), criterion)
        # Where nothing is below partial there is no threshold for it, and that of full stands.
        partial, partial_of_all = np.fmin(partial, full), float(np.fmin(partial_of_all, full_of_all))
    if math.isnan(full_of_all):
        raise UsageError(
            f"no threshold has a best {criterion}: the labelled pairs need both nugs found and nugs missed"
        )
    decisions = np.where(labelled.scores >= full[group], 1.0, 0.0)
    if partial is not None:
        decisions = np.where((decisions == 0) & (labelled.scores >= partial[group]), 0.5, decisions)
    undefined = np.isnan(labelled.scores) | np.isnan(full[group])
    of_all = fixed(full_of_all, partial_of_all)
    described = (("thr", "cv"), ("crit", criterion), ("cut", f"{full_of_all:.6g}"))
    return CrossValidated(
        groups=names,
        thresholds=full,
        partial_thresholds=partial,
        decisions=np.where(undefined, np.nan, decisions),
        calibration=Calibration(partial=of_all.partial, full=of_all.full, described=described),
    )


def _left_out(
    labelled: Labelled, positive: npt.NDArray[np.bool_], group: Ints, groups: int, criterion: Criterion
) -> tuple[Floats, float]:
    known = labelled.known
    values, place = np.unique(labelled.scores[known], return_inverse=True)
    labels, member = positive[known].astype(float), group[known]
    everything = _counts(place, labels, len(values))
    order = np.argsort(member, kind="stable")
    edges = np.searchsorted(member[order], np.arange(groups + 1))
    found = np.full(groups, np.nan)
    for number in range(groups):
        own = order[edges[number] : edges[number + 1]]
        others = everything - _counts(place[own], labels[own], len(values))
        # A score that only the group itself has is no cut point of the others.
        there = others.sum(axis=0) > 0
        found[number] = _best(values[there], others[:, there], criterion).threshold
    return found, _best(values, everything, criterion).threshold


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
    """The middle of the widest stretch of good cuts; cut k is any threshold in (values[k - 1], values[k]]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    first, last = edges[::2], edges[1::2] - 1
    top = len(values) - 1
    low, high = values[np.maximum(first - 1, 0)], values[np.minimum(last, top)]
    widest = int(np.argmax(high - low))
    if first[widest] > top:
        return math.inf
    middle = float(low[widest] + (high[widest] - low[widest]) / 2)
    # Between two neighbouring floats there is no middle.
    return middle if first[widest] == 0 or middle > low[widest] else float(high[widest])


def _check(criterion: str) -> None:
    if criterion not in get_args(Criterion):
        raise UsageError(f"criterion={criterion!r} is not one of {', '.join(get_args(Criterion))}")
