"""CSV with a header: a plain table with named columns (named_columns lists the names that are understood).

qid,question,system,answer,nugget,label
7,why do bees dance,a,They tell the way.,it tells the way,support

The separator is a comma or, as in files of some spreadsheets, a semicolon; then numbers may have a decimal comma.
A cell that begins with =, +, - or @ and is no number is written with an apostrophe before it, so that a spreadsheet
does not compute it, and read without the apostrophe; `karat convert --raw-cells` writes it as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.formats.tables.columns import SCORE_COUNTS, SCORE_NUMBERS, gives_records, meanings
from karat.formats.tables.label_table import csv_rows, read_label_table
from karat.formats.tables.records import check_columns, read_named_rows_of, records_of_labels
from karat.formats.tables.writing import CARRIES, named_table
from karat.model import AnyRecord

__all__ = ["CARRIES", "TITLE", "read_csv", "sniff_csv", "write_csv"]
TITLE = "CSV table with named columns"
_NUMBERS = ("label", "importance", "weight", "vote", "value", *SCORE_NUMBERS, *SCORE_COUNTS)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")


def sniff_csv(head: Head) -> bool:
    return not head.shape and gives_records(meanings(_header(head)[0]))


def read_csv(source: Source) -> Iterator[AnyRecord]:
    """The records for which the table has the columns."""
    columns, delimiter = _header(Head(source))
    check_columns(source, columns)
    if delimiter == "," and (table := read_label_table(source, columns, csv_rows(source), meant=_meant)) is not None:
        yield from records_of_labels(source, table)
        return
    rows = _as_meant(table_rows(source, delimiter=delimiter))
    yield from read_named_rows_of(source, rows if delimiter == "," else _with_decimal_points(rows, columns))


def write_csv(records: Iterable[AnyRecord], sink: Sink) -> None:
    table = named_table(records, sink)
    text = io.StringIO(newline="")
    # With CRLF as the line end (RFC 4180), the writer also quotes a single carriage return.
    writer = csv.DictWriter(text, table.columns, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow(row if sink.raw_cells else {name: harmless(cell) for name, cell in row.items()})
    sink.write(text.getvalue())


_FORMULA = re.compile("'*[=+\\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def harmless(cell: str) -> str:
    """A cell that a spreadsheet takes for text: what looks like a formula begins with an apostrophe; numbers stay.

    >>> harmless("=1+1"), harmless("-0.5"), harmless("- no"), harmless("it's")
    ("'=1+1", '-0.5', "'- no", "it's")
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _as_meant(rows: Iterable[Fields]) -> Iterator[Fields]:
    """The rows without the apostrophes of `harmless`."""
    for row in rows:
        for name, cell in row.data.items():
            if cell[:1] == "'":
                row.data[name] = _meant(cell)
        yield row


def _meant(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell


def _header(head: Head) -> tuple[list[str], str]:
    line = head.lines[0] if head.lines else ""
    delimiter = ";" if line.count(";") > line.count(",") else ","
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])], delimiter


def _with_decimal_points(rows: Iterable[Fields], columns: list[str]) -> Iterator[Fields]:
    column_of = meanings(columns)
    numbers = [column_of[meaning] for meaning in _NUMBERS if meaning in column_of]
    for row in rows:
        for name in numbers:
            if _DECIMAL_COMMA.fullmatch(row.data[name]):
                row.data[name] = row.data[name].replace(",", ".")
        yield row
