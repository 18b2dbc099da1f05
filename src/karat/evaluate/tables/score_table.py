"""A table of scores as arrays: runs down, queries across."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.measures.base import Array, Measure, ratio
from karat.measures.cases.cases import Cases
from karat.measures.registry import is_share, less_is_better
from karat.stats.adjusted_means import AdjustedMeans, adjusted_means
from karat.stats.intervals.bootstrap import Interval, median_intervals, statistic_interval
from karat.stats.intervals.bounded import UNIT, Bounds, Method, ScoreInterval, interval_trust, score_intervals

Average = Literal["query", "pool", "median"]
RESAMPLES = 2000
ROUNDING = 1e-9
"""Shares may leave [0, 1] by this much."""


@dataclass(frozen=True)
class ScoreTable:
    """The counts (runs, queries, k) and values (runs, queries) of one measure; NaN: left out or undefined."""

    name: str
    run_ids: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Array
    skipped: NDArray[np.bool_]
    """Where a run was not asked: missing responses that are skipped."""
    counts: Array | None = None
    measure: Measure | None = None
    average: Average = "query"
    less: bool | None = None
    """Whether less is better, where the user or the table says so; None: by the name of the measure."""

    def of_queries(self, columns: Sequence[int] | None) -> ScoreTable:
        """The same for some of the queries."""
        if columns is None or len(columns) == len(self.query_ids):
            return self
        return replace(
            self,
            query_ids=tuple(self.query_ids[column] for column in columns),
            values=self.values[:, columns],
            skipped=self.skipped[:, columns],
            counts=None if self.counts is None else self.counts[:, columns],
        )

    def of_runs(self, run_ids: Collection[str]) -> ScoreTable:
        """The same for some of the runs."""
        rows = [row for row, run_id in enumerate(self.run_ids) if run_id in run_ids]
        return replace(
            self,
            run_ids=tuple(self.run_ids[row] for row in rows),
            values=self.values[rows],
            skipped=self.skipped[rows],
            counts=None if self.counts is None else self.counts[rows],
        )

    def n(self, row: int) -> int:
        """Over how many queries a run's score is taken."""
        if self.average == "pool":
            return int((~self.skipped[row]).sum())
        return int((~np.isnan(self.values[row])).sum())

    def undefined(self, row: int) -> int:
        """For how many queries a run has no score; to a pooled score they add nothing."""
        return int((np.isnan(self.values[row]) & ~self.skipped[row]).sum())

    def totals(self) -> Array:
        """Each run's score over all queries; NaN where it is undefined."""
        return self._totals

    @cached_property
    def _totals(self) -> Array:
        return self.statistic(self.cube())

    @cached_property
    def less_is_better(self) -> bool:
        return less_is_better(self.name) if self.less is None else self.less

    @cached_property
    def bounds(self) -> tuple[Bounds | None, ...]:
        """The least and the most that a query's score of each run can be; None where it is not known.

        Scores that were given count as shares where they have the name of a measure that is one, and are all in [0, 1].
        Each run counts by itself: what another run's scores are says nothing about it.
        """
        share = self.measure.is_share() if self.measure is not None else is_share(self.name)
        with np.errstate(invalid="ignore"):
            inside = np.all(
                np.isnan(self.values) | ((self.values >= -ROUNDING) & (self.values <= 1 + ROUNDING)), axis=1
            )
        return tuple(UNIT if share and of_run else None for of_run in np.asarray(inside).tolist())

    @property
    def lacks(self) -> NDArray[np.bool_]:
        """Where a run has nothing that counts in its score."""
        return self.skipped if self.average == "pool" else np.isnan(self.values)

    def adjusted(self) -> AdjustedMeans | None:
        """Scores that can be put in order where runs lack queries; None where no run lacks one that others have.

        A run that answered easy queries only has a high score, which says little. Means over queries are adjusted to
        what they would be if every run had all queries (`adjusted_means`). Pooled scores and medians are taken over
        the queries that all runs have; there are none where there is no such query (`without_order`).
        """
        scored = ~np.isnan(self.totals())
        some = self.lacks[scored].any(axis=0) & ~self.lacks[scored].all(axis=0)
        if not some.any():
            return None
        if self.average == "query":
            return adjusted_means(self.values)
        common = np.flatnonzero(~self.lacks[scored].any(axis=0))
        scores = self.of_queries(common.tolist()).totals() if len(common) else np.full(len(scored), np.nan)
        parts = np.where(scored, 0, -1)
        return AdjustedMeans(np.where(scored, scores, np.nan), parts, scored & ~np.isnan(scores))

    def without_order(self) -> str | None:
        """Why pooled scores and medians of these runs cannot be put in order; None where they can."""
        adjusted = None if self.average == "query" else self.adjusted()
        if adjusted is None or not np.isnan(adjusted.means[adjusted.parts == 0]).any():
            return None
        kind = "pooled scores" if self.average == "pool" else "medians"
        return (
            f"some runs lack queries that others have, and no query that all runs have gives {kind} an order; take "
            "the mean over queries (--average query)"
        )

    def best_first(self) -> list[int]:
        """The rows of the runs, best first (by adjusted scores where queries are lacking); those without one last."""
        adjusted = self.adjusted()
        means = self.totals() if adjusted is None else adjusted.means
        totals = means if not self.less_is_better else -means
        return sorted(range(len(totals)), key=lambda row: -np.nan_to_num(totals[row], nan=-np.inf))

    def cube(self) -> Array:
        """What adds up over queries (runs, queries, k): counts for a pooled score, else values and their number."""
        if self.average == "pool":
            assert self.counts is not None
            return np.where(self.skipped[..., None], 0.0, self.counts)
        defined = ~np.isnan(self.values)
        return np.stack([np.where(defined, self.values, 0.0), defined.astype(float)], axis=-1)

    def statistic(self, cube: Array) -> Array:
        """The score of each run from its part of the cube (runs, queries, k)."""
        if self.average == "median":
            return medians(np.where(cube[..., 1] > 0, cube[..., 0], np.nan))
        return self.of_sums(cube.sum(axis=1))

    def of_sums(self, sums: Array) -> Array:
        """Scores of sums over queries (..., k)."""
        if self.average == "pool":
            assert self.measure is not None
            return self.measure.values(sums)
        whole = sums[..., 1]
        return ratio(sums[..., 0], whole)

    def intervals(self, *, seed: int, confidence: float = 0.95) -> list[ScoreInterval | None]:
        """The interval of each run's score for other queries; of means `score_intervals`, of others by resampling."""
        if self.average == "query":
            return intervals_by_bounds(self.values, self.bounds, confidence=confidence, seed=seed)
        if self.average == "median":
            found = median_intervals(self.values, confidence=confidence, resamples=RESAMPLES, seed=seed)
            return self._resampled(found, "percentile")
        cube = self.cube()
        pooled = [
            statistic_interval(
                cube[row][~self.skipped[row]], self.of_sums, confidence=confidence, resamples=RESAMPLES, seed=seed
            )
            for row in range(len(self.run_ids))
        ]
        return self._resampled(pooled, "BCa")

    def _resampled(self, found: Sequence[Interval | None], method: Method) -> list[ScoreInterval | None]:
        numbers = [self.n(row) for row in range(len(found))]
        return [
            None if end is None else ScoreInterval(end.low, end.high, method, n, interval_trust(n).bca)
            for end, n in zip(found, numbers, strict=True)
        ]


def intervals_by_bounds(
    values: Array, bounds: Sequence[Bounds | None], *, confidence: float = 0.95, seed: int
) -> list[ScoreInterval | None]:
    """`score_intervals` of rows, each with its own bounds or with none."""
    found: list[ScoreInterval | None] = [None] * len(values)
    for kind in dict.fromkeys(bounds):
        rows = [row for row, of_row in enumerate(bounds) if of_row == kind]
        part = values[rows] if kind is None else np.clip(values[rows], kind.low, kind.high)
        intervals = score_intervals(part, bounds=kind, confidence=confidence, resamples=RESAMPLES, seed=seed)
        for row, interval in zip(rows, intervals, strict=True):
            found[row] = interval
    return found


def medians(values: Array) -> Array:
    """The median of the values of each row that are not NaN, for all rows at once; NaN for a row without any."""
    in_order = np.sort(np.pad(values, ((0, 0), (0, 1)), constant_values=np.nan), axis=1)  # NaN goes to the end
    last = (~np.isnan(values)).sum(axis=1) - 1
    places = np.stack([last // 2, (last + 1) // 2], axis=1).clip(0)
    medians: Array = np.take_along_axis(in_order, places, axis=1).mean(axis=1)
    return medians


def tabulate(cases: Cases, measure: Measure, *, average: Average = "query") -> ScoreTable:
    """Count every case and turn counts into values."""
    return tabulate_all(cases, [measure], average=average)[0]


def tabulate_all(cases: Cases, measures: Sequence[Measure], *, average: Average = "query") -> tuple[ScoreTable, ...]:
    """The tables of several measures; query by query, so that only the cases of one query need be in memory.

    Where several assessors annotated a query, its value is the mean of the values by each one's annotation (of those
    that are defined), and its counts, which pooled scores add up, are the means of the counts.
    """
    runs, queries = cases.run_ids, cases.query_ids
    row_of = {run_id: row for row, run_id in enumerate(runs)}
    counts = [np.full((len(runs), len(queries), len(measure.COUNTS)), np.nan) for measure in measures]
    several: list[dict[tuple[int, int], Array]] = [{} for _ in measures]
    skipped = np.zeros((len(runs), len(queries)), bool)
    for column, query_id in enumerate(queries):
        grid = cases.grid(query_id)
        of_grid = None if grid is None else [row_of[run_id] for run_id in grid.run_ids]
        by_case = list(range(len(measures)))
        if grid is not None:
            pool = cases.pools[query_id]
            found = [measure.counts_of_credits(pool, grid.degrees) for measure in measures]
            by_case = [at for at, counted in enumerate(found) if counted is None]
            for at, counted in enumerate(found):
                if counted is not None:
                    counts[at][of_grid, column] = counted
        done = set() if by_case or of_grid is None else set(of_grid)
        gridded = set(of_grid or ())
        for row, run_id in enumerate(runs):
            if row in done:
                continue
            case = cases.case(run_id, query_id)
            if case is None:
                skipped[row, column] = True
                continue
            for at in by_case if row in gridded else range(len(measures)):
                if case.views:
                    of_views = np.array([measures[at].counts(view) for view in case.views], float)
                    counts[at][row, column] = of_views.mean(axis=0)
                    several[at][row, column] = measures[at].values(of_views)
                else:
                    counts[at][row, column] = measures[at].counts(case)
    return tuple(
        _table(cases, measure, counts[at], skipped, several[at], average) for at, measure in enumerate(measures)
    )


def _table(
    cases: Cases, measure: Measure, counts: Array, skipped: NDArray[np.bool_],
    several: Mapping[tuple[int, int], Array], average: Average,
) -> ScoreTable:  # fmt: skip
    values = measure.values(np.where(skipped[..., None], 0.0, counts))
    for cell, of_assessors in several.items():
        defined = of_assessors[~np.isnan(of_assessors)]
        values[cell] = defined.mean() if len(defined) else np.nan
    values = np.where(skipped, np.nan, values)
    return ScoreTable(
        str(measure), tuple(cases.run_ids), tuple(cases.query_ids), values, skipped, counts, measure, average
    )
