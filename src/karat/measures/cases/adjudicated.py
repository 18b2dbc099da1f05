"""What adjudicated records replace: the assessors' records about the same thing, and nothing else.

What "the same thing" is depends on the kind of record:

- a judgement: the nug in the response. Marks in snippets (judgements that name one) belong together, because what is
  not marked was not found: an adjudicated one replaces all marks in the response;
- a relevance label: the snippet; a citation judgement: the citation;
- a nugget: the response. An adjudicated record `reviewed` of nuggets says that those are all in its place (a snippet, a
  response or the whole query), even if there are none. Automatic nuggets are replaced, too;
- a nug: the query (a key is one whole); a vote: the nug.

So one adjudicated record about a run never takes away what was said about another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from karat.model import CitationJudgement, Judgement, Nug, Nugget, Relevance, Reviewed, Vote, kind_of
from karat.model.identity import citation_units
from karat.model.looked import Looked
from karat.model.wording import number_of

Unit = tuple[str | None, ...]
H = TypeVar("H", bound=Relevance | Nugget | Nug | CitationJudgement | Judgement | Vote)


def units_of(kind: type, records: Sequence[Any]) -> Callable[[Any], Unit]:
    """From the records of a kind to what each of them is about."""
    if kind is CitationJudgement:
        return citation_units(records)
    return _UNITS[kind]


def _judged(record: Judgement) -> Unit:
    return record.query_id, record.run_id, record.nug_id


_UNITS: dict[type, Callable[[Any], Unit]] = {
    Relevance: lambda record: (record.query_id, record.run_id, record.snippet_id),
    Nugget: lambda record: (record.query_id, record.run_id),
    Nug: lambda record: (record.query_id,),
    Vote: lambda record: (record.query_id, record.nug_id),
    Judgement: _judged,
}


def adjudicated_first(records: Iterable[H], notes: list[str], reviewed: Iterable[Reviewed] = ()) -> list[H]:
    """The records without those that adjudicated ones replace. A note says how many were left out."""
    records = list(records)
    agreed = Looked([review for review in reviewed if review.adjudicated], "nuggets")
    if not agreed and not any(record.adjudicated for record in records):
        return records
    by_kind: dict[type, list[H]] = {}
    for record in records:
        by_kind.setdefault(type(record), []).append(record)
    left_out: set[int] = set()
    for kind, of_kind in by_kind.items():
        replaced = _replaced(kind, of_kind, agreed)
        left_out |= {id(record) for record in replaced}
        if replaced:
            noun = kind_of(kind).replace("_", " ")
            where = number_of(len({record.query_id for record in replaced}), "query")
            makers = Counter(map(_maker, replaced))
            others = f"{number_of(len(replaced), 'other')} left out"
            which = ", ".join(f"{makers[name]} {name}" for name in sorted(makers))
            notes.append(f"adjudicated {noun} records count in {where}: {others} ({which})")
    return [record for record in records if id(record) not in left_out]


def _replaced(kind: type, records: Sequence[H], agreed: Looked) -> list[H]:
    unit = units_of(kind, records)
    decided = Counter(unit(record) for record in records if record.adjudicated)
    marked = {
        (record.query_id, record.run_id)
        for record in records
        if isinstance(record, Judgement) and record.adjudicated and record.snippet_id is not None
    }

    def is_replaced(record: H) -> bool:
        if record.adjudicated:
            return False
        if isinstance(record, Nugget) and agreed.at(record.query_id, record.run_id, record.snippet_id):
            return True
        if isinstance(record, Judgement) and record.snippet_id is not None:
            return unit(record) in decided or (record.query_id, record.run_id) in marked
        return unit(record) in decided

    return [record for record in records if is_replaced(record)]


def _maker(record: object) -> str:
    source = "by programs" if getattr(record, "source", None) == "auto" else "without a name"
    return source if getattr(record, "assessor", None) is None else "by assessors on their own"
