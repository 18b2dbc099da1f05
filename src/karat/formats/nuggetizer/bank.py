"""The nuggetizer's nugget bank: `{"query", "qid", "nuggets": [{"text", "importance"}]}`, one query a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.nuggetizer.nugs import read_nuggetizer_nug, write_nuggetizer_nug
from karat.model import AnyRecord, Collection, ContentIds, Query

TITLE = "nuggetizer nugget bank"
IDS = ("qid", "query_id", "topic_id")
CARRIES = carries(
    query="query_id text extra",
    nug="query_id nug_id descriptions importance extra",
)


def sniff_nuggetizer_bank(head: Head) -> bool:
    nugget = head.first("nuggets")
    has_id = any(name in head.row for name in IDS)
    return (
        has_id and head.has("nuggets") and ("text" in nugget or not head.row["nuggets"]) and "assignment" not in nugget
    )


def read_nuggetizer_bank(source: Source) -> Iterator[AnyRecord]:
    """A Query a row (where the row says more than the id) and a Nug a nugget."""
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
