"""Tables of judgements in which nothing is wrong, read several times as fast as row by row, with light records.

Large tables are tables of labels. As long as each row is what it should be (an id in each cell that needs one, a known
label, no judgement twice, nothing said in two ways), nothing has to be reported, and every cell that was seen before
needs no second look: equal ids are one text in memory. At the first thing that is unusual the table is left to
`records.py`, which reads it row by row, and has the messages.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn

from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.fields import Fields
from karat.formats.io.source import BadUnit, Source
from karat.formats.tables.columns import meanings
from karat.formats.tables.row import Degree, NamedRow
from karat.model import AnyRecord, InputError, Judgement, Nug, Query, Run
from karat.model.default_names import GIVEN

Row = tuple[int, list[str]]
"""The line of a row, and its cells."""
_NEEDED = frozenset({"query_id", "label"})
_OF_NUG = ("nug_id", "nug", "importance", "weight")
_KNOWN = _NEEDED | {"run_id", "snippet_id", "judge", "assessor", "query", *_OF_NUG}


@dataclass
class LabelTable:
    """The records of the table: definitions in the order of the rows, then the judgements, each with its line."""

    definitions: list[tuple[AnyRecord, int]] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("Q"))
    """Of the judgements."""


def csv_rows(source: Source) -> Iterator[Row]:
    """The rows of a file with commas, with the lines they begin on; only a piece of the file is in memory."""
    pieces = (io.StringIO(block.decode("utf-8"), newline="") for block in source.raw_blocks())
    reader = csv.reader(chain.from_iterable(pieces), strict=True)
    line = 1
    for values in reader:
        yield line, values
        line = reader.line_num + 1


def tsv_rows(source: Source) -> Iterator[Row]:
    """The same of a file with tabs, where each line is a row."""
    line = 0
    for block in source.raw_blocks():
        for text in block.decode("utf-8").removesuffix("\n").split("\n"):
            line += 1
            yield line, text.removesuffix("\r").split("\t")


def read_label_table(
    source: Source, columns: Sequence[str], rows: Iterator[Row], *, meant: Callable[[str], str] = str
) -> LabelTable | None:
    """The records of the table; None where it is another kind of table, or where anything in it is unusual.

    meant: what a cell means, where it is written in another way. Nothing is reported: who gets None reads it again.
    """
    column_of = meanings(columns)
    if set(columns) != set(column_of.values()) or not _NEEDED <= column_of.keys() <= _KNOWN:
        # A column that means nothing is kept with each row.
        return None
    if "nug" not in column_of and ("nug_id" not in column_of or column_of.keys() & {"importance", "weight"}):
        return None
    before = len(source.problems)
    try:
        return _Reader(source, list(columns), column_of, meant).read(rows)
    except (_Unusual, BadUnit, InputError, UnicodeDecodeError, csv.Error):
        del source.problems[before:]
        return None


class _Unusual(Exception):
    """A row that has to be read with care."""


class _Cells(dict[str, Any]):
    """What each cell means; a cell that was not seen before is looked at, one that is unusual ends the reading."""

    def __init__(self, look: Callable[[str], Any]) -> None:
        self._look = look

    def __missing__(self, cell: str) -> Any:
        value = self[cell] = self._look(cell)
        return value


class _Reader:
    def __init__(
        self, source: Source, columns: list[str], column_of: dict[str, str], meant: Callable[[str], str]
    ) -> None:
        self._columns, self._column_of, self._meant = columns, column_of, meant
        self._run_of_file = run_of_file(source) if "run_id" not in column_of else ""
        self._aside = Source("<table>", b"")
        """Takes what is wrong with a cell: then the cell is unusual."""
        self._queries: dict[str, str] = {}
        self._nugs: dict[tuple[str, str], Nug] = {}

    def read(self, rows: Iterator[Row]) -> LabelTable:
        table = LabelTable()
        define, judge, note_line = table.definitions.append, table.judgements.append, table.lines.append
        at = {meaning: self._columns.index(name) for meaning, name in self._column_of.items()}
        width, query_at, label_at, nug_at = len(self._columns), at["query_id"], at["label"], at.get("nug_id", -1)
        run_at, snippet_at, judge_at, assessor_at = (
            at.get(name, -1) for name in ("run_id", "snippet_id", "judge", "assessor")
        )
        ids, labels = _Cells(self._id), _Cells(self._label)
        snippets, judges, assessors = (_Cells(self._optional(default)) for default in (None, GIVEN, None))
        named_nug = itemgetter(query_at, *(at[name] for name in _OF_NUG if name in at)) if "nug" in at else None
        asked = itemgetter(query_at, at["query"]) if "query" in at else None
        nug_ids: dict[tuple[str, ...], str] = {}
        seen_queries: set[tuple[str, ...]] = set()
        runs: set[str] = set()
        hashes: set[int] = set()
        header = False
        for line, values in rows:
            if len(values) != width or not header:
                header = self._is_header(values, known=header)
                continue
            query_id = ids[values[query_at]]
            if asked is not None and (question := asked(values)) not in seen_queries:
                seen_queries.add(question)
                if (query := self._query(query_id, values[at["query"]])) is not None:
                    define((query, line))
            run_id = self._run_of_file if run_at < 0 else ids[values[run_at]]
            if run_id not in runs:
                runs.add(run_id)
                define((Run(run_id=run_id), line))
            if named_nug is None:
                nug_id = ids[values[nug_at]]
            else:
                said = named_nug(values)
                nug_id = nug_ids.get(said)
                if nug_id is None:
                    nug, is_new = self._nug(query_id, values)
                    nug_id = nug_ids[said] = nug.nug_id
                    if is_new:
                        define((nug, line))
            degree, status = labels[values[label_at]]
            snippet_id = None if snippet_at < 0 else snippets[values[snippet_at]]
            judge_name = GIVEN if judge_at < 0 else judges[values[judge_at]]
            assessor = None if assessor_at < 0 else assessors[values[assessor_at]]
            hashes.add(hash((query_id, run_id, snippet_id, nug_id, judge_name, assessor)))
            judge(
                Judgement(
                    query_id=query_id, run_id=run_id, snippet_id=snippet_id, nug_id=nug_id, degree=degree,
                    judge=judge_name, assessor=assessor, status=status,
                )
            )  # fmt: skip
            note_line(line)
        if len(hashes) < len(table.judgements) or not header:
            # A judgement twice, as far as hashes can tell.
            _unusual()
        return table

    def _is_header(self, values: list[str], *, known: bool) -> bool:
        """Whether the header has been read, after a row that is no row of judgements: the header, or a blank line."""
        if not any(value.strip() for value in values):
            return known
        if known or [value.strip() for value in values] != self._columns:
            _unusual()
        return True

    def _id(self, cell: str) -> str:
        return self._meant(cell).strip() or _unusual()

    def _optional(self, default: str | None) -> Callable[[str], str | None]:
        return lambda cell: self._meant(cell).strip() or default

    def _label(self, cell: str) -> Degree:
        name = self._column_of["label"]
        degree = NamedRow(Fields(self._aside, {name: self._meant(cell)}), {"label": name}).degree()
        self._check_nothing_wrong()
        return degree

    def _query(self, query_id: str, cell: str) -> Query | None:
        """The query, if it is new."""
        text = self._meant(cell)
        if not text.strip() or self._queries.get(query_id, text) != text:
            _unusual()
        if query_id in self._queries:
            return None
        self._queries[query_id] = text
        return Query(query_id=query_id, text=text)

    def _nug(self, query_id: str, values: list[str]) -> tuple[Nug, bool]:
        """The nug of a row, and whether it is new."""
        row = dict(zip(self._columns, map(self._meant, values), strict=True))
        nug = NamedRow(Fields(self._aside, row), self._column_of).nug(query_id)
        self._check_nothing_wrong()
        if nug is None:
            _unusual()
        first = self._nugs.setdefault((query_id, nug.nug_id), nug)
        if first != nug:
            _unusual()
        return first, first is nug

    def _check_nothing_wrong(self) -> None:
        if self._aside.problems or self._aside.warnings:
            _unusual()


def _unusual() -> NoReturn:
    raise _Unusual
