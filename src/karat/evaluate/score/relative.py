"""Scores as a share of the score of a person (or of another run), with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import msgspec
import numpy as np

from karat.evaluate.score.errors.drawn_blocks import quantile_interval
from karat.evaluate.score.errors.judge_error import JudgeError, combined
from karat.evaluate.tables.score_table import RESAMPLES, ScoreTable
from karat.evaluate.tables.slices import slice_mark
from karat.measures.base import Array, ratio
from karat.measures.cases.cases import Cases
from karat.model import Score, UnfitInput, UsageError
from karat.stats.intervals.bootstrap import Interval, statistic_interval

HUMAN = "human"


def relative_scores(
    tables: Sequence[ScoreTable],
    cases: Cases,
    relative_to: str,
    *,
    slices: Mapping[str, Sequence[int] | None],
    signatures: Mapping[str, str],
    seed: int,
    error: JudgeError | None = None,
) -> list[Score]:
    """The ratio of each run's score to that of a run, or to that of the people among the runs (White et al. 2008).

    ratio = score(run) / score(reference), both over the queries that both were asked; several people are taken
    together (their queries pooled). The interval draws the same queries for both. Undefined where the reference
    scores 0.

    error: what the judge's error does to the runs' scores, where a program judged. Both runs of a ratio are then scored
    in the same draws, so that errors which both share cancel; the quantiles of the ratio over the draws are the judge's
    interval, and the half widths of both intervals add up in squares.
    """
    if any(table.average == "median" for table in tables):
        raise UsageError("a ratio needs mean or pooled scores; choose --average query or pool")
    if relative_to == HUMAN and HUMAN not in cases.run_ids:
        reference = [row for row, run_id in enumerate(cases.run_ids) if run_id in cases.humans]
        if not reference:
            raise UnfitInput("no run is a person's (run records mark it with human: true); name a run instead")
    elif relative_to in cases.run_ids:
        reference = [cases.run_ids.index(relative_to)]
    else:
        raise UsageError(f"there is no run {relative_to!r}; choose from human, {', '.join(cases.run_ids)}")
    ratios: list[Score] = []
    for at, table in enumerate(tables):
        for name, columns in slices.items():
            part = table.of_queries(columns)
            signature = f"{signatures[table.name]}|relative-to:{relative_to}"
            drawn = None if error is None else error.draws(at, name)
            for row in range(len(table.run_ids)):
                if row in reference:
                    continue
                found = _relative(part, row, reference, name, relative_to, signature, seed)
                ratios.append(found if drawn is None else _with_judge(found, part, drawn, row, reference))
    return ratios


def _with_judge(score: Score, table: ScoreTable, drawn: Array, row: int, reference: list[int]) -> Score:
    """The ratio with the judge's interval: the draws' ratios, relative to the ratio of their means.

    Draws are of each run's own queries. Where these are not the same, their ratio is about other queries than the
    value, but how far it varies is not.
    """
    weights = np.array([table.n(each) for each in reference], float)
    if score.value is None or not weights.sum():
        return score
    of_reference = (weights[:, None] * drawn[reference]).sum(axis=0) / weights.sum()
    centre = ratio(np.nanmean(drawn[row]), np.nanmean(of_reference))
    judge = quantile_interval(score.value * ratio(ratio(drawn[row], of_reference), centre))
    if judge is None:
        return score
    sampling = None if score.low is None or score.high is None else Interval(score.low, score.high)
    judge = Interval(min(judge.low, score.value), max(judge.high, score.value))
    both = combined(sampling, judge, score.value, most=inf)
    return msgspec.structs.replace(
        score, low=both.low if both else None, high=both.high if both else None, judge_low=judge.low,
        judge_high=judge.high,
    )  # fmt: skip


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
