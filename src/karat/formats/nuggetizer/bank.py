"""The nuggetizer's nugget bank: `{"query", "qid", "nuggets": [{"text", "importance"}]}`, one query per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, ContentIds, Nug, Query
from karat.model.records import Importance

TITLE = "nuggetizer nugget bank"
IDS = ("qid", "query_id", "topic_id")
CARRIES = carries(
    query="query_id text extra",
    nug="query_id nug_id descriptions importance extra",
)
_IMPORTANCES: dict[str, Importance | Literal["failed"]] = {"vital": "vital", "okay": "okay", "failed": "failed"}
FAILED_IMPORTANCE = "importance_status"
"""The field of a nug's `extra` for an importance "failed" in the file: the nug has none, and lint reports it."""


def sniff_nuggetizer_bank(head: Head) -> bool:
    nugget = head.first("nuggets")
    has_id = any(name in head.row for name in IDS)
    return (
        has_id and head.has("nuggets") and ("text" in nugget or not head.row["nuggets"]) and "assignment" not in nugget
    )


def read_nuggetizer_bank(source: Source) -> Iterator[AnyRecord]:
    """One Query per row (if the row has more than an id and nuggets) and one Nug per nugget."""
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id(*IDS)
            text = row.optional_text("query")
            nuggets = row.items("nuggets")
            extra = row.rest()
            if text is not None or extra or not nuggets:
                yield Query(query_id=query_id, text=text or "", extra=extra)
            ids = ContentIds()
            for item in nuggets:
                with item.unit():
                    yield read_nuggetizer_nug(item, query_id, ids)


def write_nuggetizer_bank(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    key = collection.key
    queries = {query.query_id: query for query in collection.queries}
    for query_id in dict.fromkeys((*queries, *key.query_ids)):
        query = queries.get(query_id)
        ids = ContentIds()
        nuggets = [write_nuggetizer_nug(nug, ids, sink) for nug in key.of(query_id)]
        row = {"query": query.text} if query is not None and query.text else {}
        row |= {"qid": query_id, "nuggets": nuggets}  # type: ignore[dict-item]
        sink.json_line(row if query is None else query.extra | row)


def read_nuggetizer_nug(item: Fields, query_id: str, ids: ContentIds, *known: str) -> Nug:
    """The nug in `{"text", "importance"?, ...}`; its id is made from its text."""
    text = item.text("text")
    label = item.label("importance", _IMPORTANCES) if item.has("importance") else None
    extra = item.rest("importance", *known)
    if label == "failed":
        extra[FAILED_IMPORTANCE] = "failed"
    importance = None if label == "failed" else label
    return Nug(query_id=query_id, nug_id=ids.next(text), descriptions=(text,), importance=importance, extra=extra)


def write_nuggetizer_nug(nug: Nug, ids: ContentIds, sink: Sink) -> dict[str, Any]:
    """The nugget object of a nug."""
    text = nug.descriptions[0] if nug.descriptions else ""
    if len(nug.descriptions) != 1:
        sink.lose("nug.descriptions", "only the first description of a nug can be written")
    if nug.nug_id != ids.next(text):
        sink.lose("nug.nug_id", "ids are made from the text when the file is read")
    row: dict[str, Any] = {"text": text}
    if nug.importance is not None:
        row["importance"] = nug.importance
    elif FAILED_IMPORTANCE in nug.extra:
        row["importance"] = nug.extra[FAILED_IMPORTANCE]
    return row | {name: value for name, value in nug.extra.items() if name not in row and name != FAILED_IMPORTANCE}
