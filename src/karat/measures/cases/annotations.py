"""Whose annotation counts: two assessors' records are never simply added up.

For each query and each kind of record that people make (relevance labels, nuggets, nugs, citation judgements):

1. one assessor is named (`--assessor NAME`) who made records of this kind: only this one's count;
2. otherwise adjudicated records replace those of the assessors that are about the same thing (`adjudicated.py`);
3. otherwise each assessor's annotation is scored on its own and the mean of the scores is taken.

An assessor's annotation of a query is one `AssessorView`: all that this assessor recorded, and all without an assessor.
Several assessors may also have divided the work: what an assessor did not annotate at all is taken from another who
did; where several did, each of them in turn, and the mean is taken over all orders of the assessors
(`source_orders.py`), so that nobody's name matters. What counts as annotated is a snippet (labels), a citation (its
judgements), a response (nuggets; who looked for nuggets in it, by a record `reviewed`, annotated it, too, even if
without any) or a query (nugs). Where no two assessors annotated the same thing, there is one view with everything.

Automatic nuggets belong to every view, except where its assessor looked for nuggets: snippets that are `reviewed`, and
those in which the view has nuggets of a person. A nugget that another one of the view `revises` does not count. So an
automatic nugget that a person revised or rejected never counts beside its correction. A nug has only those members in
a view that are nuggets of the view; without any left, the nug is not in it. But the members of a nug that is the view's
own assessor's stay, whoever marked them (`members.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any

from karat.measures.cases.adjudicated import H, Unit, adjudicated_first, units_of
from karat.measures.cases.members import kept_members
from karat.measures.cases.source_orders import MOST, in_content_order, source_orders
from karat.model import (
    AnyRecord,
    CitationJudgement,
    Judgement,
    Nug,
    Nugget,
    Relevance,
    Reviewed,
    UsageError,
    Vote,
)
from karat.model.looked import Looked, people_looked
from karat.model.wording import number_of

Annotated = Relevance | Nugget | Nug | CitationJudgement
UNNAMED = ""
"""The assessor of people's nuggets that name none."""
KINDS: tuple[type[Annotated], ...] = (Relevance, Nugget, Nug, CitationJudgement)


@dataclass(frozen=True)
class AssessorView:
    """What one assessor says about a query; `assessor` is None where there is only one annotation."""

    relevances: Sequence[Relevance] = ()
    nuggets: Sequence[Nugget] = ()
    nugs: Sequence[Nug] = ()
    citation_judgements: Sequence[CitationJudgement] = ()
    assessor: str | None = None


@dataclass
class Annotations:
    """The views of each query. `assessor`: the one whose records count; `notes`: whose records count, in words."""

    records: Sequence[Annotated]
    assessor: str | None = None
    reviewed: Sequence[Reviewed] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names: Counter[str] = Counter()
        self._queries = 0
        self._looked: dict[str | None, Looked] = {}
        self._looks: dict[str, list[Reviewed]] = {}
        """Who looked for nuggets in each query, on their own."""
        for review in self.reviewed:
            if review.step == "nuggets" and not review.adjudicated and self.assessor in (None, review.assessor):
                self._looks.setdefault(review.query_id, []).append(review)
        of_assessor = self._of_assessor()
        self.cells = dict.fromkeys(
            (record.query_id, record.run_id) for record in of_assessor if not isinstance(record, Nug)
        )
        """The responses (query and run) that people or programs said something about, whatever counts of it."""
        # One assessor's own annotation is not replaced by what others agreed on.
        agreed = self.reviewed if self.assessor is None else ()
        kept = adjudicated_first(of_assessor, self.notes, agreed)
        by_query: dict[str, list[Annotated]] = {query_id: [] for query_id, _ in self.cells}
        for record in kept:
            by_query.setdefault(record.query_id, []).append(record)
        self._all = _nuggets_by_query(self.records)
        self._others = self._all if self.assessor is not None else _nuggets_by_query(kept)
        """The nuggets that nugs of an assessor may have as members."""
        self._lacking: Counter[str] = Counter()
        self.views = {query_id: self._views(query_id, records) for query_id, records in by_query.items()}
        if self._names:
            names = ", ".join(name or "(no name)" for name in sorted(self._names))
            self.notes.append(
                f"{number_of(self._queries, 'query')} annotated by several assessors ({names}): each one's annotation "
                "is scored on its own and the mean is taken; name one with --assessor NAME"
            )
        for name, queries in self._lacking.items():
            self.notes.append(
                f"{name or '(no name)'} marked none of the nuggets that the nugs of {number_of(queries, 'query')} are "
                "made of, so that scores that count nugs leave this annotation out there"
            )

    def of(self, query_id: str) -> list[AssessorView]:
        """The views of a query; one without records where there is no annotation."""
        return self.views.get(query_id) or [AssessorView()]

    def _of_assessor(self) -> list[Annotated]:
        return [
            record
            for kind in KINDS
            for record in _chosen(kind, self.records, self.assessor, looked=kind is Nugget and bool(self._looks))
        ]

    def _views(self, query_id: str, records: Sequence[Annotated]) -> list[AssessorView]:
        looks = self._looks.get(query_id, ())
        kinds = {kind: _OfKind(kind, [record for record in records if type(record) is kind], looks) for kind in KINDS}
        names = sorted({name for each in kinds.values() for name in each.doubled()})
        if not names:
            return [self._view(query_id, {kind: each.records for kind, each in kinds.items()}, {})]
        self._names.update(names)
        self._queries += 1
        if len(names) > MOST:
            made = {name: [one for each in kinds.values() for one in each.by_name.get(name, ())] for name in names}
            names = in_content_order(made)
        chosen = Counter(
            (order[0], tuple(tuple(each.sources(order).items()) for each in kinds.values()))
            for order in source_orders(names)
        )
        least = gcd(*chosen.values())
        views = []
        for (name, sources), times in chosen.items():
            of_kind = {kind: dict(source) for kind, source in zip(kinds, sources, strict=True)}
            seen = {kind: each.of_view(of_kind[kind]) for kind, each in kinds.items()}
            views += [self._view(query_id, seen, of_kind[Nugget], name)] * (times // least)
        self._lacking.update({view.assessor or "" for view in views if not view.nugs} if kinds[Nug].records else ())
        return views

    def _view(
        self,
        query_id: str,
        records: dict[type[Annotated], list[Any]],
        sources: Mapping[Unit, str],
        assessor: str | None = None,
    ) -> AssessorView:
        """sources: whose nuggets of each response these are."""
        nuggets = records[Nugget]
        if self.reviewed:
            nuggets = [
                nugget
                for nugget in nuggets
                if nugget.source != "auto"
                or not self._looked_by(sources.get((query_id, nugget.run_id), assessor)).at(
                    query_id, nugget.run_id, nugget.snippet_id
                )
            ]
        nuggets = people_looked(nuggets)
        lost = self._all.get(query_id, {}).keys() - {nugget.nugget_id for nugget in nuggets}
        nugs, members = kept_members(
            records[Nug], nuggets, self._others.get(query_id, {}), lost, assessor=assessor or self.assessor
        )
        return AssessorView(records[Relevance], members, nugs, records[CitationJudgement], assessor)

    def _looked_by(self, assessor: str | None) -> Looked:
        """Where an assessor (None: anybody) looked for nuggets."""
        if assessor not in self._looked:
            self._looked[assessor] = Looked(self.reviewed, "nuggets", assessor=assessor or self.assessor)
        return self._looked[assessor]


def _nuggets_by_query(records: Iterable[Annotated]) -> dict[str, dict[str, Nugget]]:
    by_query: dict[str, dict[str, Nugget]] = {}
    for record in records:
        if isinstance(record, Nugget):
            by_query.setdefault(record.query_id, {})[record.nugget_id] = record
    return by_query


class _OfKind:
    """The records of one kind about one query, by the assessor who made them."""

    def __init__(self, kind: type[Annotated], records: list[Annotated], looks: Sequence[Reviewed] = ()) -> None:
        self.records = records
        self._unit = units_of(kind, records)
        by_people = kind is not Nugget or any(_is_by_person(record) for record in records)
        self.shared: list[Annotated] = []
        self.by_name: dict[str, list[Annotated]] = {}
        for record in records:
            name = _annotator(record, by_people=by_people)
            (self.shared if name is None else self.by_name.setdefault(name, [])).append(record)
        self.units: dict[Unit, list[str]] = {}
        """Who annotated each thing, in the order of their names."""
        for name in sorted(self.by_name):
            for unit in dict.fromkeys(map(self._unit, self.by_name[name])):
                self.units.setdefault(unit, []).append(name)
        # Nuggets that name nobody may be those of the person who looked.
        if by_people and UNNAMED not in self.by_name:
            self._add_lookers(looks)

    def _add_lookers(self, looks: Sequence[Reviewed]) -> None:
        """Who looked wherever others marked nuggets in a response annotated it, even if without a nugget."""
        marked: dict[Unit, set[tuple[str, str, str]]] = {}
        for record in (record for records in self.by_name.values() for record in records):
            if isinstance(record, Nugget) and not record.adjudicated:
                marked.setdefault(self._unit(record), set()).add((record.query_id, record.run_id, record.snippet_id))
        for name in sorted({review.assessor for review in looks}):
            looked = Looked(looks, "nuggets", assessor=name)
            for unit, places in marked.items():
                if name not in self.units[unit] and all(looked.at(*place) for place in places):
                    self.units[unit] = sorted((*self.units[unit], name))

    def doubled(self) -> set[str]:
        """The assessors who annotated something that another annotated, too."""
        return {name for names in self.units.values() if len(names) > 1 for name in names}

    def sources(self, order: Sequence[str]) -> dict[Unit, str]:
        """From whom a view takes each thing: the first in this order who annotated it, or the only one who did."""
        if not self.doubled():
            return {}
        return {unit: next((name for name in order if name in names), names[0]) for unit, names in self.units.items()}

    def of_view(self, sources: Mapping[Unit, str]) -> list[Annotated]:
        """Everything that is from these sources, or from nobody."""
        if not sources:
            return self.records
        chosen = [
            record
            for annotator, records in self.by_name.items()
            for record in records
            if sources[self._unit(record)] == annotator
        ]
        return [*self.shared, *chosen]


def _is_by_person(record: Annotated) -> bool:
    return isinstance(record, Nugget) and record.source != "auto"


def _annotator(record: Annotated, *, by_people: bool) -> str | None:
    """Who made a record; None: it belongs to everybody. Where people made nuggets, the automatic ones do."""
    if isinstance(record, Nugget) and (record.source != "auto") == by_people:
        return record.assessor if record.assessor is not None or not by_people else UNNAMED
    return None if isinstance(record, Nugget) else record.assessor


def _chosen(
    kind: type[Annotated], records: Iterable[Annotated], assessor: str | None, *, looked: bool = False
) -> list[Annotated]:
    """The records of a kind. Where the named assessor made some, only these, and automatic nuggets and unnamed nugs.

    looked: the named assessor looked, and may have found none.
    """
    of_kind = [record for record in records if type(record) is kind]
    if not _is_maker(of_kind, assessor):
        if assessor is None or not looked:
            return of_kind
        return [record for record in of_kind if record.assessor is None and not _is_by_person(record)]
    return [
        record for record in of_assessor(of_kind, assessor) if record.assessor is not None or not _is_by_person(record)
    ]


def of_assessor(records: Sequence[H], assessor: str | None) -> list[H]:
    """What the assessor recorded, and what names nobody; all where the assessor is None or made none of the records.

    What the assessor adjudicated counts only if there is nothing else by the assessor.
    """
    if not _is_maker(records, assessor):
        return list(records)
    adjudicated = all(record.adjudicated for record in records if record.assessor == assessor)
    return [
        record for record in records if record.assessor in (None, assessor) and (adjudicated or not record.adjudicated)
    ]


def _is_maker(records: Iterable[Annotated | Judgement | Vote], assessor: str | None) -> bool:
    return assessor is not None and any(record.assessor == assessor for record in records)


def check_named(records: Iterable[AnyRecord], assessor: str | None) -> None:
    """Raise an error where a named assessor made none of the records."""
    if assessor is None:
        return
    made = (record.assessor for record in records if isinstance(record, Annotated | Judgement | Reviewed))
    names = {name for name in made if name is not None}
    if assessor not in names:
        known = f"choose from {', '.join(sorted(names))}" if names else "the files name no assessor"
        raise UsageError(f"--assessor {assessor!r}: no record is by this assessor; {known}")
