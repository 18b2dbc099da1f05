"""The snippets to nuggetize: snippets of responses, or lines of a text.

Files are read twice and more: first all of them for what is wrong, for the number of snippets, and for what is said
about snippets elsewhere; then snippet by snippet, while they are nuggetized. So no text is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from karat.formats import open_inputs, sniff
from karat.formats.inputs.reading import Input, OnError, run_and_file, source_of_dicts
from karat.formats.inputs.repeats import Hashes
from karat.formats.inputs.streamed_inputs import StreamedInputs
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import (
    AnyRecord,
    InputError,
    Problem,
    Query,
    Relevance,
    Response,
    SpanSet,
    Unfinished,
    UnfitInput,
    UsageError,
)

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


class Snippets:
    """Snippets that are read anew whenever somebody goes through them, one at a time. Their number is known."""

    def __init__(
        self, read: Callable[[], Iterable[InputSnippet]], count: int | None = None, *, together: bool = False
    ) -> None:
        """count: how many there are; where it is not given, they are gone through once for it."""
        self._read = read
        self._count = sum(1 for _ in read()) if count is None else count
        self.together = together
        """Whether the snippets of a response follow each other, without others between them."""

    def __iter__(self) -> Iterator[InputSnippet]:
        count = 0
        for count, snippet in enumerate(self._read(), 1):  # noqa: B007 - its last value is used
            yield snippet
        if count != self._count:
            raise Unfinished(
                f"there were {self._count:,} snippets when the files were checked, and now {count:,}: a file was "
                "changed; give the command again"
            )

    def __len__(self) -> int:
        return self._count

    def only(self, kept: Callable[[Iterable[InputSnippet]], Iterable[InputSnippet]]) -> Snippets:
        """Those that a function of all of them gives out, in their order."""
        return Snippets(lambda: kept(self), together=self.together)


class InputSnippets(msgspec.Struct, frozen=True, kw_only=True):
    """The snippets of all inputs."""

    snippets: Snippets
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
    reading = StreamedInputs(open_inputs(*items, format=format).readings, on_error=on_error)
    said = _Said()
    responses = snippets = 0
    for record in reading:
        if isinstance(record, Response):
            responses += 1
            snippets += len(record.snippets)
        else:
            said.take(record)
    if not responses:
        raise UnfitInput("the files have no responses; if they are plain text, add --from text")
    if relevant_only and not said.labels:
        raise UnfitInput("--relevant-only: the files have no relevance labels; add them, or leave the option out")
    return InputSnippets(
        snippets=Snippets(
            lambda: _snippets_of_responses(reading.again(), said, relevant_only),
            None if relevant_only else snippets,
            together=True,
        ),
        is_plain=False,
        problems=tuple(reading.problems),
        warnings=tuple(reading.warnings),
        unlisted=reading.unlisted,
    )


def _source(item: Input) -> Source:
    """An input to look at, and to read again. Of standard input, a copy is kept on the disk if it is large."""
    if isinstance(item, Source):
        return item
    if isinstance(item, bytes):
        return Source("<bytes>", item)
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
    texts: list[_Text] = []
    problems: list[Problem] = []
    count = unlisted = 0
    for number, (source, stem) in enumerate(zip(sources, stems, strict=True), 1):
        # The lines of each file are numbered from 1, so ids of several files need a prefix.
        prefix = "" if len(sources) == 1 else f"{stem}:" if stems.count(stem) == 1 else f"{number}:"
        texts.append(text := _Text(source, prefix, on_error))
        count += sum(1 for _ in text)
        problems += source.problems
        unlisted += source.unlisted
    return InputSnippets(
        snippets=Snippets(lambda: chain.from_iterable(texts), count),
        is_plain=True,
        problems=tuple(problems),
        unlisted=unlisted,
    )


class _Text:
    """One snippet per line of plain text, with the line's number as id; empty lines are left out.

    A file may hold objects instead, one per line or as a list: {"text": ..., "snippet_id"?, "query_id"?, "run_id"?,
    "template"?}. Rows with a mistake are reported to the source and left out; at the end, they stop the work.
    """

    def __init__(self, source: Source, prefix: str, on_error: OnError) -> None:
        self._source, self._prefix, self._on_error = source, prefix, on_error
        self._is_json = _is_json(source)
        self._repeated: frozenset[int] = frozenset()
        if self._is_json:
            # A file that cannot be read to its end is reported when it is read for its snippets.
            hashes = Hashes()
            with suppress(InputError):
                for snippet in _snippets_of_rows(source, prefix):
                    hashes.add(_reference(snippet))
            self._repeated = hashes.repeated()

    def __iter__(self) -> Iterator[InputSnippet]:
        self._source.forget()
        if self._is_json:
            yield from _snippets_of_rows(self._source, self._prefix, self._repeated)
        else:
            yield from self._lines()
        if self._source.problems and self._on_error == "stop":
            raise InputError(self._source.problems, unlisted=self._source.unlisted)

    def _lines(self) -> Iterator[InputSnippet]:
        for line in self._source.text_lines():
            text = line.rstrip("\r\n")
            if text.strip():
                yield InputSnippet(snippet_id=f"{self._prefix}{self._source.line}", text=text)


def _is_json(source: Source) -> bool:
    """Whether a file holds objects, to judge by its first characters or by its name."""
    head = Head(source).text.lstrip()
    return head.startswith(('{"', "[{")) or (source.name.endswith((".json", ".jsonl")) and bool(head))


def _reference(snippet: InputSnippet) -> tuple[str, str, str]:
    return snippet.query_id, snippet.run_id, snippet.snippet_id


def _snippets_of_rows(source: Source, prefix: str, repeated: frozenset[int] = frozenset()) -> Iterator[InputSnippet]:
    """repeated: the hashes of references that may be there twice; only these are compared."""
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
            reference = _reference(snippet)
            if hash(reference) in repeated:
                if reference in seen:
                    row.bad("snippet_id", f"{snippet.snippet_id!r} appears twice", code="duplicate-id")
                seen.add(reference)
            yield snippet


class _Said:
    """What other records say about snippets: the labels of people, and the templates of queries."""

    def __init__(self) -> None:
        self.labels: dict[tuple[str, str, str], tuple[str, SpanSet | None]] = {}
        self.templates: dict[str, tuple[str | None, str | None]] = {}
        """By query: its template, and which of the things that it can ask for is asked."""

    def take(self, record: AnyRecord) -> None:
        if isinstance(record, Relevance):
            reference = (record.query_id, record.run_id, record.snippet_id)
            self.labels.setdefault(reference, (record.label, record.text_spans))
        elif isinstance(record, Query) and (record.template is not None or "asked" in record.slots):
            self.templates[record.query_id] = (record.template, record.slots.get("asked"))


def _snippets_of_responses(records: Iterable[AnyRecord], said: _Said, relevant_only: bool) -> Iterator[InputSnippet]:
    """The snippets of all responses among the records.

    Of a snippet that people called relevant, only the text that they selected is nuggetized, with the whole snippet as
    context. Irrelevant and redundant snippets are nuggetized whole, because their nuggets count as wrong (Babko-Malaya
    et al. 2012, section 3.3).
    relevant_only: leave out all snippets that are not labelled relevant.
    """
    for response in records:
        if not isinstance(response, Response):
            continue
        template, asked = said.templates.get(response.query_id, (None, None))
        for snippet in response.snippets:
            reference = (response.query_id, response.run_id, snippet.snippet_id)
            label, spans = said.labels.get(reference, ("", None))
            if relevant_only and label != "relevant":
                continue
            yield InputSnippet(
                snippet_id=snippet.snippet_id,
                text=snippet.text,
                query_id=response.query_id,
                run_id=response.run_id,
                portion=spans if label == "relevant" else None,
                template=template,
                asked=asked,
                extra=snippet.extra,
            )
