"""Agreement of two partitions of the same items, such as which nuggets two assessors put into one nug.

`left` and `right` have the class of every item, as numbers. Items of different `groups` (queries) are never in the same
class: counts are added up over groups, and groups are resampled for the interval; with one group there is no interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.agreement.coefficients import NO_PAIRS, ONE_CATEGORY, ONE_RATER
from karat.stats.arrays import Floats
from karat.stats.intervals.bounded import Bounds
from karat.stats.intervals.unit_resampling import Coefficient, WeightedRows, divide, group_numbers

NO_ITEMS = "no item is in both partitions"
TRIVIAL = "both partitions are all one class, or both all singletons"


@dataclass(frozen=True, slots=True)
class PartitionAgreement:
    """Precision and recall of the left partition against the right, and F with its interval; F is symmetric."""

    precision: float | None
    recall: float | None
    f: Coefficient


def b_cubed(left: ArrayLike, right: ArrayLike, *, groups: ArrayLike | None = None, seed: int = 0) -> PartitionAgreement:
    """B-cubed (Bagga & Baldwin 1998): the mean over items of the share of the item's class that is right.

    With L(e) and R(e) the classes of item e: precision = mean |L(e) & R(e)| / |L(e)|, recall = mean |L(e) & R(e)| /
    |R(e)|, F = 2PR / (P + R).
    """

    def count(table: Floats) -> list[float]:
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        items = table.sum()
        return [(table**2 / rows[:, None]).sum(), items, (table**2 / columns[None, :]).sum(), items]

    return _precision_and_recall(left, right, groups, count, seed)


def ceaf(
    left: ArrayLike, right: ArrayLike, *, phi: Literal[3, 4] = 4, groups: ArrayLike | None = None, seed: int = 0
) -> PartitionAgreement:
    """CEAF (Luo 2005): classes are matched one to one so that the sum of phi is largest.

    phi3(L, R) = |L & R| (items matched), phi4(L, R) = 2 |L & R| / (|L| + |R|) (classes matched). Precision divides the
    sum by that of phi(L, L), recall by that of phi(R, R): the number of items, or of classes.
    """
    if phi not in (3, 4):
        raise UsageError(f"phi={phi!r} is not one of 3, 4")
    from scipy.optimize import linear_sum_assignment

    def count(table: Floats) -> list[float]:
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        similar = table if phi == 3 else 2 * table / (rows[:, None] + columns[None, :])
        best = similar[linear_sum_assignment(similar, maximize=True)].sum()
        of_left, of_right = (table.sum(), table.sum()) if phi == 3 else (len(rows), len(columns))
        return [best, of_left, best, of_right]

    return _precision_and_recall(left, right, groups, count, seed)


def adjusted_rand(left: ArrayLike, right: ArrayLike, *, groups: ArrayLike | None = None, seed: int = 0) -> Coefficient:
    """The adjusted Rand index (Hubert & Arabie 1985): (I - E) / ((A + B) / 2 - E), over pairs of items.

    I counts the pairs that both put into one class, A and B those that each of them did, E = A B / (all pairs). Only
    pairs within a group count. Undefined where both partitions are all one class, or both all singletons (0/0).
    """

    def count(table: Floats) -> list[float]:
        together, left_pairs, right_pairs, pairs = (
            float((sizes * (sizes - 1)).sum() / 2)
            for sizes in (table, table.sum(axis=1), table.sum(axis=0), table.sum(keepdims=True))
        )
        by_chance = left_pairs * right_pairs / pairs if pairs else 0.0
        return [together - by_chance, (left_pairs + right_pairs) / 2 - by_chance]

    counts, items = _counts_by_group(left, right, groups, count)
    if not items:
        return Coefficient(value=None, units=0, raters=2, reason=NO_ITEMS)
    rows = WeightedRows(counts, np.ones(len(counts)), np.arange(len(counts)))

    def index(weights: Floats) -> Floats:
        sums = weights @ counts
        return divide(sums[:, 0], np.where(np.abs(sums[:, 1]) > 1e-9, sums[:, 1], 0))

    return rows.coefficient(index, units=items, raters=2, undefined=TRIVIAL, seed=seed)


def masi_distance(left: Set[object], right: Set[object]) -> float:
    """The MASI distance 1 - J M of two sets (Passonneau 2006), with J = |A & B| / |A | B|.

    M = 1 for equal sets, 2/3 where one contains the other, 1/3 where they only overlap, 0 where they are disjoint. Two
    empty sets are equal.

    >>> round(masi_distance({1, 2}, {1, 2, 3, 4}), 3)
    0.667
    """
    if left == right:
        return 0.0
    shared = len(left & right)
    if not shared:
        return 1.0
    return 1 - shared / len(left | right) * (2 / 3 if left <= right or right <= left else 1 / 3)


def masi_alpha(
    ratings: Sequence[Sequence[Set[object] | None]], *, groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """Krippendorff's alpha of set-valued labels with MASI as the distance (Passonneau 2006), not squared.

    One row per unit, one set per rater (None: not rated). Classes can be compared without names: the label of an item
    is the set of items of its class (Passonneau 2004). Undefined where all sets are equal.
    """
    numbers = group_numbers(groups, len(ratings))
    labels = [[frozenset(label) if label is not None else None for label in row] for row in ratings]
    raters = sum(any(label is not None for label in column) for column in zip(*labels, strict=True))
    paired = [position for position, row in enumerate(labels) if sum(label is not None for label in row) > 1]
    if not paired:
        return Coefficient(value=None, units=0, raters=raters, reason=NO_PAIRS if raters > 1 else ONE_RATER)
    from scipy.sparse import csr_array

    sets: dict[frozenset[object], int] = {}
    said = [
        (unit, sets.setdefault(label, len(sets)))
        for unit, position in enumerate(paired)
        for label in labels[position]
        if label is not None
    ]
    places = tuple(np.array(said).T)
    # A unit has few labels, and few of the sets meet each other: full tables would grow with the square of the sets.
    counts = csr_array((np.ones(len(said)), places), shape=(len(paired), len(sets)))
    likeness = _masi_likeness(list(sets))
    raters_of = counts.sum(axis=1)
    within = (raters_of**2 - (counts @ likeness).multiply(counts).sum(axis=1)) / (raters_of - 1)
    rows = WeightedRows(
        np.arange(len(paired)),
        np.ones(len(paired)),
        np.arange(len(paired)) if numbers is None else np.unique(numbers[paired], return_inverse=True)[1],
    )

    def alpha(weights: Floats) -> Floats:
        of_set = weights @ counts
        expected = of_set.sum(axis=1) ** 2 - ((of_set @ likeness) * of_set).sum(axis=1)
        return 1 - divide((weights @ within) * (of_set.sum(axis=1) - 1), expected)

    return rows.coefficient(alpha, units=len(paired), raters=raters, undefined=ONE_CATEGORY, seed=seed, room=len(sets))


def _masi_likeness(sets: Sequence[frozenset[object]]) -> Any:
    """1 - the MASI distance of all pairs of sets, as a sparse table: most sets share nothing."""
    from scipy.sparse import csr_array

    holders: dict[object, list[int]] = {}
    for number, items in enumerate(sets):
        for item in items:
            holders.setdefault(item, []).append(number)
    shared = Counter((a, b) for numbers in holders.values() for a in numbers for b in numbers if a < b)
    table = {(number, number): 1.0 for number in range(len(sets))}
    for (a, b), both in shared.items():
        contained = both == min(len(sets[a]), len(sets[b]))
        likeness = both / (len(sets[a]) + len(sets[b]) - both) * (2 / 3 if contained else 1 / 3)
        table[a, b] = table[b, a] = likeness
    places = tuple(np.array([*table]).T)
    return csr_array(([*table.values()], places), shape=(len(sets), len(sets)))


def _counts_by_group(
    left: ArrayLike, right: ArrayLike, groups: ArrayLike | None, count: Callable[[Floats], list[float]]
) -> tuple[Floats, int]:
    """The result of `count` for the contingency table of each group, and the number of items."""
    classes = [np.asarray(left), np.asarray(right)]
    if classes[0].ndim != 1 or classes[0].shape != classes[1].shape:
        shapes = " and ".join(str(side.shape) for side in classes)
        raise UsageError(
            f"left and right must be vectors of one length, with a class per item, not the shapes {shapes}"
        )
    items = len(classes[0])
    numbers = group_numbers(groups, items)
    of_group = numbers if numbers is not None else np.zeros(items, dtype=np.int64)
    counts = [count(_contingency(*(side[of_group == group] for side in classes))) for group in np.unique(of_group)]
    return np.array(counts, dtype=float), items


def _contingency(left: NDArray[np.generic], right: NDArray[np.generic]) -> Floats:
    rows, columns = (np.unique(side, return_inverse=True)[1] for side in (left, right))
    table = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    np.add.at(table, (rows, columns), 1)
    return table


def _precision_and_recall(
    left: ArrayLike, right: ArrayLike, groups: ArrayLike | None, count: Callable[[Floats], list[float]], seed: int
) -> PartitionAgreement:
    counts, items = _counts_by_group(left, right, groups, count)
    if not items:
        return PartitionAgreement(None, None, Coefficient(value=None, units=0, raters=2, reason=NO_ITEMS))
    rows = WeightedRows(counts, np.ones(len(counts)), np.arange(len(counts)))

    def f(weights: Floats) -> Floats:
        sums = weights @ counts
        precision, recall = sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]
        # An item is always in its own class, so neither is zero.
        harmonic: Floats = 2 * precision * recall / (precision + recall)
        return harmonic

    right_of_left, of_left, right_of_right, of_right = counts.sum(axis=0)
    whole = rows.coefficient(f, units=items, raters=2, undefined=NO_ITEMS, seed=seed, bounds=Bounds())
    return PartitionAgreement(float(right_of_left / of_left), float(right_of_right / of_right), whole)
