"""One table's scores: per query, and over all queries or those of a slice, with intervals and tie letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.evaluate.score.errors.judge_error import RunError, with_judge_error
from karat.evaluate.tables.given_scores import LESS_IS_BETTER
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.slices import slice_mark
from karat.evaluate.tables.ties import Ties, tie_groups
from karat.measures.cases.cases import ALL_QUERIES
from karat.model import Score
from karat.stats.adjusted_means import AdjustedMeans
from karat.stats.intervals.bounded import ScoreInterval
from karat.stats.significance.added_variance import Covariance

ADJUSTED = "adjusted"
"""The field of a score over many queries where runs lack some: what rows are ordered by (`ScoreTable.adjusted`)."""


@dataclass(frozen=True)
class SlicedScores:
    """A table's scores over all queries, or over those of a slice: intervals and tie letters, one per run."""

    name: str
    table: ScoreTable
    intervals: Sequence[ScoreInterval | None]
    letters: Sequence[str]
    note: str | None
    test: str
    """The name of the test behind the letters."""
    reversals: Sequence[str]
    """Which runs differ the other way than the order of the rows says."""
    adjusted: AdjustedMeans | None
    """Scores as if every run had all queries, where values are missing."""


def sliced_scores(
    table: ScoreTable,
    name: str,
    columns: Sequence[int] | None,
    ties: bool,
    seed: int,
    judge_variance: Covariance | None,
) -> SlicedScores:
    part = table.of_queries(columns)
    groups = tie_groups(part, seed=seed, judge_variance=judge_variance) if ties else Ties(("",) * len(part.run_ids))
    return SlicedScores(
        name, part, part.intervals(seed=seed), groups.letters, groups.note, groups.test, groups.reversals,
        part.adjusted(),
    )  # fmt: skip


def run_scores(
    table: ScoreTable, row: int, slices: Sequence[SlicedScores], error: RunError | None, signature: str
) -> list[Score]:
    """One run's scores by one measure: per query, and over all queries (of each slice)."""
    per_query = _query_scores(table, row, signature)
    if error is not None:
        column = {query_id: at for at, query_id in enumerate(table.query_ids)}
        per_query = [with_judge_error(score, None, error.of_queries[column[score.query_id]]) for score in per_query]
    totals = []
    for part in slices:
        total = _total(part, row, signature)
        if error is not None:
            total = with_judge_error(total, part.intervals[row], error.of_slices[part.name])
        totals.append(total)
    return [*per_query, *totals]


def _query_scores(table: ScoreTable, row: int, signature: str) -> list[Score]:
    if table.query_ids == (ALL_QUERIES,):
        # Scores that were given over all queries have no parts.
        return []
    return [
        Score(
            run_id=table.run_ids[row], query_id=query_id, measure=table.name, value=None if value != value else value,
            n=int(value == value), undefined=int(value != value), signature=signature,
            extra=_direction(table),
        )
        for query_id, value, skipped in zip(
            table.query_ids, table.values[row].tolist(), table.skipped[row].tolist(), strict=True
        )
        if not skipped
    ]  # fmt: skip


def _direction(table: ScoreTable) -> dict[str, object]:
    """Said where only the user, or the table that was read, knows that less is better."""
    return {LESS_IS_BETTER: True} if table.less else {}


def _total(part: SlicedScores, row: int, signature: str) -> Score:
    table, interval, tie = part.table, part.intervals[row], part.letters[row]
    value = float(table.totals()[row])
    extra = ({"tie": tie} if tie and len(table.run_ids) > 1 else {}) | _direction(table)
    if part.adjusted is not None and part.adjusted.adjusted[row]:
        extra[ADJUSTED] = float(part.adjusted.means[row])
    return Score(
        run_id=table.run_ids[row],
        query_id=part.name,
        measure=table.name,
        value=None if np.isnan(value) else value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=table.n(row),
        undefined=table.undefined(row),
        signature=signature,
        extra=extra | slice_mark(part.name),
    )
