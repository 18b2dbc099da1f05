"""Scores as a share of the score of a person (or of another run), with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from karat.evaluate.tables.score_table import RESAMPLES, ScoreTable
from karat.evaluate.tables.slices import slice_mark
from karat.measures.base import Array, ratio
from karat.measures.cases.cases import Cases
from karat.model import Score, UsageError
from karat.stats.intervals.bootstrap import statistic_interval

HUMAN = "human"


def relative_scores(
    tables: Sequence[ScoreTable],
    cases: Cases,
    relative_to: str,
    *,
    slices: Mapping[str, Sequence[int] | None],
    signatures: Mapping[str, str],
    seed: int,
) -> list[Score]:
    """The ratio of each run's score to that of a run, or to that of the people among the runs (White et al. 2008).

    ratio = score(run) / score(reference), both over the queries that both were asked; several people are taken
    together (their queries pooled). The interval draws the same queries for both. Undefined where the reference
    scores 0.
    """
    if any(table.average == "median" for table in tables):
        raise UsageError("a ratio needs mean or pooled scores; choose --average query or pool")
    if relative_to == HUMAN and HUMAN not in cases.run_ids:
        reference = [row for row, run_id in enumerate(cases.run_ids) if run_id in cases.humans]
        if not reference:
            raise UsageError("no run is a person's (run records mark it with human: true); name a run instead")
    elif relative_to in cases.run_ids:
        reference = [cases.run_ids.index(relative_to)]
    else:
        raise UsageError(f"there is no run {relative_to!r}; choose from human, {', '.join(cases.run_ids)}")
    ratios: list[Score] = []
    for table in tables:
        for name, columns in slices.items():
            part = table.of_queries(columns)
            signature = f"{signatures[table.name]}|relative-to:{relative_to}"
            others = (row for row in range(len(table.run_ids)) if row not in reference)
            ratios += [_relative(part, row, reference, name, relative_to, signature, seed) for row in others]
    return ratios


def _relative(
    table: ScoreTable, row: int, reference: list[int], name: str, relative_to: str, signature: str, seed: int
) -> Score:
    # The same queries for both: what either was not asked is left out.
    asked = ~table.skipped[row] & ~table.skipped[reference].any(axis=0)
    cube = table.cube()[:, asked]
    both = np.concatenate([cube[row], cube[reference].sum(axis=0)], axis=-1)
    value = float(_ratio(table, both.sum(axis=0)))
    interval = statistic_interval(both, lambda sums: _ratio(table, sums), resamples=RESAMPLES, seed=seed)
    return Score(
        run_id=table.run_ids[row],
        query_id=name,
        measure=f"{table.name}/{relative_to}",
        value=None if np.isnan(value) else value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=table.n(row),
        undefined=table.undefined(row),
        signature=signature,
        extra=slice_mark(name),
    )


def _ratio(table: ScoreTable, sums: Array) -> Array:
    half = sums.shape[-1] // 2
    of_run, of_reference = table.of_sums(sums[..., :half]), table.of_sums(sums[..., half:])
    return ratio(of_run, of_reference)
