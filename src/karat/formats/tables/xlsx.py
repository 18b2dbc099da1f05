"""XLSX, a workbook of a spreadsheet: every sheet is a table with named columns, as in CSV (see named_columns).

The first row of a sheet that is not empty names its columns. Sheets without any cell are left out; a sheet whose
columns give no record is reported. A whole number stays whole (7, not 7.0), a date is read as 2024-05-01. Formulas are
not computed: a row with one is reported, as is a row with an error in a cell. Text is written as text, also where it
begins with =, +, - or @; only columns of scores and weights have numbers. Needs the xlsx extra (openpyxl).
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from karat.formats.io.head import Head
from karat.formats.io.rows import rows_by_column
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.formats.tables.columns import SCORE_COUNTS, SCORE_NUMBERS, UNDERSTOOD, gives_records, meanings
from karat.formats.tables.records import check_columns, read_named_rows_of
from karat.formats.tables.writing import CARRIES, named_table
from karat.model import AnyRecord, Nug, Query, Run, UsageError, encode_record
from karat.model.errors import require

__all__ = ["CARRIES", "TITLE", "read_xlsx", "sniff_xlsx", "write_xlsx"]
TITLE = "XLSX workbook, sheets with named columns"
EXTRA, PURPOSE = "xlsx", "Reading and writing XLSX"
MOST_BYTES = 64 << 20
"""How large the parts of a workbook may be together, unpacked (64 MiB)."""
MOST_PARTS, MOST_ROWS, MOST_COLUMNS = 1000, 1 << 20, 1000
MOST_LETTERS = 32_767
"""The longest text of a cell, a limit of the format."""
_NUMBERS = frozenset({"degree", "weight", "value", *SCORE_NUMBERS, *SCORE_COUNTS})
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile("[=+\\-@\t\r]")
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))


def sniff_xlsx(head: Head) -> bool:
    return head.text.startswith("PK\x03\x04") and ("xl/" in head.text or head.name.endswith(".xlsx"))


def read_xlsx(source: Source) -> Iterator[AnyRecord]:
    """The records for which the sheets have the columns."""
    openpyxl = require("openpyxl", extra=EXTRA, purpose=PURPOSE)
    content = source.read_bytes()
    _check_parts(source, content)
    try:
        with warnings.catch_warnings():
            # About styles and pictures, which are not read.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
    except Exception as error:  # noqa: BLE001 - a broken workbook can raise anything in a library of others
        _broken(source, error)
    try:
        tables = [(sheet, header) for sheet in book.worksheets if (header := _header(source, sheet)) is not None]
        if not tables:
            source.fail("no sheet has any cell", code="bad-table", line=0)
        defined: set[bytes] = set()
        understood = [(sheet, header) for sheet, header in tables if gives_records(meanings(header[1]))]
        for sheet, (row, columns) in tables:
            source.sheet, source.line = sheet.title, row
            if understood and not gives_records(meanings(columns)):
                names = ", ".join(filter(None, columns))
                what = f"the columns {names} give no record; a table needs {', or '.join(UNDERSTOOD)}. Delete the sheet"
                source.report("", f"{what}, or leave it out with --on-error skip", code="bad-table", line=row)
                continue
            check_columns(source, filter(None, columns))
            records = read_named_rows_of(source, rows_by_column(source, _lines(source, sheet, columns)))
            yield from _once(records, defined)
    finally:
        book.close()


def _once(records: Iterable[AnyRecord], defined: set[bytes]) -> Iterator[AnyRecord]:
    """The records without definitions that another sheet has as well; what was defined is added to `defined`."""
    for record in records:
        if isinstance(record, Query | Run | Nug):
            if (content := encode_record(record)) in defined:
                continue
            defined.add(content)
        yield record


def write_xlsx(records: Iterable[AnyRecord], sink: Sink) -> None:
    openpyxl = require("openpyxl", extra=EXTRA, purpose=PURPOSE)
    table = named_table(records, sink)
    if len(table.rows) >= MOST_ROWS:
        raise UsageError(f"{len(table.rows):,} rows do not fit into a sheet ({MOST_ROWS:,}); write csv or jsonl")
    longest = max((len(text) for row in table.rows for text in row.values()), default=0)
    if longest > MOST_LETTERS:
        raise UsageError(
            f"a text of {longest:,} letters does not fit into a cell ({MOST_LETTERS:,}); write csv or jsonl"
        )
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("records")
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name, "", sink) for name in table.columns])
    for row in table.rows:
        sheet.append([_cell(sheet, row.get(name, ""), name, sink) for name in table.columns])
    buffer = io.BytesIO()
    book.save(buffer)
    sink.write_bytes(_same_times(buffer.getvalue()))


def _check_parts(source: Source, content: bytes) -> None:
    """Refuse what is no workbook, what unpacks to more than a workbook should, and definitions of entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            entries = parts.infolist()
            size = sum(entry.file_size for entry in entries)
            if len(entries) > MOST_PARTS or size > MOST_BYTES:
                source.fail(
                    f"the workbook unpacks to {size >> 20:,} MiB in {len(entries):,} parts; at most {MOST_BYTES >> 20} "
                    f"MiB and {MOST_PARTS:,} are read. Save the sheet as CSV",
                    code="too-large",
                    line=0,
                )
            for entry in entries:
                # A part never gives more than its header says: zipfile stops there.
                if entry.filename.endswith((".xml", ".rels")) and any(
                    mark in parts.read(entry)[: 1 << 16] for mark in _DOCTYPES
                ):
                    source.fail(f"{entry.filename} defines entities, which no workbook needs", code="bad-table", line=0)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        _broken(source, error)


def _broken(source: Source, error: Exception) -> Any:
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    source.fail(
        f"cannot be read as XLSX ({why}); perhaps it has a password or is an older .xls: save it as XLSX without a "
        "password, or as CSV",
        code="bad-table",
        line=0,
    )


def _rows(source: Source, sheet: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The rows that are not empty, with their numbers."""
    # What the file says about its size may be wrong.
    sheet.reset_dimensions()
    rows = enumerate(islice(sheet.iter_rows(), MOST_ROWS), start=1)
    while True:
        try:
            found = next(rows, None)
        except Exception as error:  # noqa: BLE001 - a broken sheet can raise anything in a library of others
            source.sheet = sheet.title
            _broken(source, error)
        if found is None:
            return
        number, cells = found
        if len(cells) > MOST_COLUMNS:
            source.sheet = sheet.title
            source.fail(
                f"the row has {len(cells):,} columns; at most {MOST_COLUMNS:,} are read", code="too-large", line=number
            )
        if any(cell.value is not None for cell in cells):
            yield number, cells


def _header(source: Source, sheet: Any) -> tuple[int, list[str]] | None:
    """The number of the first row, and its cells as text, without empty ones at its end."""
    for number, cells in _rows(source, sheet):
        names = [_text(cell.value).strip() for cell in cells]
        while names and not names[-1]:
            names.pop()
        if names:
            return number, names
    return None


def _lines(source: Source, sheet: Any, columns: list[str]) -> Iterator[list[str]]:
    """The rows from the header on, each with as many values as there are columns."""
    for number, cells in _rows(source, sheet):
        source.line = number
        if _is_usable(source, cells, columns):
            values = [_text(cell.value) for cell in cells]
            yield [*values, *[""] * (len(columns) - len(values))]


def _is_usable(source: Source, cells: tuple[Any, ...], columns: list[str]) -> bool:
    """Whether a row has only values; reports what is none."""
    found = [(at, cell) for at, cell in enumerate(cells) if cell.data_type in ("f", "e")]
    for at, cell in found:
        what = (
            "the cell has a formula, which is not computed; put its value there"
            if cell.data_type == "f"
            else f"the cell has the error {cell.value}"
        )
        source.report(columns[at] if at < len(columns) else "", what, code="bad-value")
    return not found


def _text(value: object) -> str:
    """What a cell says.

    >>> [_text(value) for value in (7.0, 0.5, True, None, datetime.datetime(2024, 5, 1))]
    ['7', '0.5', 'true', '', '2024-05-01']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def _cell(sheet: Any, text: str, column: str, sink: Sink) -> Any:
    from openpyxl.cell import WriteOnlyCell

    clean = _CONTROL.sub("\ufffd", text)
    if clean != text:
        sink.lose(f"table.{column}", "control characters cannot be in a sheet")
    if column in _NUMBERS and _is_number(clean):
        return WriteOnlyCell(sheet, float(clean))
    cell = WriteOnlyCell(sheet, clean or None)
    if clean:
        # Never a formula, also after somebody edits the cell.
        cell.data_type = "s"
        if _FORMULA.match(clean):
            cell.quotePrefix = True
    return cell


def _is_number(text: str) -> bool:
    """Whether a text is a number that comes back as the same text."""
    try:
        value = float(text)
    except ValueError:
        return False
    return abs(value) < 1e15 and _text(value) == text


def _same_times(content: bytes) -> bytes:
    """The workbook without the time of writing: the same records give the same file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            part = old.read(entry)
            if entry.filename == "docProps/core.xml":
                part = _TIME.sub(b"2000-01-01T00:00:00Z", part)
            new.writestr(zipfile.ZipInfo(entry.filename), part, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
