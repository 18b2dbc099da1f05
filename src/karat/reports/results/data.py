"""A table for programs: a name, a header, and rows of typed values in full precision. It writes itself as CSV and TSV.

Everything that a program reads (JSON, CSV, TSV, a data frame, a sheet of a workbook) is made from these tables.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from karat.reports.results.tables import TextTable, visible

SIGNATURE = "signature"
Cell = Any
"""str, int, float, bool or None; also a list or dict of these, which CSV and TSV write as text."""


class DataTable(msgspec.Struct, frozen=True):
    """The rows of a part of a result.

    >>> table = DataTable.of("scores", [{"run_id": "a", "value": 0.5}, {"run_id": "=b", "value": None}])
    >>> print(table.csv())
    run_id,value
    a,0.5
    '=b,
    <BLANKLINE>
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def of(cls, name: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> DataTable:
        """One row per dict; what a dict lacks is None. columns: the first ones, and all if there are no rows."""
        rows = list(rows)
        names = list(dict.fromkeys((*columns, *(key for row in rows for key in row))))
        return cls(name, names, [[plain(row.get(key)) for key in names] for row in rows])

    def dicts(self) -> list[dict[str, Cell]]:
        """The rows by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def without(self, column: str) -> DataTable:
        kept = [at for at, name in enumerate(self.columns) if name != column]
        return DataTable(self.name, [self.columns[at] for at in kept], [[row[at] for at in kept] for row in self.rows])

    def csv(self) -> str:
        """Comma-separated values (RFC 4180) that a spreadsheet can open: a text that looks like a formula is harmless.

        Without the signature: it would be the same long text in every row.
        """
        from karat.formats.tables.csv import harmless

        table = self.without(SIGNATURE)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([harmless(visible(name)) for name in table.columns])
        for row in table.rows:
            cells = (visible(as_text(cell)) for cell in row)
            writer.writerow([harmless(cell) for cell in cells])
        return text.getvalue()

    def tsv(self) -> str:
        """Tab-separated values with a header; a tab or line break in a cell is written as \\t or \\n."""
        rows = [self.columns, *([as_text(cell) for cell in row] for row in self.rows)]
        return "".join("\t".join(map(visible, row)) + "\n" for row in rows)

    def text_table(self) -> TextTable:
        """The same rows for people, with three decimals."""
        table = self.without(SIGNATURE)
        numbers = [
            name
            for at, name in enumerate(table.columns)
            if all(row[at] is None or isinstance(row[at], int | float) for row in table.rows)
        ]
        return TextTable(table.columns, [[_short(cell) for cell in row] for row in table.rows], right=numbers)


def plain(value: Any) -> Cell:
    """Python's own value: for a number of numpy, for one that is not finite (None), for a struct (a dict)."""
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if hasattr(value, "item"):
        return plain(value.item())
    return plain(msgspec.to_builtins(value))


def as_text(cell: Cell) -> str:
    """A value as CSV and TSV write it: nothing for None, all digits of a number, lists with `; ` between."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list) and not any(isinstance(each, dict | list) for each in cell):
        return "; ".join(map(as_text, cell))
    if isinstance(cell, dict | list):
        return msgspec.json.encode(cell).decode()
    return str(cell)


def _short(cell: Cell) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    return f"{cell:.3f}" if isinstance(cell, float) else as_text(cell)
