"""Two-way analysis of variance: how much of the scores is due to the runs, how much to the queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model import UsageError
from karat.stats.adjusted_means import run_effects
from karat.stats.arrays import Floats, checked_scores

# Rounding leaves residuals of about this size, relative to the largest value, where there should be none.
_ROUNDING = 1e-12
MOST_PAIRED_RUNS = 1000
"""For more runs there are no variances of the differences of all pairs, and so no Tukey's test: both grow with the
square of the runs, and the inverse behind them with the cube."""


@dataclass(frozen=True, slots=True)
class AnovaRow:
    """One row of the table. `f` and `p` are NaN in the residual's row, and where nothing varies at all."""

    name: str
    sum_of_squares: float
    df: int
    mean_square: float
    f: float
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class TwoWay:
    """The additive model value = mean + run + query + residual, fitted.

    `run_means` are adjusted: what each run would score over all queries that have a value. Without NaN they are the
    plain means. `difference_variance[i, j]` is the variance of run_means[i] - run_means[j]. Runs without any value
    have NaN in both. For more than MOST_PAIRED_RUNS runs `difference_variance` is None.
    """

    run: AnovaRow
    query: AnovaRow
    residual: AnovaRow
    run_means: Floats
    difference_variance: Floats | None
    rounding: float
    """Differences up to this size are rounding."""
    runs: int
    """The number of runs that have a value."""
    queries: int
    """The number of queries that have a value."""
    left_out: int
    """The number of undefined values (NaN)."""


def two_way(values: npt.ArrayLike) -> TwoWay | None:
    """Fit value = mean + run + query + residual to values of shape (runs, queries) by least squares.

    There is no interaction: with one value per run and query it is the residual (Dang & Lin 2007, section 3.2). Sums of
    squares are those of each factor after the other (type II; without NaN the order does not matter):
    SS_run = |fit(run + query) - fit(query)|^2, F_run = MS_run / MS_residual.

    None where the model cannot be fitted; `obstacle` says why. If the residual is zero, F is infinite and p 0 for a
    factor that varies, NaN for one that does not.

    >>> table = two_way([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    >>> round(table.run.f, 6), round(table.run.p, 4), table.residual.df
    (27.0, 0.0351, 2)
    """
    table = _table(values)
    if _obstacle(table) is not None:
        return None
    present = ~np.isnan(table)
    with_value = present.any(axis=1)
    present = present[np.ix_(with_value, present.any(axis=0))]
    used = table[np.ix_(with_value, ~np.isnan(table).all(axis=0))]
    runs, queries = used.shape
    rounding = _ROUNDING * float(np.abs(used[present]).max())
    # Centred, large values that differ little keep their digits.
    centre = float(used[present].mean())
    cells = np.where(present, used - centre, 0.0)

    run_only = _means(cells, present, axis=1)[:, None] * present
    query_only = _means(cells, present, axis=0)[None, :] * present
    inverse = _inverse(present) if len(table) <= MOST_PAIRED_RUNS else None
    totals = (cells - query_only).sum(axis=1)
    effects = run_effects(cells, present) if inverse is None else inverse @ totals
    query_effects = _means(cells - effects[:, None] * present, present, axis=0)
    fit = (effects[:, None] + query_effects[None, :]) * present

    def squares(part: Floats) -> float:
        total = float((part**2).sum())
        return total if total > rounding**2 * present.sum() else 0.0

    df = int(present.sum()) - runs - queries + 1
    residual = squares(cells - fit)
    noise = residual / df
    variance = None
    if inverse is not None:
        variance = np.full((len(table), len(table)), np.nan)
        diagonal = np.diag(inverse)
        variance[np.ix_(with_value, with_value)] = noise * (diagonal[:, None] + diagonal[None, :] - 2 * inverse)
        np.fill_diagonal(variance, np.where(with_value, 0.0, np.nan))
    means = np.full(len(table), np.nan)
    means[with_value] = centre + effects + query_effects.mean()
    return TwoWay(
        run=_row("run", squares(fit - query_only), runs - 1, noise, df),
        query=_row("query", squares(fit - run_only), queries - 1, noise, df),
        residual=AnovaRow("residual", residual, df, noise, np.nan, np.nan),
        run_means=means,
        difference_variance=variance,
        rounding=rounding,
        runs=runs,
        queries=queries,
        left_out=int(np.isnan(table).sum()),
    )


def obstacle(values: npt.ArrayLike, *, names: Sequence[str] | None = None) -> str | None:
    """Why `two_way` has no result for these values; None where it has one. names: of the runs, for the message."""
    return _obstacle(_table(values), names)


def _table(values: npt.ArrayLike) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"values must have the shape (runs, queries), not {table.shape}")
    return checked_scores(
        table, infinite="values must be finite numbers, or NaN where they are undefined; some are infinite"
    )


def _obstacle(table: Floats, names: Sequence[str] | None = None) -> str | None:
    present = ~np.isnan(table)
    runs, queries = np.flatnonzero(present.any(axis=1)), np.flatnonzero(present.any(axis=0))
    if len(runs) < 2:
        return f"at least 2 runs must have values, not {len(runs)}"
    if len(queries) < 2:
        return f"at least 2 queries must have values, not {len(queries)}"
    reached = _reached(present, start=int(runs[0]))
    if not reached[runs].all():
        apart, first = int(runs[~reached[runs]][0]), int(runs[0])
        if names is not None:
            return f"no chain of shared queries connects {names[apart]} with {names[first]}"
        return f"no chain of shared queries connects run {apart} (counted from 0) with run {first}"
    if present.sum() - len(runs) - len(queries) + 1 < 1:
        count = f"{present.sum()} values of {len(runs)} runs and {len(queries)} queries"
        return f"{count} are too few: nothing is left for the residual"
    return None


def _reached(present: npt.NDArray[np.bool_], *, start: int) -> npt.NDArray[np.bool_]:
    """The runs that are connected with `start` by shared queries, step by step."""
    reached = np.zeros(len(present), dtype=bool)
    reached[start] = True
    while True:
        further = present[:, present[reached].any(axis=0)].any(axis=1) | reached
        if (further == reached).all():
            return reached
        reached = further


def _means(cells: Floats, present: npt.NDArray[np.bool_], *, axis: int) -> Floats:
    means: Floats = cells.sum(axis=axis) / present.sum(axis=axis)
    return means


def _inverse(present: npt.NDArray[np.bool_]) -> Floats:
    """A generalised inverse of the normal equations of the run effects, the queries eliminated.

    They are (diag(values per run) - N diag(1 / values per query) N') effects = totals, with N the incidence of runs and
    queries. Their rows sum to zero; in a connected design this is their only dependency, so that adding 1/runs to every
    cell makes them regular and keeps the solution whose effects sum to zero. Without NaN the inverse is known.
    """
    runs, queries = present.shape
    if present.all():
        balanced: Floats = (np.eye(runs) - 1 / runs) / queries
        return balanced
    incidence = present.astype(np.float64)
    equations = np.diag(incidence.sum(axis=1)) - (incidence / incidence.sum(axis=0)) @ incidence.T
    inverse: Floats = np.linalg.inv(equations + 1 / runs)
    return inverse


def _row(name: str, squares: float, df: int, noise: float, noise_df: int) -> AnovaRow:
    from scipy.special import fdtrc

    mean_square = squares / df
    if noise > 0:
        f = mean_square / noise
        return AnovaRow(name, squares, df, mean_square, f, float(fdtrc(df, noise_df, f)))
    if squares > 0:
        return AnovaRow(name, squares, df, mean_square, np.inf, 0.0)
    return AnovaRow(name, squares, df, mean_square, np.nan, np.nan)
