"""Contingency tables and increments of nugs -> tables for people, TSV and JSONL."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.score.contingency import Contingency, ContingencyRow, Increment
from karat.measures.cases.cases import ALL_QUERIES
from karat.report.tables import TextTable

TEXT = 60
COUNTS = ("right", "wrong", "redundant", "estimated", "missing")
INCREMENTS = ("right", "wrong", "redundant", "missing", "other")


def chosen_rows(contingency: Contingency, by: str) -> Sequence[ContingencyRow | Increment]:
    """The increments (`nug`), the tables of each query (`query`), or those over all queries."""
    if by == "nug":
        return sorted(contingency.increments, key=lambda row: (row.query_id, row.nug_id, row.run_id))
    return [row for row in contingency.rows if (row.query_id == ALL_QUERIES) != (by == "query")]


def contingency_table(contingency: Contingency, by: str) -> TextTable:
    rows = chosen_rows(contingency, by)
    if by == "nug":
        names: tuple[str, ...] = ("query", "nug", "run", *INCREMENTS, "description")
        cells = [
            [row.query_id, row.nug_id, row.run_id, *_numbers(row, INCREMENTS), row.description[:TEXT]]
            for row in rows
            if isinstance(row, Increment)
        ]
        return TextTable(names, cells, right=INCREMENTS)
    ids = ("run", "query") if by == "query" else ("run",)
    cells = [[*([row.run_id, row.query_id][: len(ids)]), *_numbers(row, COUNTS)] for row in rows]
    return TextTable((*ids, *COUNTS), cells, right=COUNTS)


def contingency_tsv(contingency: Contingency, by: str) -> str:
    rows = chosen_rows(contingency, by)
    names = (Increment if by == "nug" else ContingencyRow).__struct_fields__
    lines = ["\t".join(names)]
    for row in rows:
        values = (getattr(row, name) for name in names)
        lines.append(
            "\t".join(f"{value:g}" if isinstance(value, float) else " ".join(value.split()) for value in values)
        )
    return "\n".join(lines) + "\n"


def contingency_jsonl(contingency: Contingency, by: str) -> str:
    return "".join(msgspec.json.encode(row).decode() + "\n" for row in chosen_rows(contingency, by))


def _numbers(row: ContingencyRow | Increment, names: Sequence[str]) -> list[str]:
    return [f"{getattr(row, name):.2f}" for name in names]
