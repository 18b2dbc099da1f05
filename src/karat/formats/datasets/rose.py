"""RoSE: references with their atomic content units, and answers with people's scores, as two kinds of JSON file.

acu-*.json                 [{"id": 0, "reference": "...", "acu": ["unit", ...]}]
protocol-comparison.json   [{"count_id": 0, "example_id", "source", "reference",
                             "system_outputs": {"bart": "..."}, "annotations": {"bart": {"acu": 0.75, ...}}}]

`count_id` is the `id` of the other file. If the folder is given, both are read together.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from karat.formats.datasets.parts import Distinct, open_part
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Nug, Query, Response, Run, Score, Snippet
from karat.model.default_names import REFERENCE

TITLE = "RoSE content units and human scores (folder or JSON)"


def sniff_rose(head: Head) -> bool:
    if head.is_directory:
        return any(path.name.startswith("acu-") for path in _files(head.source.path))
    return head.has("id", "reference", "acu") or head.has("count_id", "annotations", "system_outputs")


def read_rose(source: Source) -> Iterator[AnyRecord]:
    """Query and human reference Response; one Nug per content unit, one Response per system, one Score per system and
    protocol.

    A row that appears twice with the same content (there is one) is given out once, with a warning.
    """
    reader = _RoseReader(source)
    if not source.is_directory:
        yield from reader.read(source)
        return
    paths = _files(source.path)
    if not paths:
        source.fail("the folder has no acu-*.json or protocol-comparison*.json", code="missing-file", line=0)
    for path in paths:
        yield from reader.read(open_part(source, path))


def _files(folder: Path) -> list[Path]:
    # The protocols come first: they have more about a query than its id.
    return [*sorted(folder.glob("protocol-comparison*.json")), *sorted(folder.glob("acu-*.json"))]


class _RoseReader:
    def __init__(self, source: Source) -> None:
        self._once = Once(source)
        self._distinct = Distinct()
        self._references: dict[str, str] = {}
        self._units: dict[str, list[str]] = {}

    def read(self, source: Source) -> Iterator[AnyRecord]:
        for row in json_rows(source):
            with row.unit():
                query_id = source.query_id = row.id("id", "count_id")
                reference = row.text("reference")
                read = self._read_units if row.has("acu") else self._read_protocols
                yield from read(row, query_id, reference)

    def _read_reference(self, row: Fields, query_id: str, text: str) -> Iterator[AnyRecord]:
        if query_id not in self._references:
            self._references[query_id] = text
            yield Query(query_id=query_id, text="", extra=row.rest())
            yield from self._once(Run(run_id=REFERENCE, human=True))
            yield _response(query_id, REFERENCE, text)
        elif self._references[query_id] != text:
            message = f"the reference of {query_id!r} differs from its first occurrence, which is kept"
            row.source.warn(f"{row.path}.reference", message, code="conflicting-definition")

    def _read_units(self, row: Fields, query_id: str, reference: str) -> Iterator[AnyRecord]:
        units = row.strings("acu")
        if query_id in self._units:
            if (units, reference) == (self._units[query_id], self._references[query_id]):
                row.source.warn(row.path, f"id {query_id!r} appears twice, with the same content", code="duplicate-id")
            else:
                row.complain("id", f"{query_id!r} appears twice, with different content", code="duplicate-id")
            return
        self._units[query_id] = units
        yield from self._read_reference(row, query_id, reference)
        ids = ContentIds()
        for unit in units:
            yield Nug(query_id=query_id, nug_id=ids.next(unit), descriptions=(unit,))

    def _read_protocols(self, row: Fields, query_id: str, reference: str) -> Iterator[AnyRecord]:
        texts, annotations = row.child("system_outputs"), row.child("annotations")
        yield from self._read_reference(row, query_id, reference)
        for run_id in texts.data:
            with texts.unit():
                response = _response(query_id, run_id, texts.text(run_id))
                yield from self._once(Run(run_id=run_id))
                yield from self._distinct(row.source, texts.path, response)
        for run_id in annotations.data:
            if run_id not in texts.data:
                annotations.complain(run_id, "has scores but no output", code="dangling-reference")
            with annotations.unit():
                scores = annotations.child(run_id)
                for measure in scores.data:
                    with scores.unit():
                        score = Score(run_id=run_id, query_id=query_id, measure=measure, value=scores.number(measure))
                        yield from self._distinct(row.source, scores.path, score)


def _response(query_id: str, run_id: str, text: str) -> Response:
    snippets = (Snippet(snippet_id="1", text=text),) if text.strip() else ()
    return Response(query_id=query_id, run_id=run_id, snippets=snippets)
