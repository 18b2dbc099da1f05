"""What is to be nuggetized: snippets of responses, or lines of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import Collection, Response, Snippet, SpanSet, UsageError

PLAIN = "text"
"""Query and run of plain text, which has none."""


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet to be nuggetized, or the part of it that people called relevant."""

    snippet_id: str
    text: str
    query_id: str = PLAIN
    run_id: str = PLAIN
    portion: SpanSet | None = None
    template: str | None = None
    asked: str | None = None
    extra: dict[str, Any] = {}
    """Other fields of its row or snippet; they are written again."""


def passages_of_lines(source: Source, *, prefix: str = "") -> Iterator[Passage]:
    """A passage a line of plain text, by the line's number; empty lines have none.

    A file may hold objects instead, a line each or as a list: {"text": ..., "snippet_id"?, "query_id"?, "run_id"?,
    "template"?}. What is wrong is reported to the source and left out.
    """
    if _is_json(source):
        yield from _passages_of_rows(source, prefix)
        return
    for line in source.text_lines():
        text = line.rstrip("\r\n")
        if text.strip():
            yield Passage(snippet_id=f"{prefix}{source.line}", text=text)


def _is_json(source: Source) -> bool:
    """Whether a file holds objects: it says so by its first characters, or by its name."""
    head = Head(source).text.lstrip()
    return head.startswith(('{"', "[{")) or (source.name.endswith((".json", ".jsonl")) and bool(head))


def _passages_of_rows(source: Source, prefix: str) -> Iterator[Passage]:
    seen: set[tuple[str, str, str]] = set()
    for number, row in enumerate(json_rows(source), 1):
        with row.unit():
            passage = Passage(
                snippet_id=prefix + (row.optional_id("snippet_id", "id") or str(number)),
                text=row.text("text"),
                query_id=row.optional_id("query_id") or PLAIN,
                run_id=row.optional_id("run_id") or PLAIN,
                template=row.optional_text("template"),
                extra=row.rest("nuggets"),
            )
            place = (passage.query_id, passage.run_id, passage.snippet_id)
            if place in seen:
                row.bad("snippet_id", f"{passage.snippet_id!r} stands twice", code="duplicate-id")
            seen.add(place)
            yield passage


def passages_of(collection: Collection, *, relevant_only: bool = False) -> Iterator[Passage]:
    """A passage a snippet of every response.

    Of a snippet that people called relevant, the text they selected is taken, read with the whole as context;
    irrelevant and redundant ones are taken whole, because their nuggets count as wrong (Babko-Malaya et al. 2012,
    section 3.3).
    relevant_only: the relevant ones alone.
    """
    labels: dict[tuple[str, str, str], tuple[str, SpanSet | None]] = {}
    for relevance in collection.relevances:
        labels.setdefault(
            (relevance.query_id, relevance.run_id, relevance.snippet_id), (relevance.label, relevance.text_spans)
        )
    if relevant_only and not labels:
        raise UsageError("--relevant-only: the files hold no relevance labels of snippets")
    queries = {query.query_id: query for query in collection.queries}
    for response in collection.responses:
        query = queries.get(response.query_id)
        for snippet in response.snippets:
            label, spans = labels.get((response.query_id, response.run_id, snippet.snippet_id), ("", None))
            if relevant_only and label != "relevant":
                continue
            yield Passage(
                snippet_id=snippet.snippet_id,
                text=snippet.text,
                query_id=response.query_id,
                run_id=response.run_id,
                portion=spans if label == "relevant" else None,
                template=query.template if query is not None else None,
                asked=query.slots.get("asked") if query is not None else None,
                extra=snippet.extra,
            )


def responses_of(passages: Iterable[Passage]) -> list[Response]:
    """Passages as responses, a query and run together."""
    snippets: dict[tuple[str, str], list[Snippet]] = {}
    for passage in passages:
        response_snippets = snippets.setdefault((passage.query_id, passage.run_id), [])
        response_snippets.append(Snippet(snippet_id=passage.snippet_id, text=passage.text))
    return [
        Response(query_id=query, run_id=run, snippets=tuple(response_snippets))
        for (query, run), response_snippets in snippets.items()
    ]
