"""Whose annotation counts: two assessors' records are never simply added up.

For each query and each kind of record that people make (relevance labels, nuggets, nugs, citation judgements):

1. one assessor is named (`--assessor NAME`) who made records of this kind: only this one's count;
2. otherwise, where some are adjudicated, only the adjudicated ones count (an adjudicated record `reviewed` of nuggets
   says that those are all, even if there are none);
3. otherwise each assessor's annotation is scored on its own and the mean of the scores is taken.

An assessor's annotation of a query is one `AssessorView`: all that this assessor recorded, and all without an assessor.
Several assessors may also have divided the work: what an assessor did not annotate at all is taken from another who did
(of several, from each in turn). What counts as annotated is a snippet (labels), a citation (its judgements), a response
(nuggets; who looked for nuggets in it, by a record `reviewed`, annotated it, too, even if without any) or a query
(nugs). Where no two assessors annotated the same thing, there is one view with everything.

Automatic nuggets belong to every view, except where its assessor looked for nuggets: snippets that are `reviewed`, and
those in which the view has nuggets of a person. A nugget that another one of the view `revises` does not count. So an
automatic nugget that a person revised or rejected never counts beside its correction. A nug has only those members in
a view that are nuggets of the view; without any left, the nug is not in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec.structs import replace

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
    kind_of,
)
from karat.model.identity import citation_units
from karat.model.looked import Looked, people_looked
from karat.model.wording import number_of

Annotated = Relevance | Nugget | Nug | CitationJudgement
H = TypeVar("H", bound=Relevance | Nugget | Nug | CitationJudgement | Judgement | Vote)
Unit = tuple[str | None, ...]
UNNAMED = ""
"""The assessor of people's nuggets that name none."""
KINDS: tuple[type[Annotated], ...] = (Relevance, Nugget, Nug, CitationJudgement)
_UNITS: dict[type[Annotated], Callable[[Any], Callable[[Any], Unit]]] = {
    Relevance: lambda records: lambda record: (record.run_id, record.snippet_id),
    Nugget: lambda records: lambda record: (record.run_id,),
    Nug: lambda records: lambda record: (),
    CitationJudgement: citation_units,
}
"""From the records of a kind about a query to what each of them annotates."""


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
        by_query: dict[str, list[Annotated]] = {}
        for record in adjudicated_first(self._of_assessor(), self.notes, self._emptied()):
            by_query.setdefault(record.query_id, []).append(record)
        of_all: dict[str, set[str]] = {}
        for record in self.records:
            if isinstance(record, Nugget):
                of_all.setdefault(record.query_id, set()).add(record.nugget_id)
        self.views = {
            query_id: self._views(query_id, records, of_all.get(query_id, set()))
            for query_id, records in by_query.items()
        }
        if self._names:
            names = ", ".join(name or "(no name)" for name in sorted(self._names))
            self.notes.append(
                f"{number_of(self._queries, 'query')} annotated by several assessors ({names}): each one's annotation "
                "is scored on its own and the mean is taken; name one with --assessor NAME"
            )

    def of(self, query_id: str) -> list[AssessorView]:
        """The views of a query; one without records where there is no annotation."""
        return self.views.get(query_id) or [AssessorView()]

    def _emptied(self) -> set[str]:
        """The queries in which people agreed on the nuggets; where none is adjudicated, on none."""
        if self.assessor is not None:
            return set()
        return {review.query_id for review in self.reviewed if review.step == "nuggets" and review.adjudicated}

    def _of_assessor(self) -> list[Annotated]:
        return [
            record
            for kind in KINDS
            for record in _chosen(kind, self.records, self.assessor, looked=kind is Nugget and bool(self._looks))
        ]

    def _views(self, query_id: str, records: Sequence[Annotated], nugget_ids: set[str]) -> list[AssessorView]:
        looks = self._looks.get(query_id, ())
        kinds = {kind: _OfKind(kind, [record for record in records if type(record) is kind], looks) for kind in KINDS}
        names = sorted({name for each in kinds.values() for name in each.doubled()})
        if not names:
            return [self._view({kind: each.records for kind, each in kinds.items()}, nugget_ids)]
        self._names.update(names)
        self._queries += 1
        return [
            self._view({kind: each.of_view(name, at) for kind, each in kinds.items()}, nugget_ids, name)
            for at, name in enumerate(names)
        ]

    def _view(
        self, records: dict[type[Annotated], list[Any]], nugget_ids: set[str], assessor: str | None = None
    ) -> AssessorView:
        nuggets = records[Nugget]
        if self.reviewed:
            if assessor not in self._looked:
                self._looked[assessor] = Looked(self.reviewed, "nuggets", assessor=assessor or self.assessor)
            looked = self._looked[assessor]
            nuggets = [
                nugget
                for nugget in nuggets
                if nugget.source != "auto" or not looked.at(nugget.query_id, nugget.run_id, nugget.snippet_id)
            ]
        nuggets = people_looked(nuggets)
        lost = nugget_ids.difference(nugget.nugget_id for nugget in nuggets)
        nugs = [known for nug in records[Nug] if (known := _without(nug, lost)) is not None] if lost else records[Nug]
        return AssessorView(records[Relevance], nuggets, nugs, records[CitationJudgement], assessor)


class _OfKind:
    """The records of one kind about one query, by the assessor who made them."""

    def __init__(self, kind: type[Annotated], records: list[Annotated], looks: Sequence[Reviewed] = ()) -> None:
        self.records = records
        self._unit = _UNITS[kind](records)
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
                marked.setdefault((record.run_id,), set()).add((record.query_id, record.run_id, record.snippet_id))
        for name in sorted({review.assessor for review in looks}):
            looked = Looked(looks, "nuggets", assessor=name)
            for unit, places in marked.items():
                if name not in self.units[unit] and all(looked.at(*place) for place in places):
                    self.units[unit] = sorted((*self.units[unit], name))

    def doubled(self) -> set[str]:
        """The assessors who annotated something that another annotated, too."""
        return {name for names in self.units.values() if len(names) > 1 for name in names}

    def of_view(self, name: str, number: int) -> list[Annotated]:
        """What the assessor recorded, and of other things what another one did: view 0 takes the first, 1 the next."""
        if not self.doubled():
            return self.records
        source = {unit: name if name in names else names[number % len(names)] for unit, names in self.units.items()}
        chosen = [
            record
            for annotator, records in self.by_name.items()
            for record in records
            if source[self._unit(record)] == annotator
        ]
        return [*self.shared, *chosen]


def _is_by_person(record: Annotated) -> bool:
    return isinstance(record, Nugget) and record.source != "auto"


def _annotator(record: Annotated, *, by_people: bool) -> str | None:
    """Who made a record; None: it belongs to everybody. Where people made nuggets, the automatic ones do."""
    if isinstance(record, Nugget) and (record.source != "auto") == by_people:
        return record.assessor if record.assessor is not None or not by_people else UNNAMED
    return None if isinstance(record, Nugget) else record.assessor


def _without(nug: Nug, nugget_ids: set[str]) -> Nug | None:
    """The nug without these members; None where it loses all it has."""
    members = tuple(member for member in nug.members if member.nugget_id not in nugget_ids)
    if len(members) == len(nug.members):
        return nug
    return replace(nug, members=members) if members else None


def adjudicated_first(records: Iterable[H], notes: list[str], nuggets_agreed: Iterable[str] = ()) -> list[H]:
    """The records; of a query and kind that has adjudicated ones only these. A note says how many were left out.

    Automatic nuggets of such a query do not count either. nuggets_agreed: queries whose nuggets are adjudicated even
    if there are none.
    """
    records = list(records)
    decided: set[tuple[type, str]] = {(type(record), record.query_id) for record in records if record.adjudicated}
    decided |= {(Nugget, query_id) for query_id in nuggets_agreed}
    if not decided:
        return records
    kept, left_out = [], dict[type, Counter[str]]()
    for record in records:
        if record.adjudicated or (type(record), record.query_id) not in decided:
            kept.append(record)
        else:
            left_out.setdefault(type(record), Counter())[_maker(record)] += 1
    queries = Counter(kind for kind, _ in decided)
    for kind, makers in left_out.items():
        noun, where = kind_of(kind).replace("_", " "), number_of(queries[kind], "query")
        others, which = (
            number_of(makers.total(), "other"),
            ", ".join(f"{makers[name]} {name}" for name in sorted(makers)),
        )
        notes.append(f"adjudicated {noun} records count in {where}: {others} left out ({which})")
    return kept


def _maker(record: object) -> str:
    source = "by programs" if getattr(record, "source", None) == "auto" else "without a name"
    return source if getattr(record, "assessor", None) is None else "by assessors on their own"


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
