"""Variance components of tables with missing cells: symmetric sums of squares, and REML for runs and queries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from karat.stats.arrays import Floats

Axes = tuple[int, ...]
STEPS = 100
"""Scoring takes about ten; a flat likelihood more."""
SETTLED = 1e-10
"""A step that changes no component by more than this share of the total is the last."""


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """Variances of value = mean + run + query + error, by restricted maximum likelihood; 0 is the least they can be."""

    run: float
    query: float
    error: float


def symmetric_components(table: Floats) -> dict[Axes, float]:
    """Unbiased estimates from all pairs of cells (Koch 1967), a set of axes each; NaN cells are left out.

    Half the squared difference of two cells has the expectation sum of sigma_U^2 over the sets of axes U in which the
    two differ. Summed over all ordered pairs that share the axes S, there are P(S) of them:

        sum (y - y')^2 / 2 = sum_U sigma_U^2 (P(S) - P(S u U)),

    one equation for each S that is not all axes. On a complete table the solution is that of the mean squares
    (the analysis of variance), negative estimates too. NaN where the cells that are left cannot tell two sources apart.
    """
    axes = range(table.ndim)
    subsets = [kept for size in range(table.ndim + 1) for kept in combinations(axes, size)]
    given = ~np.isnan(table)
    # Half of the squared differences does not depend on the mean; near 0 the sums keep their digits.
    centred = np.where(given, table - table[given].mean(), 0.0) if given.any() else np.zeros(table.shape)
    pairs, halves = {}, {}
    for kept in subsets:
        others = tuple(axis for axis in axes if axis not in kept)
        numbers = given.sum(axis=others, dtype=np.float64)
        pairs[kept] = float((numbers**2).sum())
        halves[kept] = float((numbers * (centred**2).sum(axis=others) - centred.sum(axis=others) ** 2).sum())
    equations, sources = subsets[:-1], subsets[1:]
    matrix = np.array(
        [[pairs[kept] - pairs[tuple(sorted({*kept, *source}))] for source in sources] for kept in equations]
    )
    scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1.0)
    if np.linalg.matrix_rank(matrix / scale) < len(sources):
        return dict.fromkeys(sources, float("nan"))
    solved = np.linalg.solve(matrix / scale, np.array([halves[kept] for kept in equations]) / scale[:, 0])
    return dict(zip(sources, solved.tolist(), strict=True))


def reml_components(table: Floats) -> RandomEffects | None:
    """REML (Patterson & Thompson 1971) of value = mean + run + query + error from a table with missing cells (NaN).

    Maximises -(log|V| + log(1'V^-1 1) + y'P y) / 2 with V = error I + run Z_r Z_r' + query Z_q Z_q' and
    P = V^-1 - V^-1 1 (1'V^-1 1)^-1 1'V^-1, by Fisher scoring from the symmetric estimates; a component that a step
    would make negative is set to 0, and set free again if the likelihood rises there. On a complete table without a
    negative estimate it is the analysis of variance. Every matrix has one row per run and query, and none has one row
    per cell: with A = error I + G Z'Z, V^-1 Z = Z A^-1.

    None where the table leaves no degree of freedom for the error, or nothing varies.
    """
    given = ~np.isnan(table)
    table, given = table[given.any(axis=1)][:, given.any(axis=0)], given[given.any(axis=1)][:, given.any(axis=0)]
    if min(table.shape, default=0) < 2 or error_df(given) < 1:
        return None
    spread = float(np.std(table[given]))
    if spread <= 1e-12 * float(np.abs(table[given]).max()):
        return None
    scale = spread
    model = _Model((table - table[given].mean()) / scale, given)
    start = symmetric_components(np.where(given, table / scale, np.nan))
    values = np.array([start[(0,)], start[(1,)], start[(0, 1)]])
    found = _scored(model, np.where(np.isnan(values), 1 / 3, np.maximum(values, [0.0, 0.0, 0.02])))
    run, query, error = (float(part) * scale**2 for part in found)
    return RandomEffects(run, query, error)


def error_df(given: npt.NDArray[np.bool_]) -> int:
    """Cells less the rank of runs and queries: runs + queries less one for each connected part of the table."""
    runs, queries = given.shape
    label = np.arange(runs)
    while True:  # the smallest run number that can be reached over common queries
        by_query = np.where(given, label[:, None], runs).min(axis=0)
        reached = np.minimum(label, np.where(given, by_query[None, :], runs).min(axis=1))
        if (reached == label).all():
            break
        label = reached
    return int(given.sum()) - (int(runs) + int(queries) - len(np.unique(label)))


def _scored(model: _Model, values: Floats) -> Floats:
    """Fisher scoring with halved steps; run and query may come to rest at 0."""
    total = float(values.sum())
    free = np.array([values[0] > 0, values[1] > 0, True])
    point = model.at(values)
    for _ in range(STEPS):
        free |= point.slope > 0  # the likelihood rises with a component at 0: set it free
        step = np.zeros(3)
        step[free] = np.linalg.lstsq(point.information[np.ix_(free, free)], point.slope[free], rcond=None)[0]
        share, nearer = 1.0, point
        while share > 1e-6:
            tried = values + share * step
            tried[:2] = np.maximum(tried[:2], 0.0)
            if tried[2] > 1e-9 * total:
                nearer = model.at(tried)
                if nearer.likelihood >= point.likelihood - 1e-12 * abs(point.likelihood):
                    break
            share /= 2
        else:
            return values
        change = float(np.abs(tried - values).max())
        values, point = tried, nearer
        free[:2] = values[:2] > 0
        if change <= SETTLED * total:
            break
    return values


@dataclass(frozen=True, slots=True)
class _Point:
    """The restricted likelihood at some components, its slope there, and the information."""

    likelihood: float
    slope: Floats
    information: Floats


class _Model:
    """What the likelihood needs of the table: sums and numbers by run and query."""

    def __init__(self, table: Floats, given: npt.NDArray[np.bool_]) -> None:
        runs, queries = table.shape
        filled, links = np.where(given, table, 0.0), given.astype(np.float64)
        by_run, by_query = np.diag(links.sum(axis=1)), np.diag(links.sum(axis=0))
        self._numbers = np.block([[by_run, links], [links.T, by_query]])
        self._sums = np.concatenate([filled.sum(axis=1), filled.sum(axis=0)])
        self._squares = float((filled**2).sum())
        self._cells = int(given.sum())
        self._parts = (slice(0, runs), slice(runs, runs + queries))
        self._ones = np.concatenate([np.ones(runs), np.zeros(queries)])  # Z times it is 1 in every cell

    def at(self, values: Floats) -> _Point:
        variances, error = values[:2], float(values[2])
        weights = np.concatenate([np.full(part.stop - part.start, variances[i]) for i, part in enumerate(self._parts)])
        a = error * np.eye(len(weights)) + weights[:, None] * self._numbers
        inverse = np.linalg.inv(a)
        zvz = self._numbers @ inverse
        zvy, zv1 = inverse.T @ self._sums, zvz @ self._ones
        one_v_one, one_v_y = float(self._ones @ zv1), float(self._ones @ zvy)
        yvy = (self._squares - float(self._sums @ (inverse @ (weights * self._sums)))) / error
        kernel = zvz - np.outer(zv1, zv1) / one_v_one  # Z'PZ
        zpy = zvy - zv1 * (one_v_y / one_v_one)
        ypy = yvy - one_v_y**2 / one_v_one
        # P = PVP gives every trace and square with the error from those with Z.
        squares = np.array([float((zpy[part] ** 2).sum()) for part in self._parts])
        traces = np.array([float(np.trace(kernel[part, part])) for part in self._parts])
        crossed = np.array([[float((kernel[p, q] ** 2).sum()) for q in self._parts] for p in self._parts])
        with_error = (traces - crossed @ variances) / error
        trace = (self._cells - 1 - float(traces @ variances)) / error
        error_error = (trace - float(with_error @ variances)) / error
        error_square = (ypy - float(squares @ variances)) / error
        information = np.empty((3, 3))
        information[:2, :2], information[2, 2] = crossed / 2, error_error / 2
        information[2, :2] = information[:2, 2] = with_error / 2
        slope = (np.append(squares, error_square) - np.append(traces, trace)) / 2
        log_v = float(np.linalg.slogdet(a)[1]) + (self._cells - len(weights)) * np.log(error)
        return _Point(-(log_v + np.log(one_v_one) + ypy) / 2, slope, information)
