"""Documents as flat JSON objects, one per line or in a list: an id, a text, perhaps a title.

{"doc_id": "d1", "text": "Engineers found cracks.", "title": "Bridge closed"}
The id may be called docid, docno or id, and the text contents, segment or body (as in MS MARCO and Pyserini).
Other fields are kept with the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Document

TITLE = "documents (JSON)"
CARRIES = carries(document="doc_id text title language medium time extra")
IDS = ("doc_id", "docid", "docno", "id", "_id")
TEXTS = ("text", "contents", "segment", "body")
_OPTIONAL = ("language", "medium", "time")
_OTHER_KINDS = frozenset(
    """query query_id qid question topic topic_id request_id user_input prompt answer response responses reference
    references run run_id system snippet_id nugget nuggets nug_id label labels spans entities annotations assessor
    assignment judgment importance score relevance claim metadata vote""".split()
)
"""A row with one of these fields is about something else than a document."""


def sniff_documents(head: Head) -> bool:
    row = head.row
    return (
        any(isinstance(row.get(name), str | int) for name in IDS)
        and any(isinstance(row.get(name), str) for name in TEXTS)
        and _OTHER_KINDS.isdisjoint(row)
    )


def read_documents(source: Source) -> Iterator[AnyRecord]:
    """One Document per object; an id that appears twice with the same text is one document."""
    seen: dict[str, Document] = {}
    for row in json_rows(source):
        with row.unit():
            document = Document(
                doc_id=row.id(*IDS),
                text=row.text(*TEXTS),
                title=row.optional_text("title"),
                language=row.optional_text("language"),
                medium=row.optional_text("medium"),
                time=row.optional_text("time"),
                extra=row.rest(),
            )
            known = seen.setdefault(document.doc_id, document)
            if known is document:
                yield document
            elif known != document:
                row.bad(
                    "", f"the document {document.doc_id!r} is already in the file, and differs", code="duplicate-id"
                )


def write_documents(records: Iterable[AnyRecord], sink: Sink) -> None:
    for record in records:
        if isinstance(record, Document):
            known = {"doc_id": record.doc_id, "text": record.text or ""}
            given = {name: getattr(record, name) for name in ("title", *_OPTIONAL)}
            known |= {name: value for name, value in given.items() if value is not None}
            sink.json_line(known | {name: value for name, value in record.extra.items() if name not in known})
