"""The passages and unnamed answers of a query, as pages show them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import PARTS
from karat.campaign.work.task_data.records import SourceText, TaskAnswer, TaskCitation, TaskPassage
from karat.model import Citation, Document, Response, Snippet, decode_record, record_from_dict

LONGEST_SOURCE = 4000
"""Characters of a source text beside a passage; the whole document is one click away."""


def task_answers(connection: Connection, query_number: int) -> tuple[TaskAnswer, ...]:
    """All answers to the query, numbered in the order of their random numbers."""
    response, occurrence = tables.response.c, tables.occurrence.c
    rows = connection.execute(
        select(occurrence.response, occurrence.passage)
        .join(tables.response, response.number == occurrence.response)
        .where(response.query == query_number)
        .order_by(occurrence.response, occurrence.position)
    )
    passages: dict[int, list[int]] = {
        number: []
        for number in connection.execute(
            select(response.number).where(response.query == query_number).order_by(response.number)
        ).scalars()
    }
    for number, passage in rows:
        passages[number].append(passage)
    return tuple(
        TaskAnswer(number=number, label=f"Answer {place}", passages=tuple(found))
        for place, (number, found) in enumerate(passages.items(), 1)
    )


def in_order(answers: Sequence[TaskAnswer]) -> list[int]:
    """Every passage once, in the order in which the answers have them."""
    return list(dict.fromkeys(number for answer in answers for number in answer.passages))


def task_passages(connection: Connection, numbers: Sequence[int], *, campaign_language: str) -> tuple[TaskPassage, ...]:
    """The passages with their citations, in the given order."""
    found: dict[int, TaskPassage] = {}
    for start in range(0, len(numbers), PARTS):
        part = list(numbers[start : start + PARTS])
        found |= _passages(connection, part, campaign_language)
    return tuple(found[number] for number in numbers if number in found)


def _passages(connection: Connection, numbers: list[int], campaign_language: str) -> dict[int, TaskPassage]:
    passage, occurrence = tables.passage.c, tables.occurrence.c
    texts = connection.execute(select(passage.number, passage.text).where(passage.number.in_(numbers))).all()
    scopes = {
        row[0]: row[1]
        for row in connection.execute(
            select(occurrence.passage, func.max(occurrence.scope))
            .where(occurrence.passage.in_(numbers))
            .group_by(occurrence.passage)
        )
    }
    snippets = _first_snippets(connection, numbers)
    citations, sources = _citations(connection, numbers, campaign_language)
    made = {}
    for number, text in texts:
        snippet = snippets.get(number)
        language = snippet.extra.get("language") if snippet is not None else None
        made[number] = TaskPassage(
            number=number, text=text, scope=scopes.get(number, 0),
            language=language if isinstance(language, str) else None,
            origin=None if snippet is None else snippet.origin,
            source=sources.get(number), citations=tuple(citations.get(number, ())),
        )  # fmt: skip
    return made


def _first_snippets(connection: Connection, numbers: list[int]) -> dict[int, Snippet]:
    """One snippet that has each passage's text."""
    occurrence, response = tables.occurrence.c, tables.response.c
    rows = connection.execute(
        select(occurrence.passage, occurrence.response, occurrence.position)
        .where(occurrence.passage.in_(numbers))
        .order_by(occurrence.response, occurrence.position)
    ).all()
    first: dict[int, tuple[int, int]] = {}
    for number, where, position in rows:
        first.setdefault(number, (where, position))
    wanted = sorted({where for where, _ in first.values()})
    records: dict[int, Response] = {}
    for number, record in connection.execute(
        select(response.number, response.record).where(response.number.in_(wanted))
    ):
        decoded = decode_record(record.encode())
        assert isinstance(decoded, Response)
        records[number] = decoded
    return {number: records[where].snippets[position] for number, (where, position) in first.items()}


def _citations(
    connection: Connection, numbers: list[int], campaign_language: str
) -> tuple[dict[int, list[TaskCitation]], dict[int, SourceText]]:
    citation = tables.citation.c
    rows = connection.execute(
        select(citation.number, citation.passage, citation.doc_id, citation.record)
        .where(citation.passage.in_(numbers))
        .order_by(citation.response, citation.position, citation.number)
    ).all()
    documents = _documents(connection, sorted({row.doc_id for row in rows}))
    found: dict[int, list[TaskCitation]] = {}
    sources: dict[int, SourceText] = {}
    for row in rows:
        record = decode_citation(row.record)
        number, document = documents.get(row.doc_id, (None, None))
        of_passage = found.setdefault(row.passage, [])
        of_passage.append(
            TaskCitation(
                number=row.number, doc_id=row.doc_id, citation_id=f"c{len(of_passage) + 1}",
                chunk=record.chunk, excerpt=record.excerpt, time=record.time,
                language=record.language or (document.language if document else None), document=number,
                title=document.title if document else None, medium=document.medium if document else None,
            )
        )  # fmt: skip
        if row.passage not in sources and (source := _source(record, document, campaign_language)) is not None:
            sources[row.passage] = source
    return found, sources


def _documents(connection: Connection, doc_ids: list[str]) -> dict[str, tuple[int, Document]]:
    columns, found = tables.document.c, {}
    for start in range(0, len(doc_ids), PARTS):
        part = doc_ids[start : start + PARTS]
        for number, record in connection.execute(
            select(columns.number, columns.record).where(columns.doc_id.in_(part))
        ):
            document = decode_record(record.encode())
            assert isinstance(document, Document)
            found[document.doc_id] = (number, document)
    return found


def _source(citation: Citation, document: Document | None, campaign_language: str) -> SourceText | None:
    """The part of the document around the excerpt, where the document is in another language."""
    if document is None or not document.text or document.language in (None, campaign_language):
        return None
    at = document.text.find(citation.excerpt) if citation.excerpt else -1
    start = max(0, at - LONGEST_SOURCE // 2) if at > 0 else 0
    assert document.language is not None
    return SourceText(text=document.text[start : start + LONGEST_SOURCE], language=document.language)


def cited_as(citation: Citation) -> tuple[object, ...]:
    """What a citation points at, whatever its system calls it: two that point at the same are one question."""
    return citation.doc_id, citation.chunk, citation.excerpt, citation.time


def decode_citation(record: str) -> Citation:
    """A citation as it is in its response: with the fields that Karat does not know."""
    snippet = {"snippet_id": "", "text": "", "citations": [msgspec.json.decode(record)]}
    response = record_from_dict({"kind": "response", "query_id": "-", "run_id": "-", "snippets": [snippet]})
    assert isinstance(response, Response)
    return response.snippets[0].citations[0]
