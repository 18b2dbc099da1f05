"""Input of the nuggetizer: one query with its candidate passages per line (also ragnarok's requests).

{"query": {"qid", "text"}, "candidates": [{"docid", "score", "judgment", "doc": {"segment", "title"}}]}
The query may be a string, and so may each candidate; {"judgments": [{"query", "passage", "judgment"}]} is the form of
umbrela. All may be inside the envelope of the castorini tools, which can also contain the results of these tools:
{"schema_version": "castorini.cli.v1", "artifacts": [{"name", "data"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.formats.nuggetizer.assignments import read_nuggetizer_assignments
from karat.formats.nuggetizer.bank import read_nuggetizer_bank
from karat.formats.registry import Reader
from karat.formats.trec_rag.answers import Responses
from karat.formats.trec_rag.rag24 import read_trec_rag24
from karat.model import AnyRecord, Citation, Query, Response, Run, Snippet, content_id

TITLE = "nuggetizer input: queries with candidate passages"
CANDIDATES = "candidates"
"""The run that has the candidates as snippets, and the field of the file that they are in."""
_ENVELOPE = "castorini.cli."
_JUDGMENTS = "judgments"
_RESULTS: dict[str, Reader] = {
    "create-result": read_nuggetizer_bank,
    "assign-result": read_nuggetizer_assignments,
    "generation-results": read_trec_rag24,
}
"""The reader of each artifact that is a result and not an input."""

Passages = dict[str, tuple[dict[str, Snippet], dict[str, Any]]]
"""Passages judged one by one, by query and id, with `extra`: the responses are complete at the end of the file."""


def sniff_nuggetizer_input(head: Head) -> bool:
    judged = head.first(_JUDGMENTS)
    return (
        _is_envelope(head.row)
        or (head.has("query") and isinstance(head.row.get(CANDIDATES), list))
        or ("query" in judged and "passage" in judged)
    )


def _is_envelope(row: dict[str, Any]) -> bool:
    return str(row.get("schema_version")).startswith(_ENVELOPE) and "artifacts" in row


def read_nuggetizer_input(source: Source) -> Iterator[AnyRecord]:
    """Per row a Query, and a Response of the run "candidates" with one Snippet per candidate, however it was judged."""
    once, responses = Once(source), Responses()
    passages: Passages = {}
    for row in json_rows(source):
        with row.unit():
            if _is_envelope(row.data):
                yield from _read_envelope(row, once, responses, passages)
            elif row.has(_JUDGMENTS):
                yield from _read_judgments(row.items(_JUDGMENTS), once, passages, row.rest())
            else:
                yield from _read_request(row, once, responses)
    if passages:
        yield from once(Run(run_id=CANDIDATES))
    for query_id, (snippets, extra) in passages.items():
        yield Response(query_id=query_id, run_id=CANDIDATES, snippets=tuple(snippets.values()), extra=extra)


def _read_request(row: Fields, once: Once, responses: Responses) -> Iterator[AnyRecord]:
    query = _query(row)
    row.source.query_id = query.query_id
    snippets: dict[str, Snippet] = {}
    for index, value in enumerate(row.members(CANDIDATES)):
        fields = value if isinstance(value, dict) else {}
        item = Fields(row.source, fields, join(join(row.path, CANDIDATES), index))
        with item.unit():
            if isinstance(value, str):
                snippet = Snippet(snippet_id=str(index + 1), text=value)
            elif isinstance(value, dict):
                snippet = _candidate(item, index)
            else:
                item.bad("", f"a candidate must be a string or an object, not {type_name(value)}", code="wrong-type")
            _add(snippets, snippet, item)
    yield from once(query)
    yield from once(Run(run_id=CANDIDATES))
    candidates = tuple(snippets.values())
    response = Response(query_id=query.query_id, run_id=CANDIDATES, snippets=candidates, extra=row.rest())
    yield from responses(response, row)


def _query(row: Fields) -> Query:
    """The query of a row; one without an id gets one from its text."""
    if isinstance(row.require("query"), str):
        text = row.text("query")
        return Query(query_id=row.optional_id("qid") or content_id(text), text=text)
    item = row.child("query")
    if item.has("qid"):
        return Query(query_id=item.id("qid"), text=item.optional_text("text") or "", extra=item.rest())
    text = item.text("text")
    return Query(query_id=content_id(text), text=text, extra=item.rest())


def _candidate(item: Fields, index: int) -> Snippet:
    """A passage, with its other fields (score, judgment, title, ...) in `extra`."""
    if isinstance(item.data.get("doc"), dict):
        doc = item.child("doc")
        text, extra = doc.text("segment", "contents", "text"), doc.rest("docid")
    else:
        text, extra = item.text("text", "segment", "contents", "passage", "doc"), {}
    doc_id = item.optional_id("docid", "doc_id")
    citations = (Citation(doc_id=doc_id),) if doc_id is not None else ()
    return Snippet(snippet_id=doc_id or str(index + 1), text=text, citations=citations, extra=extra | item.rest())


def _add(snippets: dict[str, Snippet], snippet: Snippet, item: Fields) -> None:
    if snippet.snippet_id in snippets:
        item.bad("docid", f"{snippet.snippet_id!r} appears twice among the candidates", code="duplicate-id")
    snippets[snippet.snippet_id] = snippet


def _read_judgments(items: list[Fields], once: Once, passages: Passages, extra: dict[str, Any]) -> Iterator[AnyRecord]:
    for item in items:
        with item.unit():
            query = _query(item)
            item.source.query_id = query.query_id
            snippets, _ = passages.setdefault(query.query_id, ({}, extra))
            _add(snippets, _candidate(item, len(snippets)), item)
            yield from once(query)


def _read_envelope(row: Fields, once: Once, responses: Responses, passages: Passages) -> Iterator[AnyRecord]:
    for artifact in row.items("artifacts"):
        with artifact.unit():
            name, data = artifact.optional_text("name") or "", artifact.require("data")
            items = [artifact.child("data")] if isinstance(data, dict) else artifact.items("data")
            if name in _RESULTS:
                yield from _read_result(items, _RESULTS[name])
            elif all("passage" in item.data for item in items):
                yield from _read_judgments(items, once, passages, {})
            elif all(CANDIDATES in item.data for item in items):
                for item in items:
                    with item.unit():
                        yield from _read_request(item, once, responses)
            else:
                choices = (*_RESULTS, _JUDGMENTS, "a list of queries with candidates")
                artifact.bad("name", repr(name), code="unknown-artifact", choices=choices)


def _read_result(items: list[Fields], read: Reader) -> Iterator[AnyRecord]:
    """The records of an artifact, read by the reader of such files; its problems are reported at their place here."""
    if not items:
        return
    source = items[0].source
    inner = Source(source.name, b"\n".join(msgspec.json.encode(item.data) for item in items))
    yield from read(inner)
    for problems, report in ((inner.problems, source.report), (inner.warnings, source.warn)):
        for problem in problems:
            item = items[max(problem.line, 1) - 1]
            source.query_id = problem.query_id
            path = join(item.path, problem.path) if problem.path else item.path
            report(path, problem.message, code=problem.code)
