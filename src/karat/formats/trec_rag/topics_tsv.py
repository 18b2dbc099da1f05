"""Topics as a table without a header: `id<TAB>text`, one topic per line.

The JSON lines of TREC RAG 2025, `{"id", "title"}`, are read, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows, table_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Query

TITLE = "topics: id, tab, text"
CARRIES = carries(query="query_id text")
_HEADER_WORDS = {"id", "qid", "query_id", "topic", "topic_id", "request_id", "narrative_id"}
"""If the first line begins with one of these names, it is a header, and the file is another kind of table."""


def sniff_topics_tsv(head: Head) -> bool:
    if head.shape:
        return set(head.row) == {"id", "title"} and isinstance(head.row["title"], str)
    rows = head.fields_of_lines("\t")
    return (
        bool(rows)
        and rows[0][0].strip().lower() not in _HEADER_WORDS
        and all(len(row) == 2 and _is_word(row[0]) for row in rows)
        and all(any(map(str.isalpha, row[1])) for row in rows)
    )


def _is_word(text: str) -> bool:
    return bool(text) and not any(map(str.isspace, text))


def read_topics_tsv(source: Source) -> Iterator[AnyRecord]:
    """One Query per line."""
    seen: set[str] = set()
    for row in _rows(source):
        with row.unit():
            query_id = source.query_id = row.id("id")
            if query_id in seen:
                row.bad("id", f"the topic {query_id!r} appears twice", code="duplicate-id")
            seen.add(query_id)
            yield Query(query_id=query_id, text=row.text("text", "title"), extra=row.rest())


def _rows(source: Source) -> Iterator[Fields]:
    if Head(source).shape:
        return json_rows(source)
    return table_rows(source, delimiter="\t", columns=("id", "text"))


def write_topics_tsv(records: Iterable[AnyRecord], sink: Sink) -> None:
    for query in Collection(records).queries:
        if not _is_word(query.query_id):
            sink.lose("query", "an id with blanks cannot be written")
            continue
        text = " ".join(query.text.replace("\t", " ").splitlines())
        if text != query.text:
            sink.lose("query.text", "tabs and line breaks become blanks")
        sink.write(f"{query.query_id}\t{text}\n")
