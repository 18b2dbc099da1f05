"""Agreement, live: the coefficients of `karat agree` on the assessors' own work, and the items with the least of it.

The adjudicated layer takes no part: it was made from the others.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import combinations

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from karat.campaign.results.export import export_records
from karat.campaign.store import tables
from karat.campaign.work.annotations import PARTS, decode_work
from karat.campaign.work.payloads import CitationWork, JudgementWork, NuggetWork, RelevanceWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.evaluate.agree.agree import AgreementRow, agree_files
from karat.model import AnyRecord, Collection, Nugget, SpanSet, UsageError, decode_record

MOST_ITEMS = 50
TEXT_LENGTH = 120


class WorstItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something on which two assessors differ: where it is, what each said, and their agreement from 0 to 1."""

    query: int
    query_id: str
    step: str
    passage: int | None
    what: str
    score: float
    text: str = ""
    """The beginning of the passage."""


class CampaignAgreement(msgspec.Struct, frozen=True, kw_only=True):
    rows: tuple[AgreementRow, ...]
    notes: tuple[str, ...]
    worst: tuple[WorstItem, ...]
    """The least agreement first."""


def agreement(connection: Connection, *, by: str | None = None) -> CampaignAgreement:
    """How much the assessors agree. by: also for each value of a field of the queries: language, medium, structure."""
    records = [record for record in _records(connection) if _is_of_an_assessor(record)]
    try:
        found = agree_files({"campaign": Collection(records)}, by=by)
    except UsageError as error:
        return CampaignAgreement(rows=(), notes=(str(error),), worst=())
    worst = sorted(_differing(connection), key=lambda item: (item.score, item.query_id, item.step, item.passage or 0))
    return CampaignAgreement(rows=found.rows, notes=found.notes, worst=_with_texts(connection, worst[:MOST_ITEMS]))


def _is_of_an_assessor(record: AnyRecord) -> bool:
    """Material, or an assessor's own work: neither the adjudicated layer nor what a program found."""
    is_program = isinstance(record, Nugget) and record.assessor is None
    return not is_program and not getattr(record, "adjudicated", None)


def _with_texts(connection: Connection, items: list[WorstItem]) -> tuple[WorstItem, ...]:
    passage = tables.passage.c
    wanted = {item.passage for item in items if item.passage is not None}
    rows = connection.execute(select(passage.number, passage.text).where(passage.number.in_(wanted)))
    texts: dict[int | None, str] = {row.number: row.text for row in rows}
    return tuple(
        replace(item, text=textwrap.shorten(texts.get(item.passage, ""), TEXT_LENGTH, placeholder=" …"))
        for item in items
    )


def _records(connection: Connection) -> Iterator[AnyRecord]:
    """All queries, whose fields tell the parts, and the rest only of those that somebody has begun."""
    query, annotation, state = tables.query.c, tables.annotation.c, tables.step_state.c
    begun = {
        *connection.execute(select(annotation.query).distinct()).scalars(),
        *connection.execute(select(state.query).distinct()).scalars(),
    }
    wanted: list[str] = []
    for number, query_id, record in connection.execute(
        select(query.number, query.query_id, query.record).order_by(query.position)
    ):
        if number in begun:
            wanted.append(query_id)
        else:
            yield decode_record(record.encode())
    yield from export_records(connection, queries=wanted)


def _differing(connection: Connection) -> Iterator[WorstItem]:
    """Every item on which two assessors do not agree wholly."""
    annotation, query, account = tables.annotation.c, tables.query.c, tables.account.c
    names = {row[0]: row[1] for row in connection.execute(select(account.number, account.name))}
    ids = {row[0]: row[1] for row in connection.execute(select(query.number, query.query_id))}
    rows = connection.execute(
        select(annotation.query, annotation.owner, annotation.record)
        .where(
            annotation.kind.in_(("relevance", "nugget", "citation", "judgement")),
            annotation.record.is_not(None),
            annotation.owner != ADJUDICATED,
        )
        .order_by(annotation.query, annotation.owner)
    )
    said: dict[tuple[int, str, object], dict[int, str]] = {}
    marked: dict[tuple[int, int], dict[int, SpanSet]] = {}
    for number, owner, text in rows:
        record = decode_work(text)
        match record:
            case RelevanceWork():
                said.setdefault((number, "relevance", record.passage), {})[owner] = record.label
            case CitationWork(nugget=None):
                said.setdefault((number, "citations", record.citation), {})[owner] = record.support
            case JudgementWork():
                said.setdefault((number, "judging", (record.response, record.nug)), {})[owner] = f"{record.degree:g}"
            case NuggetWork():
                spans = marked.setdefault((number, record.passage), {})
                spans[owner] = record.spans.union(spans.get(owner, SpanSet()))
    differing = {place: answers for place, answers in said.items() if len(set(answers.values())) > 1}
    cited = _passages_of(connection, [place for _, step, place in differing if step == "citations"])
    for (number, step, place), answers in differing.items():
        what = ", ".join(f"{names[owner]}: {answer}" for owner, answer in answers.items())
        passage = place if step == "relevance" and isinstance(place, int) else cited.get(place)
        yield WorstItem(
            query=number, query_id=ids[number], step=step, passage=passage, what=what, score=_pairs_alike(answers)
        )
    yield from _overlaps(connection, marked, names, ids)


def _passages_of(connection: Connection, citations: list[object]) -> dict[object, int]:
    """The passages in which the citations stand."""
    columns, found = tables.citation.c, dict[object, int]()
    for start in range(0, len(citations), PARTS):
        some = citations[start : start + PARTS]
        for number, passage in connection.execute(
            select(columns.number, columns.passage).where(columns.number.in_(some))
        ):
            found[number] = passage
    return found


def _pairs_alike(answers: dict[int, str]) -> float:
    pairs = list(combinations(answers.values(), 2))
    return sum(one == other for one, other in pairs) / len(pairs)


def _overlaps(
    connection: Connection,
    marked: dict[tuple[int, int], dict[int, SpanSet]],
    names: dict[int, str],
    ids: dict[int, str],
) -> Iterator[WorstItem]:
    """Nugget overlap of a passage: overlap / (diff / 2 + overlap) in meaningful characters, the mean over pairs."""
    passage = tables.passage.c
    looked = _who_looked(connection)
    texts = dict[int, str]()
    for number, text in connection.execute(select(passage.number, passage.text)):
        texts[number] = text
    for (query, number), spans in marked.items():
        everybody = {owner: spans.get(owner, SpanSet()) for owner in {*spans, *looked.get(query, ())}}
        pairs = list(combinations(everybody.values(), 2))
        if not pairs:
            continue
        score = sum(_overlap(one, other, texts[number]) for one, other in pairs) / len(pairs)
        if score < 1:
            marks = ((names[owner], of_owner.meaningful_length(texts[number])) for owner, of_owner in everybody.items())
            what = ", ".join(f"{name}: {length} characters" for name, length in sorted(marks))
            yield WorstItem(
                query=query, query_id=ids[query], step="nuggets", passage=number, what=what, score=round(score, 4)
            )


def _who_looked(connection: Connection) -> dict[int, set[int]]:
    """Who finished the nuggets of a query: a passage without nuggets was seen to have none."""
    state, found = tables.step_state.c, dict[int, set[int]]()
    rows = connection.execute(
        select(state.query, state.owner).where(
            state.step == "nuggets", state.done.is_not(None), state.owner != ADJUDICATED
        )
    )
    for query, owner in rows:
        found.setdefault(query, set()).add(owner)
    return found


def _overlap(one: SpanSet, other: SpanSet, text: str) -> float:
    if one == other:
        return 1.0
    both = one.intersection(other).meaningful_length(text)
    different = one.meaningful_length(text) + other.meaningful_length(text) - 2 * both
    return both / (0.5 * different + both) if both or different else 1.0
