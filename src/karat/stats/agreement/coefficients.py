"""Agreement of raters beyond chance, each coefficient with an interval.

`ratings` is a matrix with one row per unit and one column per rater; NaN where a rater did not rate a unit. Categories
are written as numbers; nominal coefficients only ask whether two numbers are equal. n_uk is the number of raters who
put unit u into category k, m_u the number who rated it; all coefficients except Cohen's kappa depend only on the n_uk.

Units are left out, one at a time (`jackknife_interval`), or drawn where there are more than 200. Units that depend on
each other (the nugs of one query) belong to one group: `groups` has a number for each unit, then it is whole groups.
A coefficient that is not defined has no value, and a reason; a resample for which it is not defined is left out.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.intervals.bounded import Bounds
from karat.stats.intervals.jackknife import AROUND_ZERO
from karat.stats.intervals.unit_resampling import (
    Coefficient,
    Statistic,
    WeightedRows,
    divide,
    group_numbers,
    rating_matrix,
)

Level = Literal["nominal", "ordinal", "interval"]
CostOfDifference = Literal["none", "linear", "quadratic"]
MAX_CATEGORIES = 1000
ONE_RATER = "fewer than two raters"
NO_PAIRS = "no unit was rated by two raters"
ONE_CATEGORY = "only one category was used, so agreement cannot be distinguished from chance"
TOO_MANY = f"more than {MAX_CATEGORIES} different ratings: these are not categories"


def percent_agreement(ratings: ArrayLike, *, groups: ArrayLike | None = None, seed: int = 0) -> Coefficient:
    """The mean over units of the share of pairs of raters that agree: sum_k n_uk (n_uk - 1) / (m_u (m_u - 1)).

    >>> percent_agreement([[1, 1], [1, 0], [0, 0], [1, 1]]).value
    0.75
    """
    rated = _counted(ratings, groups)
    if isinstance(rated, Coefficient):
        return rated
    return rated.coefficient(rated.agreement, seed=seed, bounds=Bounds())


def fleiss_kappa(ratings: ArrayLike, *, groups: ArrayLike | None = None, seed: int = 0) -> Coefficient:
    """Fleiss' kappa (1971): (p_a - p_e) / (1 - p_e) with p_e = sum_k pi_k^2.

    p_a is the percent agreement and pi_k the mean over units of the share of raters who chose k, also where units have
    different numbers of raters (Gwet 2014). Undefined where only one category was used.
    """
    rated = _counted(ratings, groups)
    if isinstance(rated, Coefficient):
        return rated

    def kappa(weights: Floats) -> Floats:
        shares = rated.shares(weights)
        varied = (shares > 0).sum(axis=1) > 1
        by_chance = (shares**2).sum(axis=1)
        return divide(rated.agreement(weights) - by_chance, np.where(varied, 1 - by_chance, 0))

    return rated.coefficient(kappa, seed=seed)


def gwet_ac1(
    ratings: ArrayLike, *, categories: int | None = None, groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """Gwet's AC1 (2008): (p_a - p_e) / (1 - p_e) with p_e = sum_k pi_k (1 - pi_k) / (q - 1); pi_k as in Fleiss' kappa.

    q is the number of categories to choose from: `categories`, or those that were used. Where only one category was
    used p_e is 0; where a category is rare, AC1 does not fall as kappa does.
    """
    rated = _counted(ratings, groups)
    if isinstance(rated, Coefficient):
        return rated
    used = rated.counts.shape[1]
    if categories is not None and categories < used:
        raise UsageError(f"categories={categories}, but there are {used} different ratings: give at least {used}")
    others = max((categories or used) - 1, 1)

    def ac1(weights: Floats) -> Floats:
        shares = rated.shares(weights)
        by_chance = (shares * (1 - shares)).sum(axis=1) / others
        return divide(rated.agreement(weights) - by_chance, 1 - by_chance)

    return rated.coefficient(ac1, seed=seed)


def krippendorff_alpha(
    ratings: ArrayLike, *, level: Level = "nominal", groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """Krippendorff's alpha (2004, ch. 11): 1 - D_o / D_e, over the units that at least two raters rated.

    D_o = sum_u sum_(i != j in u) d(i, j)^2 / (m_u - 1) / n and D_e = sum_(i != j) d(i, j)^2 / (n (n - 1)) over all n
    ratings. nominal: d^2 is 0 for equal and 1 for different ratings; interval: the squared difference; ordinal: the
    squared difference of the mean ranks that two ratings have among all n. Undefined where all ratings are equal.
    Values of an interval scale with more than 1000 different ones are rounded to a thousandth of its range.
    """
    if level not in get_args(Level):
        raise UsageError(f"level={level!r} is not one of {', '.join(get_args(Level))}")
    matrix = rating_matrix(ratings)
    given = ~np.isnan(matrix)
    if level == "interval" and len(np.unique(matrix[given])) > MAX_CATEGORIES:
        # The rest counts categories, which a continuous scale does not have.
        edges = np.linspace(np.nanmin(matrix), np.nanmax(matrix), MAX_CATEGORIES)
        matrix = np.where(given, edges[np.searchsorted(edges, np.nan_to_num(matrix, nan=edges[0]))], np.nan)
    matrix = np.where(given.sum(axis=1, keepdims=True) > 1, matrix, np.nan)
    rated = _counted(matrix, groups, raters=int(given.any(axis=0).sum()))
    if isinstance(rated, Coefficient):
        return rated
    counts, sizes = rated.counts, rated.sizes

    def alpha(weights: Floats) -> Floats:
        numbers = weights @ counts
        total = numbers.sum(axis=1)
        if level == "nominal":
            observed = weights @ ((sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1))
            expected = total**2 - (numbers**2).sum(axis=1)
        elif level == "interval":
            scale = rated.values - rated.values.mean()
            observed = weights @ (2 * (sizes * (counts @ scale**2) - (counts @ scale) ** 2) / (sizes - 1))
            expected = 2 * (total * (numbers @ scale**2) - (numbers @ scale) ** 2)
        else:
            ranks = np.cumsum(numbers, axis=1) - numbers / 2 - total[:, None] / 2
            within = 2 * (sizes * (ranks**2 @ counts.T) - (ranks @ counts.T) ** 2) / (sizes - 1)
            observed = (weights * within).sum(axis=1)
            expected = 2 * (total * (numbers * ranks**2).sum(axis=1) - (numbers * ranks).sum(axis=1) ** 2)
        varied = (numbers > 0).sum(axis=1) > 1
        return 1 - divide(observed * (total - 1), np.where(varied, expected, 0))

    return rated.coefficient(alpha, seed=seed)


def cohen_kappa(
    ratings: ArrayLike, *, weights: CostOfDifference = "none", groups: ArrayLike | None = None, seed: int = 0
) -> Coefficient:
    """Cohen's kappa of two raters (1960; weighted: 1968): 1 - sum_ab w_ab O_ab / sum_ab w_ab E_ab.

    O counts the units by the categories of the two raters, E is what is expected by chance if each rater keeps the
    shares of his categories. The cost w_ab of the categories at positions a and b of their order is 1 for a != b, or
    |a - b| (linear), or (a - b)^2 (quadratic). Undefined where both use only the same category (chance agreement is 1).
    """
    if weights not in get_args(CostOfDifference):
        raise UsageError(f"weights={weights!r} is not one of {', '.join(get_args(CostOfDifference))}")
    matrix = rating_matrix(ratings)
    if matrix.shape[1] > 2:
        raise UsageError(f"Cohen's kappa is for two raters, but there are {matrix.shape[1]}")
    given = ~np.isnan(matrix)
    both = given.sum(axis=1) == 2
    raters, units = int(given.any(axis=0).sum()), int(both.sum())
    values, codes = np.unique(matrix[both], return_inverse=True)
    reason = ONE_RATER if raters < 2 else NO_PAIRS if not units else TOO_MANY if len(values) > MAX_CATEGORIES else None
    if reason is not None:
        return Coefficient(value=None, units=units, raters=raters, reason=reason)
    positions = np.arange(len(values), dtype=float)
    distance = np.abs(positions[:, None] - positions[None, :])
    cost = {"none": np.minimum(distance, 1), "linear": distance, "quadratic": distance**2}[weights]
    numbers = group_numbers(groups, len(matrix))
    cells = WeightedRows.of(codes.reshape(-1, 2), None if numbers is None else numbers[both])
    first, second = (np.eye(len(values))[cells.rows[:, column]] for column in (0, 1))
    costs = cost[cells.rows[:, 0], cells.rows[:, 1]]

    def kappa(drawn: Floats) -> Floats:
        expected = ((drawn @ first @ cost) * (drawn @ second)).sum(axis=1)
        return 1 - divide((drawn @ costs) * drawn.sum(axis=1), expected)

    return cells.coefficient(kappa, units=units, raters=2, undefined=ONE_CATEGORY, seed=seed, room=len(values))


class _RatingCounts:
    """How many raters chose each category, for every different way in which a unit was rated."""

    def __init__(self, values: Floats, rows: WeightedRows, units: int, raters: int) -> None:
        self.values, self.rows, self.units, self.raters = values, rows, units, raters
        self.counts = rows.rows.astype(float)
        self.sizes = self.counts.sum(axis=1)
        self._paired = self.sizes > 1
        pairs = np.where(self._paired, self.sizes * (self.sizes - 1), 1)
        self._agreeing = (self.counts * (self.counts - 1)).sum(axis=1) / pairs

    def agreement(self, weights: Floats) -> Floats:
        """p_a: the mean share of agreeing pairs, over units rated by two."""
        return divide(weights @ self._agreeing, weights @ self._paired.astype(float))

    def shares(self, weights: Floats) -> Floats:
        """pi_k: the mean share of raters who chose each category, over all rated units."""
        shares: Floats = weights @ (self.counts / self.sizes[:, None]) / weights.sum(axis=1, keepdims=True)
        return shares

    def coefficient(self, statistic: Statistic, *, seed: int, bounds: Bounds = AROUND_ZERO) -> Coefficient:
        return self.rows.coefficient(
            statistic,
            units=self.units,
            raters=self.raters,
            undefined=ONE_CATEGORY,
            seed=seed,
            room=max(self.counts.shape),
            bounds=bounds,
        )


def _counted(ratings: ArrayLike, groups: ArrayLike | None, *, raters: int | None = None) -> _RatingCounts | Coefficient:
    """The ratings counted, or a coefficient without a value where there is nothing to count."""
    matrix = rating_matrix(ratings)
    given = ~np.isnan(matrix)
    if raters is None:
        raters = int(given.any(axis=0).sum())
    units = int((given.sum(axis=1) > 1).sum())
    values = np.unique(matrix[given])
    reason = ONE_RATER if raters < 2 else NO_PAIRS if not units else TOO_MANY if len(values) > MAX_CATEGORIES else None
    if reason is not None:
        return Coefficient(value=None, units=units, raters=raters, reason=reason)
    rated = given.any(axis=1)
    counts = np.zeros((len(matrix), len(values)), dtype=np.int64)
    unit, rater = np.nonzero(given)
    np.add.at(counts, (unit, np.searchsorted(values, matrix[unit, rater])), 1)
    numbers = group_numbers(groups, len(matrix))
    rows = WeightedRows.of(counts[rated], None if numbers is None else numbers[rated])
    return _RatingCounts(values, rows, units, raters)
