"""Passages: the distinct texts of a query, where they stand in responses, and how much of them is in scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from karat.campaign.material.stored import digest
from karat.campaign.store.tables import occurrence, response
from karat.measures.cases.response_text import reach
from karat.model import Response, decode_record

BATCH = 500


def text_hash(text: str) -> bytes:
    """Equal for exactly equal texts."""
    return digest(text.encode("utf-8"))


def scopes(answer: Response, *, words: int) -> list[int]:
    """For each snippet, how many of its characters are among the first so many words of the response; 0 words: all."""
    ends = reach(answer, words=words)
    return [ends[snippet.snippet_id] for snippet in answer.snippets]


def rescope(connection: Connection, *, words: int) -> None:
    """Count anew how much of each response is in scope, after the setting was changed."""
    statement = (
        update(occurrence)
        .where(occurrence.c.response == bindparam("of_response"), occurrence.c.position == bindparam("at"))
        .values(scope=bindparam("now"))
    )
    for numbers in batches(connection.execute(select(response.c.number)).scalars().all(), BATCH):
        rows = connection.execute(
            select(response.c.number, response.c.record).where(response.c.number.in_(numbers))
        ).all()
        changes = [
            {"of_response": row.number, "at": position, "now": scope}
            for row in rows
            for position, scope in enumerate(scopes(_response(row.record), words=words))
        ]
        if changes:
            connection.execute(statement, changes)


def _response(record: str) -> Response:
    answer = decode_record(record.encode())
    assert isinstance(answer, Response)
    return answer


def batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The items, so many at a time."""
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
