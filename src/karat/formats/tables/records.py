"""Rows with named columns become records (see tables/columns.py for the meaning of the columns)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from karat.formats.inputs.nearest import SHOWN, nearest_format
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.source import Source
from karat.formats.tables.columns import (
    TEMPLATE,
    UNDERSTOOD,
    condition_of,
    gives_records,
    meanings,
    misspelt_columns,
    plain,
    useless_columns,
)
from karat.formats.tables.label_table import LabelTable
from karat.formats.tables.row import NamedRow, Use
from karat.model import AnyRecord, Judgement, Query, Response, Run, Snippet, kind_of
from karat.model.identity import identity, identity_text


@dataclass
class _AnswerRows:
    """The rows of one response, collected while the table is read."""

    line: int
    path: str
    """The place of the first row."""
    snippets: dict[str, Snippet] = field(default_factory=dict)
    ids_by_text: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def read_named_rows_of(source: Source, rows: Iterable[Fields]) -> Iterator[AnyRecord]:
    """Definitions as they first appear, then the responses, then the records that refer to them."""
    table = _TableReader(source)
    for row in rows:
        with row.unit():
            yield from table.definitions(row)
    for (query_id, run_id), answer in table.answers.items():
        source.line = answer.line
        source.enter(answer.path)
        snippets = tuple(answer.snippets.values())
        yield Response(query_id=query_id, run_id=run_id, snippets=snippets, extra=answer.extra)
    for line, path, use in table.uses.values():
        source.line = line
        source.enter(path)
        yield use


def records_of_labels(source: Source, table: LabelTable) -> Iterator[AnyRecord]:
    """The same of a table of labels in which nothing is wrong."""
    source.enter("")
    for definition, line in table.definitions:
        source.line = line
        yield definition
    for judgement, line in zip(table.judgements, table.lines, strict=True):
        source.line = line
        yield judgement


class _TableReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.once = Once(source)
        self.answers: dict[tuple[str, str], _AnswerRows] = {}
        self.uses: dict[tuple[Any, ...], tuple[int, str, Use]] = {}
        self._meanings: dict[tuple[str, ...], dict[str, str]] = {}

    def definitions(self, row: Fields) -> Iterator[AnyRecord]:
        """The new Query, Run and Nug of a row; its answer and the records that refer to them are remembered."""
        problems = len(self.source.problems) + self.source.unlisted
        named = NamedRow(row, self._meanings_of(row))
        query_id = self.source.query_id = named.query_id()
        query, run_id, nug = named.text("query"), named.run_id(), named.nug(query_id)
        nug_id = nug.nug_id if nug else named.id("nug_id")
        uses = [*named.uses(query_id, run_id, nug_id)]
        snippet_id = self._snippet(named, query_id, run_id, is_plain=nug_id is None and not uses)
        answers = run_id is not None and "answer" in named.columns
        is_query = not uses and nug is None and not answers
        if is_query and query is None:
            if len(self.source.problems) + self.source.unlisted > problems:
                return
            if not {"query", "query_id"} <= named.columns.keys():
                names = ", ".join(row.data)
                row.bad("", f"{names} give no record; a row needs {', or '.join(UNDERSTOOD)}", code="missing-field")
            query = ""
        extra = named.rest()
        if is_query:
            extra |= named.unused(run_id=run_id, nug_id=nug_id)
        elif uses:
            uses[0] = replace(uses[0], extra=extra)
        elif answers and run_id is not None:
            answer = self.answers[query_id, run_id]
            if snippet_id is None:
                answer.extra |= extra
            else:
                snippet = answer.snippets[snippet_id]
                answer.snippets[snippet_id] = replace(snippet, extra=snippet.extra | extra)
        elif nug is not None:
            nug = replace(nug, extra=extra)
        if query is not None:
            yield from self.once(_query(query_id, query, extra) if is_query else Query(query_id=query_id, text=query))
        if run_id is not None and (answers or any(isinstance(use, Judgement) for use in uses)):
            yield from self.once(Run(run_id=run_id))
        if nug is not None:
            yield from self.once(nug)
        for use in uses:
            self._remember(use, row)

    def _remember(self, use: Use, row: Fields) -> None:
        _, _, first = self.uses.setdefault((type(use), *identity(use)), (self.source.line, row.path, use))
        if first is not use and first != use:
            row.complain(
                "", f"a second {kind_of(use)} with {identity_text(use)}; only one is allowed", code="duplicate-id"
            )

    def _meanings_of(self, row: Fields) -> dict[str, str]:
        names = tuple(row.data)
        if names not in self._meanings:
            self._meanings[names] = meanings(names)
        return self._meanings[names]

    def _snippet(self, named: NamedRow, query_id: str, run_id: str | None, *, is_plain: bool) -> str | None:
        """Put the row's text into the response of its run; returns the id of the snippet."""
        if run_id is None or "answer" not in named.columns:
            return None
        answer = self.answers.setdefault((query_id, run_id), _AnswerRows(self.source.line, named.path))
        text, snippet_id, citations = named.text("answer"), named.id("snippet_id"), named.citations()
        if text is None and snippet_id is None:
            return None
        text, original = text or "", {}
        if is_plain and not {"snippet_id", "doc_id", "citations"} & named.columns.keys():
            marked = named.cited_text(text)
            text, citations, original = marked.text, marked.citations, marked.extra
        if snippet_id is None:
            is_plain = is_plain and (not citations or bool(original))
            snippet_id = None if is_plain else answer.ids_by_text.get(text)
            if snippet_id is None:
                snippet_id = str(len(answer.snippets) + 1)
        before = answer.snippets.get(snippet_id)
        if before is not None and text and before.text and before.text != text:
            self.source.warn(
                named.columns["answer"],
                f"snippet {snippet_id!r} of run {run_id!r} has a different text in an earlier row",
                code="conflicting-definition",
            )
        known = before.citations if before else ()
        answer.ids_by_text.setdefault(text, snippet_id)
        answer.snippets[snippet_id] = Snippet(
            snippet_id=snippet_id,
            text=before.text if before and before.text else text,
            citations=(*known, *(citation for citation in citations if citation not in known)),
            extra=before.extra if before else original,
        )
        return snippet_id


def _query(query_id: str, text: str, extra: dict[str, Any]) -> Query:
    """The query of a row of its own; of the other columns some are its conditions or its template."""
    conditions = {name: str(value) for column, value in extra.items() if (name := condition_of(column)) is not None}
    template = next((str(value) for column, value in extra.items() if plain(column) == TEMPLATE), None)
    rest = {c: value for c, value in extra.items() if condition_of(c) is None and plain(c) != TEMPLATE}
    return Query(query_id=query_id, text=text, conditions=conditions, template=template, extra=rest)


def _lacking(names: list[str]) -> str:
    """Which columns are missing for the nearest kind of table."""
    near = nearest_format(names, only="named-rows")
    if near is None:
        return ""
    lacks = ", ".join(f"{each} (is {near.meant[each]!r} meant?)" if each in near.meant else each for each in near.lacks)
    return f"with {', '.join(near.has)} there must also be {lacks}; " if near.has else f"{lacks} is missing; "


def _shown(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")


def check_columns(source: Source, columns: Iterable[str]) -> None:
    """Stop if the columns of the file give no record."""
    names = [*columns]
    if not names:
        source.fail("the table has no header", code="bad-table", line=1)
    if not gives_records(meanings(names)):
        source.fail(
            f"the columns {_shown(names)} give no record; {_lacking(names)}a table needs {', or '.join(UNDERSTOOD)}",
            code="bad-table",
            line=1,
        )
    for column, meant in misspelt_columns(names):
        source.warn(column, f"the column is not understood; did you mean {meant!r}?", code="unknown-column", line=1)
    for column in useless_columns(names):
        what = f"the column is not understood and changes nothing; condition.{column} would make it a condition"
        source.warn(column, what, code="unknown-column", line=1)
