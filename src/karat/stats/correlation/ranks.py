"""Correlations of two rankings: Spearman, Kendall tau-b, AP correlation and Vigna's weighted tau.

The higher value ranks first. All are computed from comparisons of the points with each other (`PairCounts`), for one
pair of vectors or for many resamples at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.stats.arrays import Floats
from karat.stats.correlation.rank_pairs import PairCounts, counts_of_resamples
from karat.stats.correlation.record import Correlation, paired_points, point_coefficient


def kendall_tau_b(a: npt.ArrayLike, b: npt.ArrayLike) -> Correlation:
    """Kendall's tau-b (1945): (C - D) / sqrt((pairs not tied in a) (pairs not tied in b)).

    >>> kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]).value == (5 - 1) / 6
    True
    """
    points = paired_points(a, b)
    if not len(points.x):
        return point_coefficient("kendall_tau_b", points, np.nan)
    groups = np.zeros(len(points.x), np.intp)
    counts = next(counts_of_resamples(points.x, points.y, groups=groups, weights=np.ones((1, 1))))
    return point_coefficient("kendall_tau_b", points, rank_coefficients(counts)["kendall_tau_b"][0])


def rank_coefficients(counts: PairCounts) -> dict[str, Floats]:
    """The four coefficients in each resample; NaN where a vector is constant. x is the reference, y the estimate.

    Spearman's rho (1904): Pearson's r of the ranks; tied values share their mean rank.

    Kendall's tau-b (1945): (C - D) / sqrt((pairs not tied in x) (pairs not tied in y)).

    AP correlation (Yilmaz, Aslam & Robertson, SIGIR 2008): 2 / (n - 1) sum_{i=2..n} C(i) / (i - 1) - 1, where C(i)
    counts, above the item at rank i of the estimate, the items that the reference also places above it. It is not
    symmetric. With ties in either vector it is the mean over all orders of the tied items, so that a vector with ties
    has less than 1 with itself; with ties only in the estimate this is tau_AP,a of Urbano & Marrero (ICTIR 2017).

    Vigna's additive hyperbolic tau (WWW 2015), in which an exchange near the top costs more: <x, y> / (|x| |y|), with
    <x, y> = sum over pairs of sgn(x_i - x_j) sgn(y_i - y_j) (1 / r_i + 1 / r_j), where the ranks r (from 1) follow x,
    then y, in falling order; the mean of this and of the same with ranks by y, then x.
    """
    sums = _sums(counts)
    forwards, backwards = (
        _cosine(sums[f"weighted_{way}"], sums[f"weighted_x_{way}"], sums[f"weighted_y_{way}"]) for way in ("xy", "yx")
    )
    varied = (sums["pairs_x"] > 0) & (sums["pairs_y"] > 0)
    coefficients = {
        "spearman": _cosine(sums["ranks_xy"], sums["ranks_xx"], sums["ranks_yy"]),
        "kendall_tau_b": _cosine(sums["agreement"], sums["pairs_x"], sums["pairs_y"]),
        "tau_ap": _ratio(sums["ap"], sums["ap_steps"]),
        "weighted_tau": (forwards + backwards) / 2,
    }
    return {name: np.where(varied, value, np.nan) for name, value in coefficients.items()}


def _sums(part: PairCounts) -> dict[str, Floats]:
    """What the coefficients are made of, summed over the points."""
    # A mean rank minus the mean of all ranks is half of (points above - points below).
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
        # Points that are equal in both take the ranks after `before` in any order: each gets their mean weight.
        level = np.maximum(part.level_both, 1)
        weight = (harmonic[(before + level).astype(np.intp)] - harmonic[before.astype(np.intp)]) / level
        sums |= {f"weighted_{way}": weight * agreement}
        sums |= {f"weighted_x_{way}": weight * pairs_x, f"weighted_y_{way}": weight * pairs_y}
    return {name: np.einsum("nb,nb->b", value, part.copies) for name, value in sums.items()}


def _ap_terms(part: PairCounts) -> tuple[Floats, Floats]:
    """For each point: (right - wrong items above it) / (rank - 1), and (number of items above it) / (rank - 1).

    The second sums to n - 1 over all points, minus what is between copies of one point in a resample: copies are not
    ties of the estimate.
    """
    harmonic = _harmonic(part)
    above, level = part.above_y.astype(np.intp), np.maximum(part.level_y, 1).astype(np.intp)
    last = above + level - 1
    # The mean of 1 / (rank - 1) over the places of the tied items; with nothing above, it is multiplied by 0.
    weight = (harmonic[last] - harmonic[np.maximum(above - 1, 0)]) / level
    within = (level - 1) - above * (harmonic[last] - harmonic[above])
    between_copies = (part.copies - 1) / np.maximum(level * (level - 1), 1) * within
    steps = np.where(above > 0, above * weight, 0) + within / level
    return weight * (part.above_both - part.above_y_below_x), steps - between_copies


def _harmonic(part: PairCounts) -> Floats:
    """The harmonic numbers H(0), H(1), ... up to the number of points of a resample."""
    most = int(part.total.max(initial=0)) + 1
    return np.concatenate(([0.0], np.cumsum(1 / np.arange(1, most + 1))))


def _cosine(product: Floats, square_x: Floats, square_y: Floats) -> Floats:
    return np.clip(_ratio(product, np.sqrt(square_x * square_y)), -1, 1)


def _ratio(part: Floats, whole: Floats) -> Floats:
    undefined = np.full(np.shape(part), np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=np.asarray(whole) > 0), dtype=np.float64)
