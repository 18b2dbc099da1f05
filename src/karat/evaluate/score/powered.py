"""Scores where a program judged all responses and people a random part: people's scores, with the program's help.

Prediction-powered inference (`ppi_mean`): the program's mean over all queries is corrected by how it differs from
people where both judged, so that the interval holds people's score however wrong the program is. The program does not
learn from the labels here: what it says must not depend on which queries were drawn.

Whether the part is random is never guessed: the answers of `karat review --plan` say so (`drawn`), or the user does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from karat import __version__
from karat.evaluate.plan.random_part import FEWEST, drawn_queries, keyed_queries
from karat.evaluate.score.score import Scoring, score_collection
from karat.evaluate.tables.query_tables import origin_of
from karat.evaluate.tables.score_table import ScoreTable, tabulate
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.evaluate.tables.ties import ALPHA, MOST_RUNS
from karat.judges.human.labels import KNOWN, by_people
from karat.judges.judge import Judged, judge_collection
from karat.measures.base import Array
from karat.measures.cases.cases import ALL_QUERIES, Cases, is_silent
from karat.measures.cases.rules import ALL_JUDGES, Rules
from karat.model import Collection, Judgement, Score, Signature, UsageError
from karat.model.wording import number_of
from karat.stats.intervals.bounded import Bounds
from karat.stats.intervals.powered_parts import from_equal_labels, is_without_width, with_known_queries
from karat.stats.intervals.prediction_powered import PoweredMean, ppi_difference, ppi_mean
from karat.stats.significance.tie_letters import letter_groups
from karat.text.idf import IdfTable

FEW = 10
"""With fewer labelled queries intervals hold too seldom, and a note says so."""


def score_judged(
    judged: Judged, *, judge: str | None, labels: str | None = None, labelled_at_random: bool = False,
    idf: IdfTable | None = None, **options: Any,
) -> Scoring:  # fmt: skip
    """`score_collection`, or prediction-powered scores where people labelled a random part. options: as there."""
    plain = {"by": None, "relative_to": None, "average": "query"}
    given, usual = judged.given, options | {"judge": judged.judge}
    marks = {} if given is None else {judgement.extra.get("drawn") for judgement in given.judgements} - {None}
    if given is None or not (labelled_at_random or marks):
        if labelled_at_random:
            raise UsageError("--labelled-at-random: no program judges here; name one with --judge")
        return _usual(judged, usual)
    reason = next(
        (f"not with {name}={options[name]}" for name in plain if options.get(name, plain[name]) != plain[name]), None
    )
    part = None
    if reason is None:
        part = _Part.of(given, judged.collection, labels, everything=labelled_at_random)
        reason = part.obstacle()
    if reason is None and part is not None:
        assert judge is not None
        program = judge_collection(part.unlabelled, judge=judge, idf=idf)
        scoring, reason = _scored(part, Collection([*part.unlabelled, *program.judgements]), usual)
        if scoring is not None:
            return scoring
    if labelled_at_random:
        raise UsageError(f"--labelled-at-random: {reason}")
    scoring = _usual(judged, usual)
    note = f"people labelled a random part, which is not used as such: {reason}"
    return msgspec.structs.replace(scoring, notes=(note, *scoring.notes))


def _usual(judged: Judged, options: dict[str, Any]) -> Scoring:
    return score_collection(
        judged.collection, sigma=judged.sigma, run_sigma=judged.run_sigma, common=judged.common, **options
    )


@dataclass(frozen=True)
class _Part:
    """What people labelled at random: the cells whose nugs they judged, all of them."""

    unlabelled: Collection
    """Everything but judgements."""
    known: list[Judgement]
    """What people said about the labelled responses."""
    cells: set[tuple[str, str]]
    queries: set[str]
    foreign: set[str]
    """Queries of a random part of other queries."""
    settled: set[str]
    """Queries to which every run said nothing: nobody has to label them, and they are known whether drawn or not."""

    @classmethod
    def of(cls, given: Collection, judged: Collection, labels: str | None, *, everything: bool) -> _Part:
        people = by_people(given, labels=labels)
        keyed = keyed_queries(given)
        queries, foreign = drawn_queries(people.judgements, keyed)
        if everything:
            # What nobody labelled was not drawn, an empty response there included.
            queries, foreign = {judgement.query_id for judgement in people.judgements}.intersection(keyed), set()
        undecided = {
            (judgement.query_id, judgement.run_id, judgement.nug_id)
            for judgement in people.judgements
            if judgement.status == "unknown"
        }
        unlabelled = Collection(record for record in given if not isinstance(record, Judgement))
        cells = {(one.query_id, one.run_id) for one in unlabelled.responses if one.query_id in queries}
        silent = {(one.query_id, one.run_id) for one in unlabelled.responses if is_silent(one)}
        answered = {one.query_id for one in unlabelled.responses if (one.query_id, one.run_id) not in silent}
        known = []
        for judgement in judged.judgements:
            cell = (judgement.query_id, judgement.run_id)
            if KNOWN in judgement.extra:
                known.append(judgement)
            elif cell not in silent and (*cell, judgement.nug_id) not in undecided:
                cells.discard(cell)
        known = [judgement for judgement in known if (judgement.query_id, judgement.run_id) in cells]
        settled = {query_id for query_id, _ in silent} - answered
        return cls(unlabelled, known, cells, {query_id for query_id, _ in cells}, foreign, settled)

    def obstacle(self) -> str | None:
        if self.foreign:
            return f"{number_of(len(self.foreign), 'labelled query')} were drawn from other queries than these"
        if len(self.queries) < FEWEST:
            return (
                f"{number_of(len(self.queries), 'query')} of it labelled in full, and {FEWEST} are needed (every nug "
                "of a response must have an answer)"
            )
        return None


def _scored(part: _Part, judged: Collection, options: dict[str, Any]) -> tuple[Scoring | None, str | None]:
    seed = int(options.get("seed", 0))
    rules = {name: value for name, value in options.items() if name in Rules.__annotations__}
    of_program = tabulated(judged, measures=options.get("measures"), beta=options.get("beta"), **rules)
    cases = Cases(Collection([*part.unlabelled, *part.known]), **{**rules, "judge": ALL_JUDGES})
    scores, notes, tables = [], [], []
    for table in of_program.tables:
        assert table.measure is not None
        people = _labelled(tabulate(cases, table.measure), table, part)
        settled = np.isin(table.query_ids, list(part.settled))
        asked = np.where(settled, np.nan, table.values)
        means = [
            _mean(judge, said, table.values[row, settled], table.bounds)
            for row, (judge, said) in enumerate(zip(asked, people, strict=True))
        ]
        for run_id, mean in zip(table.run_ids, means, strict=True):
            if mean is None:
                return None, f"{table.name}: run {run_id} has fewer than {FEWEST} labelled queries"
        powered = [mean for mean in means if mean is not None]
        values = np.where(np.isnan(people), table.values, people)
        tables.append(ScoreTable(table.name, table.run_ids, table.query_ids, values, table.skipped))
        letters = _letters(table, asked, people, powered)
        signature = _signature(table.name, of_program, part, seed)
        bounded = bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)
        for row, run_id in enumerate(table.run_ids):
            scores += _query_scores(tables[-1], row, signature)
            scores.append(_total(table.name, run_id, powered[row], letters[row], signature, bounded=bounded))
        notes += _notes(table.name, powered)
    first = (
        f"people labelled a random part ({len(part.queries)} of {number_of(len(tables[0].query_ids), 'query')}): "
        "scores are prediction-powered, people's scores with the judge's help; the judge did not learn from the labels"
    )
    by_run = {run_id: at for at, run_id in enumerate(tables[0].run_ids)}
    scores.sort(key=lambda score: by_run.get(score.run_id, len(by_run)))
    return Scoring(scores=tuple(scores), notes=(first, *notes, *of_program.notes), tables=tuple(tables)), None


def _labelled(people: ScoreTable, judge: ScoreTable, part: _Part) -> Array:
    """People's scores in the places of the judge's; NaN where they did not label the response in full."""
    rows = {run_id: row for row, run_id in enumerate(people.run_ids)}
    columns = {query_id: column for column, query_id in enumerate(people.query_ids)}
    values = np.full(judge.values.shape, np.nan)
    answered = {(one.query_id, one.run_id) for one in part.unlabelled.responses}
    for row, run_id in enumerate(judge.run_ids):
        for column, query_id in enumerate(judge.query_ids):
            cell = (query_id, run_id)
            # A query that a run did not answer counts as the rules say, whoever judges.
            absent = cell not in answered and query_id in part.queries
            if (cell in part.cells or absent) and run_id in rows and query_id in columns:
                values[row, column] = people.values[rows[run_id], columns[query_id]]
            elif absent:
                values[row, column] = judge.values[row, column]
    return values


def _mean(judge: Array, people: Array, known: Array, bounds: Bounds | None) -> PoweredMean | None:
    """One run's mean: over the queries that people could label, and those of which the score is known anyway."""
    mean = ppi_mean(judge, people)
    if mean is None:
        return None
    if bounds is not None and is_without_width(mean):
        mean = from_equal_labels(mean, bounds)
    return with_known_queries(mean, known)


def _letters(table: ScoreTable, judge: Array, people: Array, means: Sequence[PoweredMean]) -> list[str]:
    """Runs share a letter where the interval of their difference, at 0.05 / pairs, holds 0."""
    runs, bounds = len(table.run_ids), table.bounds
    widest = None if bounds is None else Bounds(bounds.low - bounds.high, bounds.high - bounds.low)
    if not 2 <= runs <= MOST_RUNS:
        return [""] * runs
    pairs = list(combinations(range(runs), 2))
    different, tested = np.zeros((runs, runs), bool), np.eye(runs, dtype=bool)
    for a, b in pairs:
        found = ppi_difference((judge[a], judge[b]), (people[a], people[b]), confidence=1 - ALPHA / len(pairs))
        if found is not None and is_without_width(found):
            # Equal differences on the labelled queries leave open how the others differ.
            found = None if widest is None else from_equal_labels(found, widest, confidence=1 - ALPHA / len(pairs))
        if found is not None:
            tested[a, b] = tested[b, a] = True
            different[a, b] = different[b, a] = not found.low <= 0 <= found.high
    best = 1 if table.less_is_better else -1
    order = sorted(range(runs), key=lambda row: best * means[row].estimate)
    return letter_groups(different, order, tested=tested)


def _query_scores(table: ScoreTable, row: int, signature: str) -> list[Score]:
    return [
        Score(
            run_id=table.run_ids[row], query_id=query_id, measure=table.name, value=None if value != value else value,
            n=int(value == value), undefined=int(value != value), signature=signature,
        )
        for query_id, value, skipped in zip(
            table.query_ids, table.values[row].tolist(), table.skipped[row].tolist(), strict=True
        )
        if not skipped
    ]  # fmt: skip


def _total(measure: str, run_id: str, mean: PoweredMean, letters: str, signature: str, *, bounded: bool) -> Score:
    def within(value: float) -> float:
        return min(max(value, 0.0), 1.0) if bounded else value

    extra: dict[str, object] = {"tie": letters} if letters else {}
    extra |= {
        "labelled": mean.labelled, "labels_value": mean.labels_estimate, "labels_low": within(mean.labels_low),
        "labels_high": within(mean.labels_high), "judge_value": mean.judge_estimate, "judge_bias": mean.judge_bias,
        "judge_weight": mean.weight,
    }  # fmt: skip
    limits: dict[str, Any] = {}
    if not mean.no_error_seen:
        limits = {
            "low": within(mean.low), "high": within(mean.high), "judge_low": within(mean.same_low),
            "judge_high": within(mean.same_high),
        }  # fmt: skip
    return Score(
        run_id=run_id, query_id=ALL_QUERIES, measure=measure, value=within(mean.estimate), n=mean.queries,
        undefined=0, signature=signature, extra=extra, **limits,
    )  # fmt: skip


def _notes(measure: str, means: Sequence[PoweredMean]) -> list[str]:
    biases = [mean.judge_bias for mean in means]
    ratios = [mean.width_ratio for mean in means if mean.width_ratio == mean.width_ratio]
    spread = f" ({min(biases):+.3f} to {max(biases):+.3f})" if len(means) > 1 else ""
    notes = [f"{measure}: judge minus people where both judged: {np.mean(biases):+.3f}{spread}; the scores correct it"]
    if ratios:
        notes.append(
            f"{measure}: intervals are {np.median(ratios):.2f} times as wide as from the labels alone"
            + ("; the judge is of no help here" if np.median(ratios) >= 1 else "")
        )
    fewest = min(mean.labelled_queries for mean in means)
    if fewest < FEW:
        notes.append(
            f"{measure}: only {fewest} labelled queries: below {FEW}, 95 % intervals may hold people's score in as few "
            "as 82 %"
        )
    if any(mean.no_error_seen for mean in means):
        notes.append(
            f"{measure}: the labels of a run are all equal, and the measure has no known bounds, so that there is no "
            "interval"
        )
    return notes


def _signature(measure: str, of_program: Tabulated, part: _Part, seed: int) -> str:
    settings = origin_of(of_program) | {
        "average": "query", "ci": "ppi", "labelled": str(len(part.queries)), "ties": "ppi-bonferroni",
        "seed": str(seed), "v": __version__,
    }  # fmt: skip
    return str(Signature(measure, settings))
