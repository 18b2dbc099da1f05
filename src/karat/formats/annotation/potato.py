"""Potato's annotations, with spans of several parts: one row per item and annotator, or an annotator's saved state.

{"user_id": "ann", "instance_id": "i1", "displayed_text": "…", "span_annotations": [{"schema": "s", "name": "PER",
 "start": 0, "end": 4, "additional_parts": [{"start": 9, "end": 12, "text": "…"}]}]}
{"user_id": "ann", "instance_id_to_span_to_value": {"i1": {"s": [{"start": 0, "end": 4, "label": "PER"}]}}}
Offsets count code points. The saved state has no texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.annotation.annotated_text import Documents, first_rows, spans_in
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Nugget

TITLE = "Potato annotations"
RUN = "potato"
_SPANS = ("span_annotations", "spans")
_STATE = "instance_id_to_span_to_value"


def sniff_potato(head: Head) -> bool:
    return any(
        isinstance(row.get(_STATE), dict)
        or (
            "user_id" in row and "instance_id" in row and any(isinstance(row.get(name), list | dict) for name in _SPANS)
        )
        or _is_bare(row)
        for row in first_rows(head)
    )


def _is_bare(row: dict[str, Any]) -> bool:
    return isinstance(row.get("text"), str) and any(
        isinstance(span, dict) and {"schema", "name", "start", "end"} <= span.keys()
        for name in _SPANS
        for span in (row[name] if isinstance(row.get(name), list) else [])
    )


def read_potato(source: Source) -> Iterator[AnyRecord]:
    """One Response per item (if its text is given) and one Nugget per span."""
    documents = Documents(source, RUN)
    for number, row in enumerate(json_rows(source), start=1):
        with row.unit():
            assessor = row.optional_id("user_id", "annotator")
            if row.has(_STATE):
                for query_id, value in row.entries(_STATE):
                    source.query_id = query_id
                    for item in _items(row, f"{_STATE}.{query_id}", value):
                        yield from _read_span(documents, item, query_id, None, assessor)
                continue
            query_id = source.query_id = row.optional_id("instance_id", "id") or str(number)
            text = row.optional_text("displayed_text", "text")
            items = [item for name in _SPANS for item in _items(row, name, row.get(name))]
            extra = row.rest()
            if text is not None:
                yield from documents.response(row, query_id, text, extra)
            for item in items:
                yield from _read_span(documents, item, query_id, text, assessor)


def _items(row: Fields, path: str, value: Any, schema: str | None = None) -> Iterator[Fields]:
    """The spans of a list, of lists by schema, or of `[span, value]` pairs."""
    if value is None:
        return
    if isinstance(value, dict):
        for name, members in value.items():
            yield from _items(row, f"{path}.{name}", members, name)
        return
    if not isinstance(value, list):
        row.complain(path, f"must be a list, not {type_name(value)}", code="wrong-type")
        return
    for index, member in enumerate(value):
        if isinstance(member, list) and member:
            member = member[0]
        if isinstance(member, dict):
            known = {} if schema is None else {"schema": schema}
            yield row.inside(f"{path}[{index}]", known | member)
        else:
            row.complain(f"{path}[{index}]", f"must be an object, not {type_name(member)}", code="wrong-type")


def _read_span(
    documents: Documents, item: Fields, query_id: str, text: str | None, assessor: str | None
) -> Iterator[Nugget]:
    with item.unit():
        parts = [item, *item.optional_items("additional_parts")]
        pairs = [[part.integer("start"), part.integer("end")] for part in parts]
        texts = [part.optional_text("text", "span") for part in parts]
        if text is None:
            spans = item.spans("", pairs)
        else:
            stated = "".join(part_text or "" for part_text in texts) if all(texts) else None
            spans = spans_in(item, "", pairs, text, stated=stated)
        label = item.optional_id("name", "label", "annotation")
        category = item.optional_id("schema")
        nugget_id = item.optional_id("id")
        yield documents.nugget(
            query_id, spans, label, nugget_id=nugget_id, category=category, assessor=assessor, extra=item.rest()
        )
