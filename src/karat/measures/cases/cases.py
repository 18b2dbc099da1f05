"""A collection sorted into cases: one per run and query, with all records about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableMapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TypeVar, Unpack

import numpy as np

from karat.formats.inputs.query_matching import ids_that_do_not_meet
from karat.formats.karat.judgement_columns import JudgementColumns
from karat.measures.base import Measure, Need
from karat.measures.cases.adjudicated import adjudicated_first
from karat.measures.cases.annotations import Annotations, check_named, of_assessor
from karat.measures.cases.case import Case, Pool
from karat.measures.cases.judged_cells import DegreeGrid, JudgedCells
from karat.measures.cases.rules import NO_JUDGEMENTS, Ruled, Rules, first_of_repeated
from karat.measures.cases.saved_fields import saved_idf, unfolded
from karat.model import (
    CitationJudgement,
    Collection,
    Judgement,
    Nugget,
    Relevance,
    Response,
    UnfitInput,
    Vote,
)
from karat.model.default_names import ALL_QUERIES as ALL_QUERIES
from karat.model.identity import identity, key_setting
from karat.model.wording import natural, number_of

Cell = tuple[str, str]
"""A query and a run."""
MOST_CASES = 10_000
"""So many cases of judgements that are held as columns are kept."""
R = TypeVar("R", Judgement, Nugget, Relevance, CitationJudgement)
V = TypeVar("V", Vote, Relevance, CitationJudgement)


class Cases:
    """Every run and query of a collection; `notes` says what was left out."""

    def __init__(self, collection: Collection, **rules: Unpack[Rules]) -> None:
        self.rules = Ruled.of(rules)
        self.notes: list[str] = []
        self._key = collection.nugs, collection.votes
        self.humans = {run.run_id for run in collection.runs if run.human}
        assessor = self.rules.assessor
        check_named(collection, assessor)
        self.judges: list[str] = []
        self.judgements = self._judgements(collection)
        self.responses: dict[Cell, Response] = {
            (response.query_id, response.run_id): response for response in collection.responses
        }
        relevances = self._once(collection.relevances, "relevance label")
        citations = self._once(collection.citation_judgements, "citation judgement")
        votes = self._once(adjudicated_first(collection.votes, self.notes), "vote")
        annotations = Annotations(
            (*relevances, *collection.nuggets, *collection.nugs, *citations), assessor, collection.reviewed
        )
        self.notes += annotations.notes
        views = [view for of_query in annotations.views.values() for view in of_query]
        self.nuggets = _by_cell(_distinct(nugget for view in views for nugget in view.nuggets))
        self.relevances = _by_cell(_distinct(relevance for view in views for relevance in view.relevances))
        self.citations = _by_cell(_distinct(citation for view in views for citation in view.citation_judgements))
        self._views = _pools(collection, votes, annotations)
        """The pools of each query, one per assessor whose annotation counts on its own."""
        self.pools = {query_id: pools[0] for query_id, pools in self._views.items()}
        # All that was said, adjudicated or not: a response stays one where people agreed that there is nothing in it.
        in_order = dict.fromkeys((*self.responses, *self.judgements, *annotations.cells))
        self.known = set(in_order)
        self._looked_for_nuggets = bool(self.nuggets) or any(
            review.step == "nuggets" and review.adjudicated for review in collection.reviewed
        )
        # A run that has only scores, given by somebody, is not scored again.
        scored = {score.run_id for score in collection.scores} - {run for _, run in in_order}
        named = (run.run_id for run in collection.runs if run.run_id not in scored)
        self.run_ids = list(dict.fromkeys([*named, *(run for _, run in in_order)]))
        self.has_key = bool(collection.nugs)
        # Sorted: what is drawn at random must not depend on the order of rows in a file.
        known_ids = self.pools if self.has_key else dict.fromkeys(query for query, _ in in_order)
        self.query_ids = sorted(known_ids, key=natural)
        if self.has_key:
            for query_id in dict.fromkeys(query for query, _ in in_order):
                if query_id not in self.pools:
                    self.notes.append(f"query {query_id}: not in the key, left out")
        if ALL_QUERIES in self.query_ids:
            raise UnfitInput(f"a query is called {ALL_QUERIES!r}, which is the name of the mean; give it another id")
        if isinstance(self.judgements, JudgedCells):
            whole = self.judgements.whole_runs()
        else:
            whole = {
                run
                for (_, run), judged in self.judgements.items()
                if any(judgement.snippet_id is None for judgement in judged)
            }
        # In these runs only finds were marked: a response without a mark was judged to contain nothing.
        self.only_finds = {run for _, run in self.judgements} - whole
        self.timed = False
        """Whether these are updates sent over time, judged in one pool."""
        self._cases: dict[Cell, Case | None] = {}
        self._fully_judged: dict[str, set[str]] = {}

    @cached_property
    def key_setting(self) -> dict[str, str]:
        """The hash of the key, for the signature; made when it is asked for, because most cases are never signed."""
        return key_setting(*self._key)

    def _judgements(self, collection: Collection) -> MutableMapping[Cell, list[Judgement]]:
        """By query and run; the notes say what was left out."""
        held = collection.judgements
        by_cell: MutableMapping[Cell, list[Judgement]] | None = None
        if isinstance(held, JudgementColumns):
            by_cell = JudgedCells.of(held, self.rules, collection.nugs)
        if isinstance(by_cell, JudgedCells):
            repeats, contradictions = by_cell.repeats, by_cell.contradictions
            self.judges = by_cell.judges
        else:
            ruled = of_assessor(self.rules.chosen(held), self.rules.assessor)
            by_cell, repeats, contradictions = {}, 0, 0
            chosen = unfolded(adjudicated_first(ruled, self.notes), nugs=collection.nugs)
            self.judges = sorted({judgement.judge for judgement in chosen})
            for judgement in chosen:
                by_cell.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
            for cell, judged in by_cell.items():
                by_cell[cell], repeated, against = first_of_repeated(
                    judged, majority_counts=self.rules.assessors == "majority"
                )
                repeats, contradictions = repeats + repeated, contradictions + against
        if repeats:
            repeated_ones = number_of(repeats, "repeated judgement")
            contradict = (
                f", {contradictions:,} that contradict{'s' * (contradictions == 1)} it" if contradictions else ""
            )
            self.notes.append(f"{repeated_ones} left out{contradict}: the first counts (see `karat lint`)")
        return by_cell

    def with_extra(self) -> Iterable[Judgement]:
        """The judgements that have unknown fields: what programs saved with them (`saved_fields`)."""
        if isinstance(self.judgements, JudgedCells):
            return self.judgements.with_extra()
        return (judgement for judged in self.judgements.values() for judgement in judged if judgement.extra)

    def with_shares(self) -> Iterable[Judgement]:
        """The judgements that have probabilities or unknown fields: only these can be uncertain."""
        if isinstance(self.judgements, JudgedCells):
            return self.judgements.with_shares()
        return chain.from_iterable(self.judgements.values())

    @cached_property
    def idf(self) -> str:
        """Where the rarity of words comes from, as the judgements say."""
        return saved_idf(self.with_extra())

    def grid(self, query_id: str) -> DegreeGrid | None:
        """The degrees of a query's nugs in all responses whose judgements are plain; None where there are none.

        Measures that only count credits take them all at once (`Measure.counts_of_credits`).
        """
        pools = self._views.get(query_id, ())
        if not isinstance(self.judgements, JudgedCells) or len(pools) != 1:
            return None
        nugs = pools[0].nugs
        if any(nug.parent is not None for nug in nugs):
            return None
        grid = self.judgements.grid(query_id, nugs)
        if grid is None:
            return None
        unjudged = np.isnan(grid.degrees)
        whole = np.flatnonzero(~unjudged.any(axis=1)).tolist()
        self._fully_judged[query_id] = {grid.run_ids[at] for at in whole}
        if self.rules.unjudged == "zero":
            grid.degrees[unjudged] = 0.0
        return grid

    def is_fully_judged(self, run_id: str, query_id: str) -> bool:
        """Whether `grid` has shown that each nug has one plain judgement; False: it is not known."""
        return run_id in self._fully_judged.get(query_id, ())

    def _once(self, records: list[V], noun: str) -> list[V]:
        """Of records about the same thing by the same person, the first; a note counts the others."""
        first = {identity(record): record for record in reversed(records)}
        if repeats := len(records) - len(first):
            self.notes.append(f"{number_of(repeats, f'repeated {noun}')} left out: the first counts")
        return list(first.values())[::-1]

    def require(self, measures: Iterable[Measure]) -> None:
        """Raise an error that names what the measures need and the files do not have."""
        needed: dict[Need, str] = {}
        for measure in measures:
            for need in measure.needs():
                needed.setdefault(need, str(measure))
        if "nugs" in needed and not self.has_key:
            raise UnfitInput("there is no key: give a file with nugs (see `karat show FILE`)")
        if "judgements" in needed and not self.judgements:
            raise UnfitInput(NO_JUDGEMENTS)
        if "nuggets" in needed and not self._looked_for_nuggets:
            raise UnfitInput(f"{needed['nuggets']} counts nuggets, and there are none: give a file that marks them")
        if "citations" in needed and not self.citations:
            raise UnfitInput(f"{needed['citations']} needs citation judgements, and there are none")
        if "lengths" in needed or "times" in needed:
            name = needed.get("lengths") or needed["times"]
            what = "the texts of the responses (it counts their length)" if "lengths" in needed else "the runs' updates"
            lacking = [cell for cell in self.judgements if cell not in self.responses and cell[0] in self.pools]
            if lacking:
                query_id, run_id = lacking[0]
                more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
                raise UnfitInput(
                    f"{name} needs {what}: run {run_id} has none for query {query_id}{more}; give the run files, too"
                )

    def check_missing(self) -> None:
        """A query that a run does not answer: an error, or noted as counted or left out."""
        absent = [(run_id, query_id) for run_id in self.run_ids for query_id in self.query_ids
                  if (query_id, run_id) not in self.known]  # fmt: skip
        by_run = Counter(run_id for run_id, _ in absent)
        few = [f"{run_id} {count}" for run_id, count in by_run.most_common(3)]
        named = ", ".join(few) + (f", and {number_of(len(by_run) - 3, 'more run')}" if len(by_run) > 3 else "")
        if absent and self.rules.missing == "error":
            judged = {query_id for query_id, _ in self.known}
            if judged.isdisjoint(self.query_ids) and judged:
                raise UnfitInput(ids_that_do_not_meet(self.query_ids, judged, others="judgements and runs"))
            run_id, query_id = absent[0]
            more = f" ({len(absent):,} are missing: {named})" if len(absent) > 1 else ""
            raise UnfitInput(
                f"run {run_id} has no response to query {query_id}{more}; "
                "count missing responses as zero or leave them out with --missing zero|skip"
            )
        if absent:
            done = "counted as zero" if self.rules.missing == "zero" else "left out"
            self.notes.append(f"{number_of(len(absent), 'missing response')}, {done}: {named}")

    def case(self, run_id: str, query_id: str) -> Case | None:
        """The case of a run and query; None where it is missing and to be skipped."""
        cell = (query_id, run_id)
        if cell not in self._cases:
            if len(self._cases) >= MOST_CASES and isinstance(self.judgements, JudgedCells):
                # Made again where they are needed again: all of them together may not fit into memory.
                self._cases.clear()
            self._cases[cell] = self._made(cell)
        return self._cases[cell]

    def set_judgements(self, cell: Cell, judgements: list[Judgement]) -> None:
        """Replace the judgements of a run's response to a query; each nug is judged at most once."""
        self.judgements[cell] = judgements
        self.known.add(cell)
        self._cases.pop(cell, None)
        self._fully_judged.pop(cell[0], None)

    def _made(self, cell: Cell) -> Case | None:
        query_id, run_id = cell
        absent = cell not in self.known
        if absent and self.rules.missing == "skip":
            return None
        response = self.responses.get(cell)
        silent = absent or run_id in self.only_finds or (response is not None and is_silent(response))
        case = Case(
            pool=self.pools.get(query_id) or Pool(query_id),
            run_id=run_id,
            judgements=self.judgements.get(cell, ()),
            response=response,
            silent=silent,
            unjudged_is_zero=self.rules.unjudged == "zero",
            nuggets=self.nuggets.get(cell, ()),
            relevances=self.relevances.get(cell, ()),
            citation_judgements=self.citations.get(cell, ()),
        )
        pools = self._views.get(query_id, ())
        if len(pools) < 2:
            return case
        views = tuple(_as_seen(case, pool) for pool in pools)
        return replace(views[0], views=views)


def is_silent(response: Response) -> bool:
    """Whether a response says nothing at all."""
    return not any(snippet.text.strip() for snippet in response.snippets)


def _by_cell(records: Iterable[R]) -> dict[Cell, list[R]]:
    by_cell: dict[Cell, list[R]] = {}
    for record in records:
        by_cell.setdefault((record.query_id, record.run_id), []).append(record)
    return by_cell


def _distinct(records: Iterable[R]) -> Iterable[R]:
    """Each record once: what belongs to several views is the same object in all of them."""
    return {id(record): record for record in records}.values()


def _as_seen(case: Case, pool: Pool) -> Case:
    """The case with the records of the pool, which are those of one assessor."""
    run_id = case.run_id
    return replace(
        case,
        pool=pool,
        nuggets=[nugget for nugget in pool.nuggets if nugget.run_id == run_id],
        relevances=[relevance for relevance in pool.relevances if relevance.run_id == run_id],
        citation_judgements=[judgement for judgement in pool.citation_judgements if judgement.run_id == run_id],
    )


def _pools(collection: Collection, votes: Iterable[Vote], annotations: Annotations) -> dict[str, list[Pool]]:
    queries = {query.query_id: query for query in collection.queries}
    by_nug: dict[str, dict[str, list[Vote]]] = {}
    for vote in votes:
        by_nug.setdefault(vote.query_id, {}).setdefault(vote.nug_id, []).append(vote)
    responses: dict[str, list[Response]] = {}
    for response in collection.responses:
        responses.setdefault(response.query_id, []).append(response)
    keyed = dict.fromkeys(nug.query_id for nug in collection.nugs)
    ids = keyed or dict.fromkeys((*queries, *responses, *annotations.views))
    return {
        query_id: [
            Pool(
                query_id,
                queries.get(query_id),
                list({nug.nug_id: nug for nug in view.nugs}.values()),
                by_nug.get(query_id, {}),
                view.nuggets,
                view.relevances,
                view.citation_judgements,
                responses.get(query_id, ()),
            )
            for view in annotations.of(query_id)
        ]
        for query_id in ids
    }
