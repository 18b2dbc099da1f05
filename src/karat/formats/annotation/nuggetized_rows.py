"""What the reader and the writer of nuggetized snippets share: fields, ids that nobody gave, rows."""

from __future__ import annotations

from typing import Any, Literal

from msgspec.structs import replace

from karat.formats.io.sink import Sink
from karat.model import Nugget, Response, Snippet, SpanSet, content_id

DEFAULT_ID = "text"
"""The query and the run of rows that name none."""
NUGGET_TYPES = ("PER", "GPE", "ORG", "TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
ROW_FIELDS = frozenset({"snippet_id", "text", "nuggets", "query_id", "run_id", "source", "assessor"})
OPTIONAL = ("rule", "category", "secondary", "paraphrase", "world_knowledge", "assessor")
NUGGET_FIELDS = frozenset({"nugget_id", "type", "spans", "anchor", "text", "source", *OPTIONAL})
NuggetSource = Literal["person", "auto", "corrected"]


class NuggetIds:
    """Ids from where a nugget lies and who marked it; the second of two equal ones gets an ordinal."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def named(self, nugget: Nugget, nugget_id: str | None = None) -> Nugget:
        """The nugget with the id it has, or else with the next one of its content."""
        chosen = nugget_id or self._next(nugget)
        self._taken.add((nugget.query_id, chosen))
        return replace(nugget, nugget_id=chosen)

    def would_be(self, nugget: Nugget) -> bool:
        """Whether the reader would give this nugget, standing next, the id that it has."""
        expected = self._next(nugget)
        self._taken.add((nugget.query_id, nugget.nugget_id))
        return expected == nugget.nugget_id

    def _next(self, nugget: Nugget) -> str:
        where = f"{nugget.run_id}\t{nugget.snippet_id}\t{list(nugget.spans)}"
        first = content_id(where, nugget.type or "", nugget.source, nugget.assessor or "")
        chosen, times = first, 1
        while (nugget.query_id, chosen) in self._taken:
            times += 1
            chosen = f"{first}-{times}"
        return chosen


def snippet_row(
    response: Response, snippet: Snippet, nuggets: list[Nugget], ids: NuggetIds, sink: Sink
) -> dict[str, Any]:
    """A snippet with its nuggets."""
    row: dict[str, Any] = {"snippet_id": snippet.snippet_id, "text": snippet.text, "nuggets": []}
    for nugget in nuggets:
        if nugget.spans and all(spans.fits(snippet.text) for spans in (nugget.spans, nugget.anchor or SpanSet())):
            row["nuggets"].append(_nugget_row(nugget, snippet.text, ids, sink))
        else:
            sink.lose("nugget", "it does not lie in the text of its snippet")
    if (response.query_id, response.run_id) != (DEFAULT_ID, DEFAULT_ID):
        row |= {"query_id": response.query_id, "run_id": response.run_id}
    for name, value in snippet.extra.items():
        if name in ROW_FIELDS:
            sink.lose("response.snippets.extra", "a field of the row has the same name")
        else:
            row[name] = value
    return row


def _nugget_row(nugget: Nugget, text: str, ids: NuggetIds, sink: Sink) -> dict[str, Any]:
    """A nugget as it stands in the row of its snippet."""
    row: dict[str, Any] = {} if ids.would_be(nugget) else {"nugget_id": nugget.nugget_id}
    if nugget.type is not None:
        row["type"] = nugget.type
    row["spans"] = nugget.spans
    if nugget.anchor is not None and nugget.anchor:
        row["anchor"] = _flat(nugget.anchor)
    row["text"] = nugget.spans.text(text)
    row |= {name: value for name in OPTIONAL if (value := getattr(nugget, name)) is not None}
    if nugget.source != "auto":
        row["source"] = nugget.source
    for name, value in nugget.extra.items():
        if name in NUGGET_FIELDS:
            sink.lose("nugget.extra", "a field of the nugget has the same name")
        else:
            row[name] = value
    return row


def _flat(anchor: SpanSet) -> Any:
    """One span as [start, end], several as a list of such."""
    return anchor[0] if len(anchor) == 1 else anchor
