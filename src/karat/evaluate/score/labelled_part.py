"""What people labelled at random, beside what a program says about everything: the tables for `ppi_mean`.

Whether the part is random is never guessed: the answers of `karat review --plan` say so (`drawn`), or the user does.
The program does not learn from the labels here: what it says must not depend on which queries were drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.plan.random_part import FEW, FEWEST, drawn_queries, keyed_queries
from karat.evaluate.tables.score_table import ScoreTable, tabulate
from karat.evaluate.tables.tabulating import Tabulated, tabulated
from karat.judges.human.labels import KNOWN, by_people
from karat.judges.judge import Judged, judge_collection
from karat.measures.base import Array
from karat.measures.cases.cases import Cases, is_silent
from karat.measures.cases.rules import ALL_JUDGES, Rules
from karat.model import Collection, Judgement, UsageError
from karat.model.wording import number_of
from karat.stats.intervals.bounded import Bounds
from karat.stats.intervals.powered_parts import (
    from_equal_labels,
    is_within,
    is_without_width,
    labels_alone,
    with_known_queries,
    within_bounds,
)
from karat.stats.intervals.prediction_powered import PoweredMean, ppi_difference, ppi_mean
from karat.text.idf import IdfTable

DIFFERENCES = Bounds(-1.0, 1.0)
"""What the difference of two shares can be."""
NO_HELP = (
    "the judge is of no help here: leave out --judge, which scores the labels alone, or label more queries "
    "(`karat plan --review N` with a larger N and the same --seed draws these and more)"
)
NOT_USED = "people labelled a random part, which is not used as such"


def has_random_part(judged: Judged, *, labelled_at_random: bool) -> bool:
    """Whether people labelled a random part of what a program judged.

    Raises:
        UsageError: the user says so, and no program judged.
    """
    if judged.given is None:
        if labelled_at_random:
            raise UsageError("--labelled-at-random: no program judges here; name one with --judge")
        return False
    return labelled_at_random or any(judgement.extra.get("drawn") for judgement in judged.given.judgements)


@dataclass(frozen=True)
class LabelledPart:
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
    def of(cls, given: Collection, judged: Collection, labels: str | None, *, everything: bool) -> LabelledPart:
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


@dataclass(frozen=True)
class PoweredTable:
    """The program's scores by one measure, people's scores of the labelled part, and people's means."""

    table: ScoreTable
    """The program's."""
    people: Array
    """In the same places; NaN where they did not label the response in full."""
    settled: NDArray[np.bool_]
    """The queries whose scores are known without a label."""
    means: Sequence[PoweredMean]

    def difference(self, first: int, second: int) -> PoweredMean | None:
        """People's difference of two rows; None where it cannot be tested.

        Where the labelled differences are all equal, nothing but the bounds of the measure says how the others differ.
        """
        judge = np.where(self.settled, np.nan, self.table.values)
        of_people = np.where(self.settled, np.nan, self.people)
        people = of_people[first], of_people[second]
        of_runs = self.table.bounds[first], self.table.bounds[second]
        bounds = None if None in of_runs else DIFFERENCES
        found = ppi_difference((judge[first], judge[second]), people)
        if found is None or (bounds is None and is_without_width(found)):
            return None
        known = self.table.values[first, self.settled] - self.table.values[second, self.settled]
        return _whole(found, people, known, bounds)

    @property
    def mixed(self) -> ScoreTable:
        """People's score where there is one, else the program's."""
        values = np.where(np.isnan(self.people), self.table.values, self.people)
        return ScoreTable(self.table.name, self.table.run_ids, self.table.query_ids, values, self.table.skipped)


@dataclass(frozen=True)
class PoweredTables:
    """All measures."""

    tables: tuple[PoweredTable, ...]
    of_program: Tabulated
    labelled: int
    """How many queries, or how many pairs."""
    design: Literal["queries", "pairs"] = "queries"
    """What was drawn: whole queries, or single pairs of a response and a nug."""
    said: tuple[str, ...] = ()
    """What to say instead of the notes about queries."""

    def notes(self, shown: str) -> tuple[str, ...]:
        """What was done, and how far the program is off. shown: what is printed, "scores" or "differences"."""
        if self.said:
            return self.said
        queries = number_of(len(self.tables[0].table.query_ids), "query")
        first = (
            f"people labelled a random part ({self.labelled} of {queries}): "
            f"{shown} are prediction-powered, people's {shown} with the judge's help; the judge did not learn from the "
            "labels"
        )
        return (first, *(note for each in self.tables for note in _notes(each.table.name, each.means, shown)))


def powered_tables(
    judged: Judged, *, judge: str, labels: str | None, labelled_at_random: bool, idf: IdfTable | None = None,
    **options: Any,
) -> PoweredTables | str:  # fmt: skip
    """The tables, or the reason why the part cannot be used. options: measures, beta, and the rules."""
    assert judged.given is not None
    part = LabelledPart.of(judged.given, judged.collection, labels, everything=labelled_at_random)
    if (reason := part.obstacle()) is not None:
        return reason
    program = judge_collection(part.unlabelled, judge=judge, idf=idf)
    rules = {name: value for name, value in options.items() if name in Rules.__annotations__}
    of_program = tabulated(
        Collection([*part.unlabelled, *program.judgements]), measures=options.get("measures"),
        beta=options.get("beta"), most=options.get("most"), **{**rules, "judge": judged.judge},
    )  # fmt: skip
    cases = Cases(Collection([*part.unlabelled, *part.known]), **{**rules, "judge": ALL_JUDGES})
    tables = []
    for table in of_program.tables:
        assert table.measure is not None
        people = _labelled(tabulate(cases, table.measure), table, part)
        settled = np.isin(table.query_ids, list(part.settled))
        means = [
            _mean(judge_values, said, settled, bounds)
            for judge_values, said, bounds in zip(table.values, people, table.bounds, strict=True)
        ]
        for run_id, mean in zip(table.run_ids, means, strict=True):
            if mean is None:
                return f"{table.name}: run {run_id} has fewer than {FEWEST} labelled queries"
        tables.append(PoweredTable(table, people, settled, [mean for mean in means if mean is not None]))
    return PoweredTables(tuple(tables), of_program, len(part.queries))


def _mean(judge: Array, people: Array, settled: NDArray[np.bool_], bounds: Bounds | None) -> PoweredMean | None:
    """One run's mean: over the queries that people could label, and those of which the score is known anyway."""
    asked = np.where(settled, np.nan, people)
    mean = ppi_mean(np.where(settled, np.nan, judge), asked)
    return None if mean is None else _whole(mean, [asked], judge[settled], bounds)


def _whole(mean: PoweredMean, people: Sequence[Array], known: Array, bounds: Bounds | None) -> PoweredMean:
    """With the queries whose scores are known, and within the bounds.

    Where the judge's correction leads out of the bounds, it says nothing: the labels are taken alone.
    """
    if bounds is None:
        return with_known_queries(mean, known)
    if not is_within(mean, bounds):
        mean = labels_alone(mean, people)
    if is_without_width(mean):
        mean = from_equal_labels(mean, bounds)
    return within_bounds(with_known_queries(mean, known), bounds)


def _labelled(people: ScoreTable, judge: ScoreTable, part: LabelledPart) -> Array:
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


def _notes(measure: str, means: Sequence[PoweredMean], shown: str) -> list[str]:
    biases = [mean.judge_bias for mean in means]
    ratios = [mean.width_ratio for mean in means if mean.width_ratio == mean.width_ratio]
    spread = f" ({min(biases):+.3f} to {max(biases):+.3f})" if len(means) > 1 else ""
    notes = [f"{measure}: judge minus people where both judged: {np.mean(biases):+.3f}{spread}; the {shown} correct it"]
    if ratios:
        notes.append(f"{measure}: intervals are {np.median(ratios):.2f} times as wide as from the labels alone")
        if np.median(ratios) >= 1:
            # A note of its own: measures that share it are named in one line.
            notes.append(f"{measure}: {NO_HELP}")
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
