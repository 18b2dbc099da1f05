"""TSV with a header: a plain table with named columns (named_columns lists the names that are understood)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import table_rows
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.formats.tables.columns import gives_records, meanings
from karat.formats.tables.label_table import read_label_table, tsv_rows
from karat.formats.tables.records import check_columns, read_named_rows_of, records_of_labels
from karat.formats.tables.writing import CARRIES, named_table
from karat.model import AnyRecord

__all__ = ["CARRIES", "TITLE", "read_tsv", "sniff_tsv", "write_tsv"]
TITLE = "TSV table with named columns"
_WHAT = {"query": "query.text", "answer": "response.snippets.text", "nug": "nug.descriptions"}


def sniff_tsv(head: Head) -> bool:
    return not head.shape and gives_records(meanings(head.columns("\t")))


def read_tsv(source: Source) -> Iterator[AnyRecord]:
    """The records for which the table has the columns."""
    columns = Head(source).columns("\t")
    check_columns(source, columns)
    if (table := read_label_table(source, columns, tsv_rows(source))) is not None:
        yield from records_of_labels(source, table)
        return
    yield from read_named_rows_of(source, table_rows(source, delimiter="\t"))


def write_tsv(records: Iterable[AnyRecord], sink: Sink) -> None:
    table = named_table(records, sink)
    sink.write("\t".join(_cell(name, name, sink) for name in table.columns) + "\n")
    for row in table.rows:
        sink.write("\t".join(_cell(row.get(name, ""), name, sink) for name in table.columns) + "\n")


def _cell(text: str, column: str, sink: Sink) -> str:
    flat = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ").replace("\t", " ")
    if flat != text:
        sink.lose(_WHAT.get(column, f"table.{column}"), "tabs and line breaks become blanks")
    return flat
