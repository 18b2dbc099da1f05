"""Correlations of two score matrices (runs, queries): by run, over all cells, and within queries.

The cells of a query depend on each other, and so do those of a run; so whole queries (or whole runs) are resampled, the
same ones in both matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, run_means, score_matrix
from karat.stats.correlation.coefficients import coefficients_of_resamples, coefficients_of_vectors
from karat.stats.correlation.intervals import (
    check_interval_options,
    distinct_columns,
    resampling_columns,
    with_interval,
)
from karat.stats.correlation.record import COEFFICIENTS, OTHER_QUERIES, OTHER_RUNS, Correlation, undefined_reason
from karat.stats.intervals.bootstrap import Side

LEVELS = ("run", "query", "within-query")
RESAMPLES = ("queries", "runs")
NOT_WITHIN_ANY_QUERY = "it is undefined in every query"


@dataclass(frozen=True, slots=True)
class _Level:
    """The coefficients in every column of the resampling (the first: everything once), and what they come from."""

    columns: dict[str, Floats]
    n: dict[str, int]
    reasons: dict[str, str | None]
    undefined: dict[str, int]


def correlate_scores(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    level: str = "run",
    resample: str = "queries",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    side: Side = "both",
    method: str = "centred",
    pearson: str = "bootstrap",
) -> tuple[Correlation, ...]:
    """All coefficients of two score matrices (runs, queries), in the order of COEFFICIENTS; `a` is the reference.

    A cell that is NaN in one matrix is left out of both and counted in `left_out`.

    `level="run"`: for the means of runs over queries; n counts runs. `level="query"`: over all cells, as Dang & Lin
    (2007) do; n counts cells. `level="within-query"`: over the runs of each query, averaged over the queries where it
    is defined; n counts those queries, `undefined` the others.

    `resample` says what is drawn with replacement, "queries" (would another set of questions say the same?) or "runs"
    (would other systems?). The interval is one of the value that as many other queries (or runs) would give, which the
    noise of queries lowers; `population_correlations` has that of infinitely many queries. `pearson="fisher"` gives
    Pearson's r the interval of independent points, as in published tables; there is none within queries. `method` is
    "centred" or "percentile" (see `bootstrap_interval`). `side="low"` gives "at least so good" at the full confidence:
    only the lower bound of a correlation, only the upper one of an error (rmse); the other end is that of the scale.
    """
    x, y = score_matrix(a), score_matrix(b)
    check_interval_options(confidence=confidence, side=side, resamples=resamples, method=method, pearson=pearson)
    _check(x, y, level=level, resample=resample, pearson=pearson)
    missing = np.isnan(x) | np.isnan(y)
    x, y = np.where(missing, np.nan, x), np.where(missing, np.nan, y)
    groups = x.shape[1] if resample == "queries" else x.shape[0]
    drawn = distinct_columns(resampling_columns(groups, resamples=resamples, seed=seed))
    of_level = {"run": _by_run, "query": _by_cell, "within-query": _within_queries}[level]
    of_all = of_level(x, y, drawn.columns, resample)
    left_out = int(np.count_nonzero(missing))
    return tuple(
        with_interval(
            Correlation(
                name=name,
                value=float(of_all.columns[name][0]) if of_all.reasons[name] is None else None,
                n=of_all.n[name],
                left_out=left_out,
                undefined_reason=of_all.reasons[name],
                undefined=of_all.undefined[name],
            ),
            of_all.columns[name][drawn.column_of],
            groups=groups,
            confidence=confidence,
            side=side,
            method="fisher" if name == "pearson" and pearson == "fisher" else method,
            target=OTHER_QUERIES if resample == "queries" else OTHER_RUNS,
        )
        for name in COEFFICIENTS
    )


def _by_run(x: Floats, y: Floats, weights: Floats, resample: str) -> _Level:
    mean_x, mean_y = run_means(x)[:, 0], run_means(y)[:, 0]
    known = ~np.isnan(mean_x)
    if resample == "queries":
        columns = coefficients_of_vectors(run_means(x, weights=weights).T, run_means(y, weights=weights).T)
    else:
        columns = coefficients_of_resamples(mean_x[known], mean_y[known], groups=np.flatnonzero(known), weights=weights)
    return _of_points(columns, mean_x[known], mean_y[known])


def _by_cell(x: Floats, y: Floats, weights: Floats, resample: str) -> _Level:
    runs, queries = np.nonzero(~np.isnan(x))
    cells_x, cells_y = x[runs, queries], y[runs, queries]
    groups = queries if resample == "queries" else runs
    columns = coefficients_of_resamples(cells_x, cells_y, groups=groups, weights=weights)
    return _of_points(columns, cells_x, cells_y)


def _within_queries(x: Floats, y: Floats, weights: Floats, resample: str) -> _Level:
    each = coefficients_of_vectors(x.T, y.T)
    defined = {name: int(np.count_nonzero(~np.isnan(values))) for name, values in each.items()}
    if resample == "queries":
        columns = {name: run_means(values[None, :], weights=weights)[0] for name, values in each.items()}
    else:
        columns = _within_queries_of_other_runs(x, y, weights)
    return _Level(
        columns=columns,
        n=defined,
        reasons={name: None if defined[name] else NOT_WITHIN_ANY_QUERY for name in COEFFICIENTS},
        undefined={name: x.shape[1] - defined[name] for name in COEFFICIENTS},
    )


def _within_queries_of_other_runs(x: Floats, y: Floats, weights: Floats) -> dict[str, Floats]:
    columns: dict[str, list[Floats]] = {name: [np.full(weights.shape[1], np.nan)] for name in COEFFICIENTS}
    for query in range(x.shape[1]):
        known = np.flatnonzero(~np.isnan(x[:, query]))
        of_query = coefficients_of_resamples(x[known, query], y[known, query], groups=known, weights=weights)
        for name, values in of_query.items():
            columns[name].append(values)
    return {name: run_means(np.stack(values, axis=1))[:, 0] for name, values in columns.items()}


def _of_points(columns: dict[str, Floats], x: Floats, y: Floats) -> _Level:
    return _Level(
        columns=columns,
        n=dict.fromkeys(COEFFICIENTS, len(x)),
        reasons={name: undefined_reason(name, x, y) for name in COEFFICIENTS},
        undefined=dict.fromkeys(COEFFICIENTS, 0),
    )


def _check(x: Floats, y: Floats, *, level: str, resample: str, pearson: str) -> None:
    if x.shape != y.shape:
        raise UsageError(f"the score matrices have different shapes, {x.shape} and {y.shape}")
    if level not in LEVELS:
        raise UsageError(f"level {level!r} is not one of {', '.join(LEVELS)}")
    if resample not in RESAMPLES:
        raise UsageError(f"resample {resample!r} is not one of {', '.join(RESAMPLES)}")
    if level == "within-query" and pearson == "fisher":
        raise UsageError("a mean over queries has no Fisher interval; use pearson='bootstrap' at this level")
