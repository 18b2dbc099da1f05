"""A collection sorted into cases: one per run and query, with all records about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TypeVar, Unpack

from karat.formats.query_matching import ids_that_do_not_meet
from karat.measures.base import Measure, Need
from karat.measures.cases.adjudicated import adjudicated_first
from karat.measures.cases.annotations import Annotations, check_named, of_assessor
from karat.measures.cases.case import Case, Pool
from karat.measures.cases.rules import NO_JUDGEMENTS, Ruled, Rules, majority
from karat.measures.cases.saved_fields import unfolded
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
        ruled = of_assessor(self.rules.chosen(collection.judgements), assessor)
        chosen = unfolded(adjudicated_first(ruled, self.notes), nugs=collection.nugs)
        self.judges = sorted({judgement.judge for judgement in chosen})
        self.judgements = self._judgements(chosen)
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

    @cached_property
    def key_setting(self) -> dict[str, str]:
        """The hash of the key, for the signature; made when it is asked for, because most cases are never signed."""
        return key_setting(*self._key)

    def _judgements(self, chosen: Iterable[Judgement]) -> dict[Cell, list[Judgement]]:
        by_cell: dict[Cell, list[Judgement]] = {}
        for judgement in chosen:
            by_cell.setdefault((judgement.query_id, judgement.run_id), []).append(judgement)
        repeats = contradictions = 0
        for cell, judged in by_cell.items():
            # Where no nug occurs twice nothing is repeated.
            if len({judgement.nug_id for judgement in judged}) < len(judged):
                first = {identity(judgement): judgement for judgement in reversed(judged)}
                contradictions += sum(judgement.degree != first[identity(judgement)].degree for judgement in judged)
                repeats += len(judged) - len(first)
                by_cell[cell] = list(first.values())[::-1]
                if self.rules.assessors == "majority":
                    by_cell[cell] = majority(by_cell[cell])
        if repeats:
            repeated = number_of(repeats, "repeated judgement")
            against = f", {contradictions:,} that contradict{'s' * (contradictions == 1)} it" if contradictions else ""
            self.notes.append(f"{repeated} left out{against}: the first counts (see `karat lint`)")
        return by_cell

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
            self._cases[cell] = self._made(cell)
        return self._cases[cell]

    def set_judgements(self, cell: Cell, judgements: list[Judgement]) -> None:
        """Replace the judgements of a run's response to a query; each nug is judged at most once."""
        self.judgements[cell] = judgements
        self.known.add(cell)
        self._cases.pop(cell, None)

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
