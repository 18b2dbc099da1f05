"""From a collection to tables of scores, whatever it holds: judgements, nuggets, or scores by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack, get_args

from karat.evaluate.tables.default_measures import default_measures
from karat.evaluate.tables.given_scores import different_key_notes, runs_by_key, tables_of_scores
from karat.evaluate.tables.judged_pool import spread_pool
from karat.evaluate.tables.notes import trouble_notes
from karat.evaluate.tables.score_table import Average, ScoreTable, tabulate_all
from karat.measures.base import Measure
from karat.measures.cases.cases import ALL_QUERIES, Cases
from karat.measures.cases.rules import ALL_JUDGES, Missing, Ruled, Rules
from karat.measures.registry import direction, is_known, parse_measures, split_names, takes_beta
from karat.model import Collection, UnfitInput, UsageError
from karat.model.wording import number_of


@dataclass(frozen=True)
class Tabulated:
    """Tables, one per measure, and the cases they were counted from (None where scores were given)."""

    tables: tuple[ScoreTable, ...]
    cases: Cases | None
    notes: tuple[str, ...]
    direction_notes: tuple[str, ...] = ()
    """For what puts runs in order: which way measures were taken that Karat does not know."""
    keys: tuple[str, ...] = ()
    """The hashes of the keys that given scores were made with, where their signatures tell."""


def tabulated(
    collection: Collection,
    *,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    most: int | None = None,
    less_is_better: str | Sequence[str] | None = None,
    **rules: Unpack[Rules],
) -> Tabulated:
    """The tables of the named measures, or of those that suit the records (`most`: at most so many).

    less_is_better: measures of other tools by which the lower score is the better one.
    """
    if average not in get_args(Average):
        raise UsageError(f"average={average!r} is not one of {', '.join(get_args(Average))}")
    ruled = Ruled.of(rules)
    if beta is not None and not takes_beta(measures):
        raise UsageError("beta is only for an F without its own beta: measures=F, pyramid_F or macro_F")
    if has_scores_alone(collection):
        if average == "pool":
            raise UnfitInput("scores by query cannot be pooled; give the judgements for --average pool")
        if ruled.judge not in (None, ALL_JUDGES):
            raise UsageError(
                f"--judge {ruled.judge}: these are scores without judgements, so there is no judge to choose; give the "
                "key and the judgements, or leave --judge out"
            )
        notes: list[str] = []
        given = _given(collection, measures, average, ruled.missing, most, notes)
        directed, of_direction = _directed(given, less_is_better)
        keys = runs_by_key(collection.scores, {table.name for table in given})
        notes += different_key_notes(keys)
        return Tabulated(tuple(directed), None, tuple(notes), tuple(of_direction), tuple(keys))
    named = None if measures is None else parse_measures(measures, beta=beta)
    spread = spread_pool(collection)
    cases = Cases(spread.collection, **rules)
    cases.notes += spread.notes
    cases.timed = spread.collection is not collection
    chosen = named if named is not None else default_measures(cases)[:most]
    cases.require(chosen)
    cases.check_missing()
    tables = tabulate_all(cases, chosen, average=average)
    if ruled.unjudged == "error":
        _refuse_unjudged(cases, chosen)
    if less_is_better is not None:
        _directed(tables, less_is_better)
    if any(measure.needs_relevance_labels() for measure in chosen):
        cases.notes += _unlabelled_notes(cases)
    return Tabulated(tables, cases, tuple(cases.notes))


def _directed(
    tables: Sequence[ScoreTable], less_is_better: str | Sequence[str] | None
) -> tuple[list[ScoreTable], list[str]]:
    """The tables with the direction that the user names, and which was taken where Karat cannot know it."""
    named = set() if less_is_better is None else set(split_names(less_is_better))
    by_name = {table.name: table for table in tables}
    if unknown := sorted(named - set(by_name)):
        raise UsageError(
            f"--less-is-better: there are no scores of {', '.join(unknown)}; choose from {', '.join(by_name)}"
        )
    if fixed := sorted(name for name in named if is_known(name) and not by_name[name].less_is_better):
        raise UsageError(f"--less-is-better: more is better by {', '.join(fixed)}, which Karat knows")
    directed = [replace(table, less=True) if table.name in named else table for table in tables]
    notes = []
    ranked = [table for table in directed if len(table.run_ids) > 1 and table.less is None and not is_known(table.name)]
    if less := [table.name for table in ranked if direction(table.name)]:
        notes.append(f"less is taken as better by {', '.join(less)}: another tool's measure, by its name")
    if unknown := [table.name for table in ranked if direction(table.name) is None]:
        names = ",".join(unknown)
        notes.append(
            f"more is taken as better by {names}, which Karat does not know; if less is better, say --less-is-better "
            f"{names}"
        )
    return directed, notes


def has_scores_alone(collection: Collection) -> bool:
    """Whether there are scores, but no judgements to score again; a key makes no difference."""
    judged = collection.judgements or collection.nuggets or collection.citation_judgements
    return bool(collection.scores) and not (collection.nugs and judged)


def _refuse_unjudged(cases: Cases, measures: Sequence[Measure]) -> None:
    for run_id in cases.run_ids:
        if trouble := trouble_notes(cases, run_id, measures):
            raise UnfitInput(f"{trouble[0]}; leave such nugs out or count them as zero with --unjudged skip|zero")


def _unlabelled_notes(cases: Cases) -> list[str]:
    """Which nuggets do not count because nobody labelled their snippet (rules of 2012)."""
    labelled = {(*cell, relevance.snippet_id) for cell, labels in cases.relevances.items() for relevance in labels}
    places = [(*cell, nugget.snippet_id) for cell, nuggets in cases.nuggets.items() for nugget in nuggets]
    lacking = [place for place in places if place not in labelled]
    if not lacking:
        return []
    query_id, run_id, snippet_id = lacking[0]
    nuggets, snippets = number_of(len(lacking), "nugget"), number_of(len({*lacking}), "snippet")
    unlabelled = f"{nuggets} in {snippets} without a relevance label"
    return [f"{unlabelled} left out: the first is snippet {snippet_id} of run {run_id}, query {query_id}"]


def _given(
    collection: Collection, measures: str | Sequence[str] | None, average: Average, missing: Missing, most: int | None,
    notes: list[str],
) -> list[ScoreTable]:  # fmt: skip
    wanted = None if measures is None else set(split_names(measures))
    asked = [score for score in collection.scores if wanted is None or score.measure in wanted] or collection.scores
    tables = tables_of_scores(asked, average=average, missing=missing, notes=notes)
    by_name = {table.name: table for table in tables}
    detailed = [name for name, table in by_name.items() if table.query_ids != (ALL_QUERIES,)]
    names = (detailed or list(by_name))[:most] if measures is None else split_names(measures)
    if not names:
        raise UsageError(f"no measure is named; there are scores of {', '.join(by_name)}")
    if unknown := [name for name in names if name not in by_name]:
        raise UsageError(f"there are no scores of {', '.join(unknown)}; there are scores of {', '.join(by_name)}")
    return [by_name[name] for name in names]
