"""Means of runs as if all had answered the same queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.stats.arrays import Floats, score_matrix

FEW_RUNS = 200
"""Up to so many runs it does not matter which equations are solved."""


@dataclass(frozen=True, slots=True, eq=False)
class AdjustedMeans:
    """One entry per run."""

    means: Floats
    """NaN for a run without any value."""
    parts: NDArray[np.int64]
    """Which part of the table the run belongs to, from 0; -1 for a run without any value. Adjusted means of different
    parts cannot be compared: no chain of common queries joins them."""
    adjusted: NDArray[np.bool_]
    """Whether a run of the same part lacks a query that another has; where none does, the mean is the plain one."""

    @property
    def comparable(self) -> bool:
        """Whether all runs with a value are in one part."""
        return bool(self.parts.max(initial=-1) < 1)


def adjusted_means(values: ArrayLike) -> AdjustedMeans:
    """The run effects of the additive model value = run + query + residual, fitted by least squares.

    `values` has the shape (runs, queries), NaN undefined. The adjusted mean of a run is its effect plus the mean of
    the query effects: what it would score over all queries if each query were as hard for it as for the others. A run
    that answered easy queries only loses what these queries give to everybody. Without NaN they are the plain means.
    (The same as `anova.two_way(...).run_means`, which also needs a residual.)

    A table may fall into parts that share no query, not even by way of a third run. Each part is then fitted by itself,
    over its own queries, and `parts` tells which runs may be compared.

    >>> nan = float("nan")
    >>> adjusted_means([[0.9, 0.8, nan], [1.0, 0.9, 0.2]]).means.round(3).tolist()
    [0.6, 0.7]
    """
    table = score_matrix(values)
    present = ~np.isnan(table)
    means, adjusted = np.full(len(table), np.nan), np.zeros(len(table), dtype=np.bool_)
    parts = _parts(present)
    for part in range(parts.max(initial=-1) + 1):
        rows = np.flatnonzero(parts == part)
        columns = present[rows].any(axis=0)
        means[rows] = _fitted(table[np.ix_(rows, columns)])
        adjusted[rows] = not present[np.ix_(rows, columns)].all()
    return AdjustedMeans(means, parts, adjusted)


def _parts(present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of the connected parts, in the order of their first runs."""
    parts = np.full(len(present), -1, dtype=np.int64)
    number = 0
    for first in np.flatnonzero(present.any(axis=1)):
        if parts[first] >= 0:
            continue
        reached = np.arange(len(present)) == first
        while True:
            further = np.asarray(present[:, present[reached].any(axis=0)].any(axis=1))
            if (further == reached).all():
                break
            reached = further
        parts[reached] = number
        number += 1
    return parts


def _fitted(table: Floats) -> Floats:
    present = ~np.isnan(table)
    if present.all():
        plain: Floats = table.mean(axis=1)
        return plain
    # Centred, large values that differ little keep their digits.
    centre = float(table[present].mean())
    cells = np.where(present, table - centre, 0.0)
    effects = run_effects(cells, present)
    incidence = present.astype(np.float64)
    query_effects = (cells - effects[:, None] * incidence).sum(axis=0) / incidence.sum(axis=0)
    fitted: Floats = centre + effects + query_effects.mean()
    return fitted


def run_effects(cells: Floats, present: NDArray[np.bool_]) -> Floats:
    """The run effects of the additive model in a connected table (runs, queries); they sum to zero.

    `cells` are 0 where nothing is present. With N the incidence of runs and queries, the normal equations of the run
    effects are, the queries eliminated, (diag(values per run) - N diag(1 / values per query) N') effects = totals.
    Where there are many runs and fewer queries, those of the query effects are solved instead, the runs eliminated: in
    runs * queries^2 steps and not runs^3. Both have the same solution, but for rounding.
    """
    incidence = present.astype(np.float64)
    by_run, by_query = incidence.sum(axis=1), incidence.sum(axis=0)
    # Rows sum to zero, their only dependency in a connected part; adding 1/runs picks effects that sum to zero.
    if len(cells) <= max(FEW_RUNS, cells.shape[1]):
        equations = np.diag(by_run) - (incidence / by_query) @ incidence.T
        totals = cells.sum(axis=1) - incidence @ (cells.sum(axis=0) / by_query)
        return np.asarray(np.linalg.solve(equations + 1 / len(cells), totals), dtype=np.float64)
    equations = np.diag(by_query) - (incidence.T / by_run) @ incidence
    totals = cells.sum(axis=0) - incidence.T @ (cells.sum(axis=1) / by_run)
    of_queries = np.linalg.solve(equations + 1 / cells.shape[1], totals)
    effects = (cells.sum(axis=1) - incidence @ of_queries) / by_run
    return np.asarray(effects - effects.mean(), dtype=np.float64)
