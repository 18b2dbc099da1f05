"""Scores of runs by people's labels and by a judge's, both made by the code that `karat score` runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from karat.evaluate.score.score import Scoring, score_tabulated
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.evaluate.validate.figures import Floats, RunScores
from karat.measures.cases.cases import Cell
from karat.measures.cases.rules import ALL_JUDGES
from karat.measures.cases.saved_fields import Sigmas
from karat.measures.registry import parse_measures
from karat.model import AnyRecord, Collection, Judgement, Response, Score, UsageError
from karat.model.wording import number_of

SHOWN = 3
"""How many runs or queries a note names."""


class ValidatedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run's score by people and by a judge; None: undefined."""

    measure: str
    run_id: str
    n: int
    """The number of queries."""
    official: float | None
    """By people's judgements, with its interval over queries."""
    official_low: float | None
    official_high: float | None
    judged: float | None
    """By the judge. low, high: other queries and the judge's error; judge_low, judge_high: the judge's error only."""
    low: float | None
    high: float | None
    judge_low: float | None
    judge_high: float | None


@dataclass(frozen=True)
class Labels:
    """What people and a judge say about the same responses, as two collections that can be scored."""

    people: Collection
    judged: Collection
    sigmas: Mapping[Cell, Sigmas]
    """How far the judge's errors go together, per response: each learned without the response's own labels."""


def same_pairs(people: Collection, judgements: Iterable[Judgement], sigmas: Mapping[Cell, Sigmas]) -> Labels:
    """Both sides with the responses that people judged, and nothing else to score."""
    judgements = list(judgements)
    cells = {(judgement.query_id, judgement.run_id) for judgement in judgements}
    others: list[AnyRecord] = [record for record in people if _is_scored(record, cells)]
    labels = (record for record in people.judgements if (record.query_id, record.run_id) in cells)
    return Labels(Collection([*others, *labels]), Collection([*others, *judgements]), sigmas)


def _is_scored(record: AnyRecord, cells: set[Cell]) -> bool:
    if isinstance(record, Response):
        return (record.query_id, record.run_id) in cells
    return not isinstance(record, Judgement | Score)


def chosen_measures(people: Collection, measures: str | Sequence[str] | None) -> list[str]:
    """The measures named, or strict_vital (strict_all where nothing is called vital).

    Raises:
        UsageError: a measure does not depend on judgements, so that a judge cannot change it.
    """
    if measures is None:
        return ["strict_vital" if any(nug.importance == "vital" for nug in people.nugs) else "strict_all"]
    chosen = parse_measures(measures)
    if others := [str(measure) for measure in chosen if "judgements" not in measure.needs()]:
        raise UsageError(f"{', '.join(others)}: made without judgements, so a judge cannot be validated with it")
    return [str(measure) for measure in chosen]


@dataclass(frozen=True)
class ScoredRuns:
    """All runs by one measure: as arrays, and one row per run."""

    measure: str
    scores: RunScores
    rows: tuple[ValidatedRun, ...]


def score_runs(labels: Labels, measures: Sequence[str], *, seed: int) -> list[ScoredRuns]:
    """Score people's labels and the judge's with the same measures; where several assessors judged, their majority."""
    official = score_tabulated(_of_people(labels.people, measures), seed=seed, ties=False)
    judged = score_tabulated(_of_judge(labels.judged, measures), seed=seed, ties=False, sigmas=labels.sigmas)
    of_people, of_judge = _totals(official), _totals(judged)
    scored = []
    for by_people, by_judge in zip(official.tables, judged.tables, strict=True):
        scores, name = aligned(by_people, by_judge), by_people.name
        rows = tuple(_row(of_people[name, run_id], of_judge[name, run_id]) for run_id in scores.run_ids)
        low = np.array([np.nan if row.judge_low is None else row.judge_low for row in rows])
        high = np.array([np.nan if row.judge_high is None else row.judge_high for row in rows])
        scored.append(ScoredRuns(name, replace(scores, low=low, high=high), rows))
    return scored


def official_table(people: Collection, measure: str) -> ScoreTable:
    """People's scores."""
    return _of_people(people, [measure]).tables[0]


def judged_table(judged: Collection, measure: str) -> ScoreTable:
    """Scores by decisions that have no probabilities."""
    return _of_judge(judged, [measure]).tables[0]


def _of_people(people: Collection, measures: Sequence[str]) -> Tabulated:
    return tabulated(people, measures=measures, missing="skip", judge=ALL_JUDGES, assessors="majority")


def _of_judge(judged: Collection, measures: Sequence[str]) -> Tabulated:
    return tabulated(judged, measures=measures, missing="skip", judge=ALL_JUDGES)


def aligned(official: ScoreTable, judged: ScoreTable) -> RunScores:
    """The scores of the runs that both tables have, in the order of people's."""
    runs = [run_id for run_id in official.run_ids if run_id in set(judged.run_ids)]
    queries = [query_id for query_id in official.query_ids if query_id in set(judged.query_ids)]
    return RunScores(tuple(runs), tuple(queries), *(_values(table, runs, queries) for table in (official, judged)))


def _values(table: ScoreTable, runs: Sequence[str], queries: Sequence[str]) -> Floats:
    row = {run_id: at for at, run_id in enumerate(table.run_ids)}
    column = {query_id: at for at, query_id in enumerate(table.query_ids)}
    values: Floats = np.where(table.skipped, np.nan, table.values)
    return values[np.ix_([row[run_id] for run_id in runs], [column[query_id] for query_id in queries])]


def _totals(scoring: Scoring) -> dict[tuple[str, str], Score]:
    return {(score.measure, score.run_id): score for score in scoring.of_all()}


def _row(official: Score, judged: Score) -> ValidatedRun:
    return ValidatedRun(
        measure=official.measure,
        run_id=official.run_id,
        n=official.n or 0,
        official=official.value,
        official_low=official.low,
        official_high=official.high,
        judged=judged.value,
        low=judged.low,
        high=judged.high,
        judge_low=judged.judge_low,
        judge_high=judged.judge_high,
    )


def run_notes(scored: ScoredRuns) -> list[str]:
    """Runs and queries that are left out of figures, and why."""
    scores = scored.scores
    notes = []
    empty = np.isnan(scores.official).all(axis=0)
    if empty.any():
        without = [scores.query_ids[at] for at in np.flatnonzero(empty)]
        notes.append(f"{number_of(len(without), 'query')} without any {scored.measure} by people: {_some(without)}")
    queries = (~empty).sum()
    complete = scores.complete()
    if not complete.all():
        short = [run_id for run_id, enough in zip(scores.run_ids, complete, strict=True) if not enough]
        notes.append(
            f"{number_of(len(short), 'run')} with fewer than {queries - 1} of {queries} judged queries left out of "
            f"the figures of runs ({complete.sum()} remain): {_some(short)}"
        )
    flat = [scores.query_ids[at] for at in np.flatnonzero(np.isnan(scores.tau_of_queries) & ~empty)]
    if flat:
        notes.append(
            f"no {scored.measure} tau within {number_of(len(flat), 'query')} where all runs score the same: "
            f"{_some(flat)}"
        )
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
