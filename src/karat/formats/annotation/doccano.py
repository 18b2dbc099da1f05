"""doccano's export of a sequence labelling project: one text per line with its labelled spans.

{"id": 1, "text": "…", "label": [[0, 2, "ORG"]]}
{"id": 1, "text": "…", "entities": [{"id": 7, "label": "ORG", "start_offset": 0, "end_offset": 2}], "relations": []}
Offsets count code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.annotation.annotated_text import Documents, first_rows, spans_in
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord

TITLE = "doccano export"
RUN = "doccano"
_LABELS = ("label", "labels")


def sniff_doccano(head: Head) -> bool:
    return any(_is_row(row) for row in first_rows(head))


def _is_row(row: dict[str, Any]) -> bool:
    if not isinstance(row.get("text", row.get("data")), str):
        return False
    entities = row.get("entities")
    if isinstance(entities, list) and entities:
        return isinstance(entities[0], dict) and "start_offset" in entities[0]
    spans = row.get("label", row.get("labels"))
    return isinstance(spans, list) and bool(spans) and all(_is_triple(span) for span in spans)


def _is_triple(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 3
        and all(isinstance(offset, int) and not isinstance(offset, bool) for offset in span[:2])
        and isinstance(span[2], str)
    )


def read_doccano(source: Source) -> Iterator[AnyRecord]:
    """One Response per text and one Nugget per span."""
    documents = Documents(source, RUN)
    for number, row in enumerate(json_rows(source), start=1):
        with row.unit():
            query_id = source.query_id = row.optional_id("id") or str(number)
            text = row.text("text", "data")
            items = list(_items(row))
            yield from documents.response(row, query_id, text, row.rest())
            for item in items:
                with item.unit():
                    pair = [item.integer("start_offset", "start"), item.integer("end_offset", "end")]
                    spans = spans_in(item, "", [pair], text, stated=item.optional_text("text"))
                    nugget_id, label = item.optional_id("id"), item.optional_id("label")
                    yield documents.nugget(query_id, spans, label, nugget_id=nugget_id, extra=item.rest())


def _items(row: Fields) -> Iterator[Fields]:
    if row.has("entities"):
        yield from row.items("entities")
    for name in _LABELS:
        for index, span in enumerate(row.optional_members(name)):
            place = f"{name}[{index}]"
            if isinstance(span, list) and len(span) == 3:
                yield row.inside(place, dict(zip(("start_offset", "end_offset", "label"), span, strict=True)))
            elif isinstance(span, dict):
                yield row.inside(place, span)
            else:
                row.complain(place, "must be [start, end, label]", code="wrong-type")
