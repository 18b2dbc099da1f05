"""Scores of runs from a key and what was judged of their responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import msgspec

from karat import __version__
from karat.engines import map_chunks
from karat.evaluate.score.errors.drawn_blocks import KeptCounts
from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.score.relative import relative_scores
from karat.evaluate.score.sliced_scores import SlicedScores, run_scores, sliced_scores
from karat.evaluate.tables.interval_notes import interval_kinds, rare_failure_notes, table_interval_notes
from karat.evaluate.tables.notes import (
    adjusted_notes,
    contradiction_notes,
    ratio_notes,
    trouble_notes,
    undefined_note,
    unmeasured_notes,
    vote_notes,
    zero_share_notes,
)
from karat.evaluate.tables.query_tables import origin_of
from karat.evaluate.tables.score_table import RESAMPLES, Average, ScoreTable
from karat.evaluate.tables.slices import is_over_many, slices_by
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.evaluate.tables.ties import tie_notes
from karat.formats.inputs.reading import Input, OnError, load_light
from karat.judges.calibration.chosen_model import ThresholdModelName
from karat.judges.judge import judge_first
from karat.judges.overlap.idf_file import idf_of
from karat.measures.cases.cases import ALL_QUERIES, Cell
from karat.measures.cases.rules import Rules
from karat.measures.cases.saved_fields import NOT_SCORED, CommonErrors, Sigmas
from karat.model import Collection, Score, Signature, UnfitInput
from karat.model.result import Result
from karat.text.idf import IdfTable


class Scoring(Result, msgspec.Struct, frozen=True, kw_only=True):
    """Scores by query and over all queries, and what could not be counted."""

    scores: tuple[Score, ...]
    notes: tuple[str, ...]
    """What was undefined, missing, failed or left out, in words."""
    tables: tuple[ScoreTable, ...] = ()
    """The same as arrays: one table a measure."""
    by: str | None = None
    """The field the scores are broken down by; `query_id` of the score of a slice is FIELD=value."""
    interval_notes: tuple[str, ...] = ()
    """Where intervals are not of the usual kind: why, and how far they can be trusted."""

    def of_all(self) -> list[Score]:
        """The scores over all queries (and of each slice)."""
        return [score for score in self.scores if is_over_many(score)]

    def by_query(self) -> list[Score]:
        return [score for score in self.scores if not is_over_many(score)]


def score(
    *inputs: Input,
    measures: str | Sequence[str] | None = None,
    by: str | None = None,
    beta: float | None = None,
    average: Average = "query",
    relative_to: str | None = None,
    less_is_better: str | Sequence[str] | None = None,
    on_error: OnError = "stop",
    runs: Sequence[str] | None = None,
    queries: Sequence[str] | None = None,
    seed: int = 0,
    labels: str | None = None,
    labelled_at_random: bool = False,
    threshold_model: ThresholdModelName | None = None,
    idf: str | Path | IdfTable | None = None,
    **rules: Unpack[Rules],
) -> Scoring:
    """Score every run of the inputs: a key with judgements, as paths, records, dicts or data frames.

    measures: names such as "F3" or ["strict_vital", "pyramid_F3"]; what suits the records where none is named.
    by: break down by a field of the queries' conditions. beta: of F measures that name none.
    average: the mean over queries, one score of the pooled counts, or the median query.
    missing, unjudged, assessors, judge: see `Rules`. Where `judge` names a program (`karat judges`) it judges first.
    labels: the judge whose judgements are people's, from whom it learns (see `by_people`). labelled_at_random: they
    labelled a random part of the queries, which corrects the program (`score_judged`).
    threshold_model, idf: as in `judge`.
    relative_to: a run, or "human" for the people among the runs: adds the ratio of every other run's score to it.
    less_is_better: measures of other tools by which the lower score is the better one.
    runs, queries: only these, as if the inputs held no others; patterns work.

    >>> import karat
    >>> key, judgements, _ = karat.demo_files()
    >>> print(karat.score(key, judgements, measures="strict_vital", on_error="skip"))
    run         n             strict_vital
    ---------  --  -----------------------
    librarian  12  0.931 [0.819, 0.979] a
    birch      12  0.785 [0.660, 0.917] ab
    atlas      12  0.736 [0.590, 0.875] b
    cedar      12  0.451 [0.375, 0.535] c
    delta      12  0.146 [0.049, 0.250] d
    <BLANKLINE>
    run cedar, query q3: 1 failed judgement, scored on the rest
    """
    collection = load_light(*inputs, on_error=on_error, runs=runs, queries=queries, unread=NOT_SCORED)
    table = idf_of(collection, idf)
    judged = judge_first(
        collection, judge=rules.get("judge"), labels=labels, threshold_model=threshold_model, idf=table
    )
    from karat.evaluate.score.powered import score_judged

    scoring = score_judged(
        judged, labels=labels, labelled_at_random=labelled_at_random, idf=table, measures=measures, by=by, beta=beta,
        average=average, relative_to=relative_to, less_is_better=less_is_better, seed=seed,
        **{"judge": None, **rules},  # type: ignore[arg-type]
    )  # fmt: skip
    return msgspec.structs.replace(scoring, notes=(*judged.notes, *scoring.notes))


def score_collection(
    collection: Collection,
    *,
    measures: str | Sequence[str] | None = None,
    by: str | None = None,
    beta: float | None = None,
    average: Average = "query",
    relative_to: str | None = None,
    less_is_better: str | Sequence[str] | None = None,
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Scoring:
    """Score every run of a collection. sigma, run_sigma, common: see `judge_error`."""
    tables = tabulated(
        collection, measures=measures, beta=beta, average=average, less_is_better=less_is_better, **rules
    )
    return score_tabulated(
        tables, by=by, relative_to=relative_to, sigma=sigma, run_sigma=run_sigma, common=common, seed=seed
    )


def score_tabulated(
    tabulated: Tabulated,
    *,
    by: str | None = None,
    relative_to: str | None = None,
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    sigmas: Mapping[Cell, Sigmas] | None = None,
    ties: bool = True,
    seed: int = 0,
    kept: KeptCounts | None = None,
) -> Scoring:
    """Score every run of tables. sigmas, kept: see `judge_error`. ties=False: no tests and no tie groups."""
    cases, tables = tabulated.cases, tabulated.tables
    if cases is None and (by is not None or relative_to is not None):
        raise UnfitInput("scores without judgements do not say what queries and runs are; give the judgements, too")
    columns: Mapping[str, Sequence[int] | None] = {ALL_QUERIES: None} if cases is None else slices_by(cases, by)
    error = None
    if cases is not None and any(map(is_uncertain, cases.with_shares())):
        error = judge_error(
            cases, tables, sigma=sigma, run_sigma=run_sigma, common=common, sigmas=sigmas, seed=seed, slices=columns,
            kept=kept,
        )  # fmt: skip
        tables = error.tables
    # Resampling is most of the work: the engine may spread it.
    parts = [
        *map_chunks(
            _sliced,
            (
                (table, name, columns[name], ties, seed, error and error.lasting(at, name, equal_runs=True))
                for at, table in enumerate(tables)
                for name in columns
            ),
        )
    ]
    slices = {table.name: parts[at * len(columns) : (at + 1) * len(columns)] for at, table in enumerate(tables)}
    signatures = {table.name: _signature(tabulated, slices[table.name], seed) for table in tables}
    rows = {table.name: {run_id: row for row, run_id in enumerate(table.run_ids)} for table in tables}
    # First, because a long list of notes is cut: it is about all runs, and a finding of its own.
    notes = [
        *zero_share_notes(tables),
        *tabulated.notes,
        *tie_notes(part.note for part in parts),
        *adjusted_notes((part.table, part.adjusted) for part in parts),
        *chain.from_iterable(part.reversals for part in parts),
    ]
    scores: list[Score] = []
    measures = [table.measure for table in tables if table.measure is not None]
    for run_id in dict.fromkeys(run_id for table in tables for run_id in table.run_ids):
        for at, table in enumerate(tables):
            if run_id not in rows[table.name]:
                continue
            row = rows[table.name][run_id]
            run_error = None if error is None else error.runs[at][row]
            scores += run_scores(table, row, slices[table.name], run_error, signatures[table.name])
            notes += undefined_note(table, row)
        notes += trouble_notes(cases, run_id, measures) if cases else []
    if relative_to is not None and cases is not None:
        ratios = relative_scores(
            tables, cases, relative_to, slices=columns, signatures=signatures, seed=seed, error=error
        )
        notes += ratio_notes(ratios, relative_to)
        scores += ratios
    notes += unmeasured_notes(cases) if cases is not None else []
    if cases is not None and not cases.timed:
        notes += [*vote_notes(tables, cases), *contradiction_notes(cases)]
    notes += tabulated.direction_notes
    of_intervals = [note for part in parts for note in table_interval_notes(part.table, part.intervals, part.name)]
    of_intervals += rare_failure_notes((part.table, part.intervals, part.name) for part in parts)
    return Scoring(
        scores=tuple(scores), notes=tuple(notes), tables=tables, by=by, interval_notes=tuple(of_intervals)
    )  # fmt: skip


def _sliced(chunk: tuple[Any, ...]) -> SlicedScores:
    return sliced_scores(*chunk)


def _signature(tabulated: Tabulated, slices: Sequence[SlicedScores], seed: int) -> str:
    table = slices[0].table
    settings = origin_of(tabulated) | {
        "average": table.average,
        "ci": interval_kinds(interval for part in slices for interval in part.intervals),
        "b": str(RESAMPLES),
        "ties": slices[0].test,
        "seed": str(seed),
        "v": __version__,
    }
    return str(Signature(table.name, settings))
