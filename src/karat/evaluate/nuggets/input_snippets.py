"""The snippets to nuggetize: snippets of responses, or lines of a text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.formats import open_inputs, sniff
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.formats.reading import Input, OnError, run_and_file, source_of_dicts
from karat.model import Collection, InputError, Problem, Response, Snippet, SpanSet, UnfitInput, UsageError

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


class InputSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets of all inputs."""

    snippets: tuple[InputSnippet, ...]
    is_plain: bool
    """Whether the inputs are plain text, without queries and runs."""
    problems: tuple[Problem, ...] = ()
    """What is wrong and was left out."""
    warnings: tuple[Problem, ...] = ()
    unlisted: int = 0
    """How many problems there are besides."""


def read_snippets(
    inputs: Sequence[Input], *, format: str | None = None, relevant_only: bool = False, on_error: OnError = "stop"
) -> InputSnippets:
    """The snippets of responses in any format that Karat reads, or of plain text, one per line.

    format: the format of all files, or "text"; recognised where it is not given. relevant_only: only what people called
    relevant.
    """
    sources = [_source(item) for item in inputs]
    texts = [source for source in sources if format == "text" or (format is None and _is_text(source))]
    if texts and len(texts) < len(sources):
        raise UnfitInput(
            f"{texts[0].name} is plain text and other files are not: give only plain text, or only files of responses"
        )
    if texts:
        if relevant_only:
            raise UsageError("--relevant-only needs responses with relevance labels; plain text has none")
        return _plain_snippets(texts, on_error)
    # Files are read by the name they were given under, which may name their run, too.
    items = [
        item if isinstance(item, str) and item != "-" else source for item, source in zip(inputs, sources, strict=True)
    ]
    reading = open_inputs(*items, format=format, on_error=on_error)
    collection = Collection(reading)
    if not collection.responses:
        raise UnfitInput("the files have no responses; if they are plain text, add --from text")
    return InputSnippets(
        snippets=tuple(snippets_of_responses(collection, relevant_only=relevant_only)),
        is_plain=False,
        problems=tuple(reading.problems),
        warnings=tuple(reading.warnings),
        unlisted=reading.unlisted,
    )


def _source(item: Input) -> Source:
    """An input to look at. Standard input is read into memory, because its content is needed twice."""
    if isinstance(item, Source):
        return item
    if isinstance(item, bytes):
        return Source("<bytes>", item)
    if isinstance(item, str) and item == "-":
        return Source(item, sys.stdin.buffer.read())
    if isinstance(item, str | Path):
        return Source(run_and_file(str(item))[1])
    return source_of_dicts(item)


def _is_text(source: Source) -> bool:
    """Whether a file is plain text: its name ends in .txt, or no format recognises it."""
    if source.is_directory:
        return False
    if source.name.endswith(".txt"):
        return True
    try:
        sniff(source)
    except UsageError:
        return True
    return False


def _plain_snippets(sources: Sequence[Source], on_error: OnError) -> InputSnippets:
    stems = [Path(source.name).stem for source in sources]
    snippets: list[InputSnippet] = []
    problems: list[Problem] = []
    for number, (source, stem) in enumerate(zip(sources, stems, strict=True), 1):
        # The lines of each file are numbered from 1, so ids of several files need a prefix.
        prefix = "" if len(sources) == 1 else f"{stem}:" if stems.count(stem) == 1 else f"{number}:"
        snippets += snippets_of_lines(source, prefix=prefix)
        if source.problems and on_error == "stop":
            raise InputError(source.problems)
        problems += source.problems
    unlisted = sum(source.unlisted for source in sources)
    return InputSnippets(snippets=tuple(snippets), is_plain=True, problems=tuple(problems), unlisted=unlisted)


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
        raise UnfitInput("--relevant-only: the files have no relevance labels; add them, or leave the option out")
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
