"""The snippets to nuggetize: snippets of responses, or lines of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import Collection, Response, Snippet, SpanSet, UsageError

PLAIN = "text"
"""The query id and run id of plain text, which has no query and no run."""


class InputSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """A snippet to nuggetize, whole or only the part that people called relevant."""

    snippet_id: str
    text: str
    query_id: str = PLAIN
    run_id: str = PLAIN
    portion: SpanSet | None = None
    """The part to nuggetize; None: all of it."""
    template: str | None = None
    asked: str | None = None
    extra: dict[str, Any] = {}
    """Other fields of its row or snippet; they are written to the output again."""


def snippets_of_lines(source: Source, *, prefix: str = "") -> Iterator[InputSnippet]:
    """One snippet per line of plain text, with the line's number as id; empty lines are left out.

    A file may hold objects instead, one per line or as a list: {"text": ..., "snippet_id"?, "query_id"?, "run_id"?,
    "template"?}. Rows with a mistake are reported to the source and left out.
    """
    if _is_json(source):
        yield from _snippets_of_rows(source, prefix)
        return
    for line in source.text_lines():
        text = line.rstrip("\r\n")
        if text.strip():
            yield InputSnippet(snippet_id=f"{prefix}{source.line}", text=text)


def _is_json(source: Source) -> bool:
    """Whether a file holds objects, to judge by its first characters or by its name."""
    head = Head(source).text.lstrip()
    return head.startswith(('{"', "[{")) or (source.name.endswith((".json", ".jsonl")) and bool(head))


def _snippets_of_rows(source: Source, prefix: str) -> Iterator[InputSnippet]:
    seen: set[tuple[str, str, str]] = set()
    for number, row in enumerate(json_rows(source), 1):
        with row.unit():
            snippet = InputSnippet(
                snippet_id=prefix + (row.optional_id("snippet_id", "id") or str(number)),
                text=row.text("text"),
                query_id=row.optional_id("query_id") or PLAIN,
                run_id=row.optional_id("run_id") or PLAIN,
                template=row.optional_text("template"),
                extra=row.rest("nuggets"),
            )
            ref = (snippet.query_id, snippet.run_id, snippet.snippet_id)
            if ref in seen:
                row.bad("snippet_id", f"{snippet.snippet_id!r} appears twice", code="duplicate-id")
            seen.add(ref)
            yield snippet


def snippets_of_responses(collection: Collection, *, relevant_only: bool = False) -> Iterator[InputSnippet]:
    """The snippets of all responses.

    Of a snippet that people called relevant, only the text that they selected is nuggetized, with the whole snippet as
    context. Irrelevant and redundant snippets are nuggetized whole, because their nuggets count as wrong (Babko-Malaya
    et al. 2012, section 3.3).
    relevant_only: leave out all snippets that are not labelled relevant.
    """
    labels: dict[tuple[str, str, str], tuple[str, SpanSet | None]] = {}
    for relevance in collection.relevances:
        ref = (relevance.query_id, relevance.run_id, relevance.snippet_id)
        labels.setdefault(ref, (relevance.label, relevance.text_spans))
    if relevant_only and not labels:
        raise UsageError("--relevant-only: the files have no relevance labels; add them, or leave the option out")
    queries = {query.query_id: query for query in collection.queries}
    for response in collection.responses:
        query = queries.get(response.query_id)
        for snippet in response.snippets:
            label, spans = labels.get((response.query_id, response.run_id, snippet.snippet_id), ("", None))
            if relevant_only and label != "relevant":
                continue
            yield InputSnippet(
                snippet_id=snippet.snippet_id,
                text=snippet.text,
                query_id=response.query_id,
                run_id=response.run_id,
                portion=spans if label == "relevant" else None,
                template=query.template if query is not None else None,
                asked=query.slots.get("asked") if query is not None else None,
                extra=snippet.extra,
            )


def responses_of(snippets: Iterable[InputSnippet]) -> list[Response]:
    """The snippets as responses, one response per query and run."""
    by_response: dict[tuple[str, str], list[Snippet]] = {}
    for snippet in snippets:
        response = by_response.setdefault((snippet.query_id, snippet.run_id), [])
        response.append(Snippet(snippet_id=snippet.snippet_id, text=snippet.text))
    return [
        Response(query_id=query_id, run_id=run_id, snippets=tuple(texts))
        for (query_id, run_id), texts in by_response.items()
    ]
