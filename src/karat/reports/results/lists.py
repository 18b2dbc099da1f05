"""Lists that commands print: measures, formats, collections, papers, densities, hashes of keys, a campaign's state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

Rows = Sequence[Mapping[str, Any]]


def list_result(
    tables: Mapping[str, Rows], *, notes: Sequence[str] = (), heads: Mapping[str, str] | None = None
) -> ShownResult:
    """Tables that people and programs read alike. heads: what a column is called for people."""
    data = [DataTable.of(name, rows) for name, rows in tables.items()]
    heads = heads or {}

    def parts(width: int | None) -> list[TextTable | str]:
        shown: list[TextTable | str] = []
        for table in data:
            text = table.text_table()
            named = {column: heads.get(column, column) for column in text.columns}
            right = [named[column] for column in text.right]
            shown.append(TextTable(list(named.values()), text.rows, right=right))
        return shown

    return ShownResult(parts=parts, tables=lambda: data, notes=notes)


def text_result(kind: str, name: str, text: str) -> ShownResult:
    """An explanation of one thing, as `karat measures NAME`, `karat judges NAME` and `karat formats NAME` print it."""
    return ShownResult(
        parts=lambda width: [], tables=lambda: [DataTable.of(kind, [{"name": name, "text": text}])], text_of=text
    )
