"""What the tables of TREC Temporal Summarization (nuggets, updates, matches) share.

They are tab-separated with a header, which in one release has both tabs and blanks. The query is `TS14.11` in these
tables and in the scores, but `11` in the topics and in the runs. Readers keep what is in the file; `karat score`
joins the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from karat.formats.io.fields import Fields
from karat.formats.io.sink import Sink
from karat.formats.io.source import BadUnit, Source
from karat.formats.trec_qa.columns import number_text


def tempsumm_rows(source: Source, *, required: Sequence[str]) -> Iterator[Fields]:
    """The rows by column name. Names of columns have no blanks, so the header may be separated by blanks."""
    names: list[str] | None = None
    for line in source.text_lines():
        if not line.strip():
            continue
        if names is None:
            names = line.split()
            if missing := [name for name in required if name not in names]:
                source.fail(f"the first line must have the column {missing[0]}", code="bad-table", line=source.line)
            if len(set(names)) < len(names):
                source.fail("a column appears twice in the header", code="bad-table", line=source.line)
            continue
        values = line.split("\t")
        if len(values) != len(names):
            source.report("", f"the row has {len(values)} values for {len(names)} columns", code="bad-table")
            continue
        row = Fields(source, dict(zip(names, values, strict=True)))
        source.query_id = values[names.index("query_id")].strip() or None
        yield row


def kept_number(row: Fields, name: str) -> float | int | None:
    """A number that is not required: a value that is not a number is reported and left out."""
    with suppress(BadUnit):
        value = row.optional_number(name)
        return int(value) if value is not None and value.is_integer() else value
    return None


def kept_extra(row: Fields, numbers: Sequence[str] = ()) -> dict[str, Any]:
    """The columns that no accessor asked for, as text, and those of `numbers` as numbers; empty cells are left out."""
    extra: dict[str, Any] = {name: value for name in numbers if (value := kept_number(row, name)) is not None}
    return extra | {name: value for name, value in row.rest().items() if value}


def extra_cells(
    extra: Mapping[str, Any], columns: Sequence[str], numbers: Sequence[str], sink: Sink, what: str
) -> dict[str, str]:
    """The cells for `extra`; values that no column can hold are losses."""
    cells = {}
    for name, value in extra.items():
        if name in numbers and isinstance(value, int | float) and not isinstance(value, bool):
            cells[name] = number_text(value)
        elif name not in columns and isinstance(value, str) and value and name.split() == [name]:
            cells[name] = value
        else:
            sink.lose(what, "only text under a name without blanks can be written as a column")
    return cells


def write_tempsumm_table(rows: Iterable[dict[str, str]], sink: Sink, *, columns: Sequence[str], what: str) -> None:
    """The table with its header: the format's own columns, then the other columns of the rows."""
    rows = list(rows)
    names = list(dict.fromkeys((*columns, *(name for row in rows for name in row))))
    sink.write("\t".join(names) + "\n")
    for row in rows:
        cells = [row.get(name, "") for name in names]
        flat = [re.sub(r"[\t\r\n]", " ", cell) for cell in cells]
        if flat != cells:
            sink.lose(what, "tabs and line breaks become blanks")
        sink.write("\t".join(flat) + "\n")
