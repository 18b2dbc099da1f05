"""Nuggetized snippets: one snippet per line with its nuggets, marked by a program (`karat nuggetize`) or by people.

{"snippet_id": "1", "text": "Ada Brown left Rome.", "nuggets": [{"type": "EVT", "spans": [[0, 19]],
 "anchor": [10, 14], "text": "Ada Brown left Rome", "rule": "event"}], "query_id": "q1", "run_id": "r1",
 "notes": ["..."], "source": "person", "assessor": "ann"}
Required are text, nuggets and the spans of each nugget; offsets count code points. A nugget may also have nugget_id,
category, secondary, paraphrase, world_knowledge, source, assessor, and what it corrects: revises (a list of
nugget_ids), revision (joined, split, extended, shrunk or retyped), reason and note. The source (auto, person or
corrected; auto if it is not given) and the assessor of a row apply to all its nuggets. The rows of one query and run
are one response; a row that names no query or run belongs to the query or run "text". Other fields of a row, such as a
style, are kept with the snippet. If a person or corrector found no nugget ("nuggets": []), this is kept as
"found_none": ["corrected"], too.
A nugget's text must be what its spans cover; blanks and the ` ... ` between pieces are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

from karat.formats.annotation.annotated_text import first_rows
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import BadUnit, Source
from karat.model import AnyRecord, Collection, Nugget, Response, Run, Snippet, SpanSet
from karat.model.identity import NuggetIds
from karat.model.looked import add_found_none
from karat.model.records import Revision

TITLE = "Nuggetized snippets (`karat nuggetize`)"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra",
    nugget="nugget_id query_id run_id snippet_id spans type category secondary anchor world_knowledge paraphrase "
    "source rule assessor revises revision reason note extra",
)
DEFAULT_ID = "text"
"""The query and the run of rows that do not name them."""
NUGGET_TYPES = ("PER", "GPE", "ORG", "TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
ROW_FIELDS = frozenset({"snippet_id", "text", "nuggets", "query_id", "run_id", "source", "assessor"})
OPTIONAL = ("rule", "category", "secondary", "paraphrase", "world_knowledge", "assessor", "revision", "reason", "note")
NUGGET_FIELDS = frozenset({"nugget_id", "type", "spans", "anchor", "text", "source", "revises", *OPTIONAL})
NuggetSource = Literal["person", "auto", "corrected"]
_SOURCES: dict[str, NuggetSource] = {"auto": "auto", "person": "person", "corrected": "corrected"}

_REVISIONS: dict[str, Revision] = {name: name for name in get_args(Revision)}


def sniff_nuggetized(head: Head) -> bool:
    if not isinstance(head.row.get("text"), str) or not isinstance(head.row.get("nuggets"), list):
        return False
    # The first row may be longer than the lines in the head; and later rows say more than a first row without nuggets.
    rows = [head.row, *first_rows(head)]
    nuggets = [nugget for row in rows if isinstance(row.get("nuggets"), list) for nugget in row["nuggets"]]
    if nuggets:
        return any(isinstance(nugget, dict) and "spans" in nugget for nugget in nuggets)
    return any("snippet_id" in row for row in rows)


def read_nuggetized(source: Source) -> Iterator[AnyRecord]:
    """One Nugget per marked nugget, and one Response for the rows of each query and run."""
    reader = _NuggetizedReader(source)
    for row in json_rows(source):
        with row.unit():
            yield from reader.row(row)
    for (query_id, run_id), snippets in reader.snippets.items():
        source.line, path = reader.begins[query_id, run_id]
        source.enter(path)
        yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets.values()))


class _NuggetizedReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.snippets: dict[tuple[str, str], dict[str, Snippet]] = {}
        self.begins: dict[tuple[str, str], tuple[int, str]] = {}
        """Line and path of the first row of a response."""
        self._once = Once(source)
        self._ids = NuggetIds()
        self._marked: dict[tuple[str, ...], int] = {}
        """The line of a row, by its snippet and who marked it."""
        self._other_types: set[str] = set()

    def row(self, row: Fields) -> Iterator[AnyRecord]:
        query_id = self.source.query_id = row.optional_id("query_id") or DEFAULT_ID
        run_id = row.optional_id("run_id") or DEFAULT_ID
        known = self.snippets.get((query_id, run_id), {})
        snippet_id = row.optional_id("snippet_id") or str(len(known) + 1)
        text = row.text("text")
        items = row.items("nuggets")
        by = _source(row, "auto")
        assessor = row.optional_id("assessor")
        self._check_new(row, known.get(snippet_id), (query_id, run_id, snippet_id, by, assessor or ""), text)
        yield from self._once(Run(run_id=run_id))
        self.begins.setdefault((query_id, run_id), (self.source.line, row.path))
        snippet = Snippet(snippet_id=snippet_id, text=text, extra=row.rest())
        snippets = self.snippets.setdefault((query_id, run_id), {})
        snippets.setdefault(snippet_id, snippet)
        if by != "auto" and not items:
            snippets[snippet_id] = add_found_none(snippets[snippet_id], [by])
        for item in items:
            with item.unit():
                yield self._nugget(item, text, query_id, run_id, snippet_id, by, assessor)

    def _check_new(self, row: Fields, known: Snippet | None, key: tuple[str, ...], text: str) -> None:
        """A snippet may have several rows, but only one per person."""
        if known is not None and known.text != text:
            row.bad("text", f"snippet {key[2]!r} has a different text in an earlier row", code="duplicate-id")
        if key in self._marked:
            row.bad("snippet_id", f"{key[2]!r} is already on line {self._marked[key]}", code="duplicate-id")
        self._marked[key] = self.source.line

    def _nugget(
        self,
        item: Fields,
        text: str,
        query_id: str,
        run_id: str,
        snippet_id: str,
        by: NuggetSource,
        assessor: str | None,
    ) -> Nugget:
        spans = _spans(item, "spans", text)
        anchor = _spans(item, "anchor", text) if item.has("anchor") else None
        stated = item.optional_text("text")
        if stated is not None and _squashed(stated) not in _readings(spans, text):
            item.bad("text", f"is {stated!r}, but the spans cover {spans.text(text)!r}", code="text-mismatch")
        kind = item.optional_id("type")
        if kind is not None and kind not in NUGGET_TYPES and kind not in self._other_types:
            self._other_types.add(kind)
            message = f"{kind!r} is not one of Karat's types ({', '.join(NUGGET_TYPES)}); it is kept as it is"
            self.source.warn(f"{item.path}.type", message, code="unknown-type")
        nugget_id = item.optional_id("nugget_id")
        nugget = Nugget(
            nugget_id=nugget_id or "",
            query_id=query_id,
            run_id=run_id,
            snippet_id=snippet_id,
            spans=spans,
            type=kind,
            category=item.optional_id("category"),
            secondary=item.optional_id("secondary"),
            anchor=anchor,
            world_knowledge=item.optional_boolean("world_knowledge"),
            paraphrase=item.optional_text("paraphrase"),
            source=_source(item, by),
            rule=item.optional_text("rule"),
            assessor=item.optional_id("assessor") or assessor,
            revises=tuple(item.strings("revises")) if item.has("revises") else (),
            revision=item.label("revision", _REVISIONS) if item.has("revision") else None,
            reason=item.optional_text("reason"),
            note=item.optional_text("note"),
            extra=item.rest(),
        )
        return self._ids.named(nugget, nugget_id)


def _source(fields: Fields, otherwise: NuggetSource) -> NuggetSource:
    if not fields.has("source"):
        fields.get("source")
        return otherwise
    label = fields.label("source", _SOURCES)
    if label is None:
        # Already reported. The nugget is left out, because nobody knows who marked it.
        raise BadUnit
    return label


def _spans(item: Fields, name: str, text: str) -> SpanSet:
    """Several pairs of offsets, or a single pair."""
    value = item.require(name)
    if not isinstance(value, list):
        item.bad(name, f"must be [[start, end], ...], not {type_name(value)}", code="wrong-type")
    if not value:
        item.bad(name, "is empty", code="missing-span")
    is_pair = not any(isinstance(member, list) for member in value)
    return item.spans(name, [value] if is_pair else value, text)


def _readings(spans: SpanSet, text: str) -> tuple[str, str]:
    return _squashed(spans.text(text)), _squashed("".join(text[start:end] for start, end in spans))


def _squashed(text: str) -> str:
    return "".join(text.split())


def write_nuggetized(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One row per snippet; ids that the reader would make by itself are left out."""
    collection = Collection(records)
    nuggets: dict[tuple[str, str, str], list[Nugget]] = {}
    for nugget in collection.nuggets:
        nuggets.setdefault((nugget.query_id, nugget.run_id, nugget.snippet_id), []).append(nugget)
    ids = NuggetIds()
    for response in collection.responses:
        for snippet in response.snippets:
            in_snippet = nuggets.pop((response.query_id, response.run_id, snippet.snippet_id), [])
            sink.json_line(_snippet_row(response, snippet, in_snippet, ids, sink))
        if not response.snippets:
            sink.lose("response", "it has no snippet")
    for unplaced in nuggets.values():
        for _ in unplaced:
            sink.lose("nugget", "the text of its snippet is missing")
    written_runs = {response.run_id for response in collection.responses if response.snippets}
    for run in collection.runs:
        if run.run_id not in written_runs:
            sink.lose("run", "it has no snippet")


def _snippet_row(
    response: Response, snippet: Snippet, nuggets: list[Nugget], ids: NuggetIds, sink: Sink
) -> dict[str, Any]:
    """A snippet with its nuggets."""
    row: dict[str, Any] = {"snippet_id": snippet.snippet_id, "text": snippet.text, "nuggets": []}
    for nugget in nuggets:
        if nugget.spans and all(spans.fits(snippet.text) for spans in (nugget.spans, nugget.anchor or SpanSet())):
            row["nuggets"].append(_nugget_row(nugget, snippet.text, ids, sink))
        else:
            sink.lose("nugget", "its span is outside the text of its snippet")
    if (response.query_id, response.run_id) != (DEFAULT_ID, DEFAULT_ID):
        row |= {"query_id": response.query_id, "run_id": response.run_id}
    for name, value in snippet.extra.items():
        if name in ROW_FIELDS:
            sink.lose("response.snippets.extra", "a field of the row has the same name")
        else:
            row[name] = value
    return row


def _nugget_row(nugget: Nugget, text: str, ids: NuggetIds, sink: Sink) -> dict[str, Any]:
    """The nugget's object in the row of its snippet."""
    row: dict[str, Any] = {} if ids.would_be(nugget) else {"nugget_id": nugget.nugget_id}
    if nugget.type is not None:
        row["type"] = nugget.type
    row["spans"] = nugget.spans
    if nugget.anchor is not None and nugget.anchor:
        row["anchor"] = _flat(nugget.anchor)
    row["text"] = nugget.spans.text(text)
    row |= {name: value for name in OPTIONAL if (value := getattr(nugget, name)) is not None}
    if nugget.revises:
        row["revises"] = nugget.revises
    if nugget.source != "auto":
        row["source"] = nugget.source
    for name, value in nugget.extra.items():
        if name in NUGGET_FIELDS:
            sink.lose("nugget.extra", "a field of the nugget has the same name")
        else:
            row[name] = value
    return row


def _flat(anchor: SpanSet) -> Any:
    """A single span as [start, end], several spans as a list of pairs."""
    return anchor[0] if len(anchor) == 1 else anchor
