"""Prodigy's annotations: one text per line with its spans, and the annotator's answer.

{"text": "…", "spans": [{"start": 0, "end": 2, "label": "ORG"}], "answer": "accept", "_input_hash": 5,
 "_task_hash": 6, "_annotator_id": "ann"}
Offsets count code points.
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.annotation.annotated_text import Documents, spans_in
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord

TITLE = "Prodigy annotations"
RUN = "prodigy"
_ANSWERS = {"accept": True, "reject": False, "ignore": False}


def sniff_prodigy(head: Head) -> bool:
    return (
        isinstance(head.row.get("text"), str)
        and ("_input_hash" in head.row or "_task_hash" in head.row or head.row.get("answer") in (*_ANSWERS,))
        and isinstance(head.row.get("spans", []), list)
    )


def read_prodigy(source: Source) -> Iterator[AnyRecord]:
    """One Response per text (named by its id or input hash) and one Nugget per accepted span."""
    documents = Documents(source, RUN)
    for number, row in enumerate(json_rows(source), start=1):
        with row.unit():
            query_id = source.query_id = row.optional_id("id") or row.optional_id("_input_hash") or str(number)
            text = row.text("text")
            assessor = row.optional_id("_annotator_id") or row.optional_id("_session_id")
            items = row.optional_items("spans")
            accepted = row.label("answer", _ANSWERS) if row.has("answer") else True
            yield from documents.response(row, query_id, text, row.rest("_task_hash", "_timestamp"))
            if not accepted:
                if accepted is False:
                    message = f"the answer is {row.data['answer']!r}: its {len(items)} spans are not kept"
                    source.warn(row.path, message, code="not-accepted")
                continue
            for item in items:
                with item.unit():
                    pair = [item.integer("start"), item.integer("end")]
                    spans = spans_in(item, "", [pair], text, stated=item.optional_text("text"))
                    nugget_id, label = item.optional_id("id"), item.optional_id("label")
                    yield documents.nugget(
                        query_id, spans, label, nugget_id=nugget_id, assessor=assessor, extra=item.rest()
                    )
