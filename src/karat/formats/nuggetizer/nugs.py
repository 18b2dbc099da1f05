"""The nugget object that the nuggetizer's banks and assignments share."""

from __future__ import annotations

from typing import Any, Literal

from karat.formats.io.fields import Fields
from karat.formats.io.sink import Sink
from karat.model import ContentIds, Nug
from karat.model.records import Importance

_IMPORTANCES: dict[str, Importance | Literal["failed"]] = {"vital": "vital", "okay": "okay", "failed": "failed"}
FAILED_IMPORTANCE = "importance_status"
"""Where a nug keeps that its importance came as "failed": it has none, and lint tells so."""


def read_nuggetizer_nug(item: Fields, query_id: str, ids: ContentIds, *known: str) -> Nug:
    """A nug of `{"text", "importance"?, ...}`; its id is made from its text."""
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
