"""Correlations of two rankings: Spearman, Kendall tau-b, AP correlation and Vigna's weighted tau.

The higher value ranks first. All are computed from how the points stand to each other (`PairCounts`), for one pair of
vectors or for many resamples at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.correlation.earlier_smaller import Floats
from karat.stats.correlation.rank_pairs import PairCounts, counts_of_resamples
from karat.stats.correlation.record import Correlation, Points, paired_points, point_coefficient

TIES = ("average", "agreement")


def spearman(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """Spearman's rho (1904): Pearson's r of the ranks, tied values sharing their mean rank.

    >>> spearman([1, 2, 3, 4], [1, 2, 4, 3]).value
    0.8
    """
    return _of_points("spearman", paired_points(a, b))


def kendall_tau_b(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """Kendall's tau-b (1945): (C - D) / sqrt((pairs not tied in a) (pairs not tied in b)).

    >>> kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]).value == (5 - 1) / 6
    True
    """
    return _of_points("kendall_tau_b", paired_points(a, b))


def weighted_tau(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """Vigna's additive hyperbolic tau (WWW 2015), in which an exchange near the top costs more.

    tau_w = <a, b> / (|a| |b|), <a, b> = sum over pairs of sgn(a_i - a_j) sgn(b_i - b_j) (1 / r_i + 1 / r_j), where the
    ranks r (from 1) follow a, then b, in falling order; the mean of that and of the same with ranks by b, then a.
    """
    return _of_points("weighted_tau", paired_points(a, b))


def tau_ap(
    reference: npt.ArrayLike, estimate: npt.ArrayLike, *, symmetric: bool = False, ties: str = "average"
) -> Correlation:
    """AP correlation (Yilmaz, Aslam & Robertson, SIGIR 2008) of an estimated ranking with a reference ranking.

    tau_AP = 2 / (n - 1) sum_{i=2..n} C(i) / (i - 1) - 1, where C(i) counts, above the item at rank i of the estimate,
    the items that the reference also places above it. It is not symmetric: `symmetric` gives the mean of both ways.

    `ties="average"` is the expectation over all orders of tied items in either vector; with ties in the estimate
    alone it is tau_AP,a of Urbano & Marrero (ICTIR 2017). A vector with ties has less than 1 with itself.
    `ties="agreement"` leaves pairs tied in the estimate out and takes a pair tied in the reference alone for wrong;
    its symmetric form is their tau_AP,b. A vector has 1 with itself, but unrelated vectors with ties fall below 0.

    >>> found = tau_ap([4, 3, 2, 1], [4, 3, 1, 2])  # C(i) / (i - 1) = 1, 1, 2/3
    >>> round(found.value, 4)
    0.7778
    """
    if ties not in TIES:
        raise UsageError(f"ties {ties!r} is not one of {', '.join(TIES)}")
    points = paired_points(reference, estimate)
    if not len(points.x):
        return point_coefficient("tau_ap", points, np.nan)
    counts = _counts(points)
    both = [counts, counts.exchanged()] if symmetric else [counts]
    of_one_way = _tau_ap if ties == "average" else _tau_ap_agreement
    return point_coefficient("tau_ap", points, float(np.mean([of_one_way(way)[0] for way in both])))


def rank_coefficients(counts: PairCounts) -> dict[str, Floats]:
    """The four coefficients in each resample; NaN where a vector is constant."""
    sums = _sums(counts)
    forwards, backwards = (
        _cosine(sums[f"weighted_{way}"], sums[f"weighted_x_{way}"], sums[f"weighted_y_{way}"]) for way in ("xy", "yx")
    )
    varied = (sums["pairs_x"] > 0) & (sums["pairs_y"] > 0)
    found = {
        "spearman": _cosine(sums["ranks_xy"], sums["ranks_xx"], sums["ranks_yy"]),
        "kendall_tau_b": _cosine(sums["agreement"], sums["pairs_x"], sums["pairs_y"]),
        "tau_ap": _ratio(sums["ap"], sums["ap_steps"]),
        "weighted_tau": (forwards + backwards) / 2,
    }
    return {name: np.where(varied, value, np.nan) for name, value in found.items()}


def _sums(part: PairCounts) -> dict[str, Floats]:
    """What the coefficients are made of, summed over the points."""
    # A mean rank less the mean of all ranks is half of what stands above less what stands below.
    rank_x = 2 * part.above_x + part.level_x - part.total
    rank_y = 2 * part.above_y + part.level_y - part.total
    pairs_x, pairs_y, agreement = part.total - part.level_x, part.total - part.level_y, part.agreement
    sums = {
        "ranks_xy": rank_x * rank_y,
        "ranks_xx": rank_x**2,
        "ranks_yy": rank_y**2,
        "agreement": agreement,
        "pairs_x": pairs_x,
        "pairs_y": pairs_y,
        **dict(zip(("ap", "ap_steps"), _ap_terms(part), strict=True)),
    }
    harmonic = _harmonic(part)
    ahead = {"xy": part.above_x + part.level_x_above_y, "yx": part.above_y + part.above_x_level_y}
    for way, before in ahead.items():
        # Points level in both take the ranks after `before` in any order: each has their mean weight.
        level = np.maximum(part.level_both, 1)
        weight = (harmonic[(before + level).astype(np.intp)] - harmonic[before.astype(np.intp)]) / level
        sums |= {f"weighted_{way}": weight * agreement}
        sums |= {f"weighted_x_{way}": weight * pairs_x, f"weighted_y_{way}": weight * pairs_y}
    return {name: np.einsum("nb,nb->b", value, part.copies) for name, value in sums.items()}


def _ap_terms(part: PairCounts) -> tuple[Floats, Floats]:
    """For each point, its right less its wrong items above, and its number of items above, both over rank less one.

    Over all points the second sums to n - 1, less what stands between copies of one point in a resample: copies are
    no tie that the estimate made.
    """
    harmonic = _harmonic(part)
    above, level = part.above_y.astype(np.intp), np.maximum(part.level_y, 1).astype(np.intp)
    last = above + level - 1
    # The mean of 1 / (rank - 1) over the places of the tied items; with nothing above it multiplies nothing.
    weight = (harmonic[last] - harmonic[np.maximum(above - 1, 0)]) / level
    within = (level - 1) - above * (harmonic[last] - harmonic[above])
    own = (part.copies - 1) / np.maximum(level * (level - 1), 1) * within
    steps = np.where(above > 0, above * weight, 0) + within / level
    return weight * (part.above_both - part.above_y_below_x), steps - own


def _tau_ap(counts: PairCounts) -> Floats:
    right, steps = ((term * counts.copies).sum(axis=0) for term in _ap_terms(counts))
    return _ratio(right, steps)


def _tau_ap_agreement(counts: PairCounts) -> Floats:
    """2 / m sum C'(i) / p(i) - 1 over the m items with p(i) > 0 items strictly above them in the estimate."""
    right = (counts.above_both / np.maximum(counts.above_y, 1)).sum(axis=0)
    steps = (counts.above_y > 0).sum(axis=0)
    return _ratio(2 * right - steps, steps)


def _of_points(name: str, points: Points) -> Correlation:
    found = rank_coefficients(_counts(points)) if len(points.x) else {name: np.full(1, np.nan)}
    return point_coefficient(name, points, found[name][0])


def _counts(points: Points) -> PairCounts:
    """Of at least one point, each taken once."""
    groups = np.zeros(len(points.x), np.intp)
    return next(counts_of_resamples(points.x, points.y, groups=groups, weights=np.ones((1, 1))))


def _harmonic(part: PairCounts) -> Floats:
    """H(0), H(1), ... as far as a resample has points."""
    most = int(part.total.max(initial=0)) + 1
    return np.concatenate(([0.0], np.cumsum(1 / np.arange(1, most + 1))))


def _cosine(product: Floats, square_x: Floats, square_y: Floats) -> Floats:
    return np.clip(_ratio(product, np.sqrt(square_x * square_y)), -1, 1)


def _ratio(part: Floats, whole: Floats) -> Floats:
    undefined = np.full(np.shape(part), np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=np.asarray(whole) > 0), dtype=np.float64)
