"""Tables of scores that somebody else computed, or that Karat wrote before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.evaluate.cases import ALL_QUERIES, Missing
from karat.evaluate.table import Average, ScoreTable
from karat.model import Score, UsageError


def tables_of_scores(
    scores: Sequence[Score], *, average: Average = "query", missing: Missing = "skip"
) -> list[ScoreTable]:
    """A table a measure, from scores by query; where a measure has none, from its scores over all queries.

    A query that a run has no score for is missing: an error, zero, or skipped. Of two scores of one cell the first
    counts. Scores of slices (`language=en`, as `--by` writes them) stand for no single query and are passed over.
    """
    by_measure: dict[str, list[Score]] = {}
    for score in scores:
        if not _of_slice(score):
            by_measure.setdefault(score.measure, []).append(score)
    if not by_measure:
        raise UsageError("all scores are means over several queries each; give scores by query, or over all queries")
    return [_table(measure, rows, average, missing) for measure, rows in by_measure.items()]


def _of_slice(score: Score) -> bool:
    """Whether it is a mean over the queries with FIELD=value; a query's own id may have = in it, too."""
    return "=" in score.query_id and (score.n or 0) + (score.undefined or 0) > 1


def _table(measure: str, rows: Sequence[Score], average: Average, missing: Missing) -> ScoreTable:
    detailed = [row for row in rows if row.query_id != ALL_QUERIES] or rows
    runs = list(dict.fromkeys(row.run_id for row in detailed))
    queries = list(dict.fromkeys(row.query_id for row in detailed))
    values = np.full((len(runs), len(queries)), np.nan)
    skipped = np.ones((len(runs), len(queries)), bool)
    run_at = {run_id: at for at, run_id in enumerate(runs)}
    query_at = {query_id: at for at, query_id in enumerate(queries)}
    for row in detailed:
        cell = run_at[row.run_id], query_at[row.query_id]
        if skipped[cell]:
            skipped[cell] = False
            values[cell] = np.nan if row.value is None else row.value
    if skipped.any() and missing == "error":
        at = np.argwhere(skipped)[0]
        raise UsageError(
            f"run {runs[at[0]]} has no score of {measure} for query {queries[at[1]]}; "
            "count missing ones as zero or leave them out with --missing zero|skip"
        )
    if missing == "zero":
        values[skipped], skipped[:] = 0.0, False
    return ScoreTable(measure, tuple(runs), tuple(queries), values, skipped, average=average)
