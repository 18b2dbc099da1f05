"""What runs have and miss, per nug; and what they have right, wrong, redundant and missing -> tables."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.score.contingency import Contingency, ContingencyRow, Increment
from karat.evaluate.score.nug_table import NugRow
from karat.measures.cases.cases import ALL_QUERIES
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

FEW_RUNS = 6
"""Up to this many runs have a column each."""
TEXT = 60
"""How many characters of a nug's description are shown."""


def nugs_table(rows: Sequence[NugRow]) -> TextTable:
    """One row per nug: its mean degree over the runs, and its degree in each run where there are few runs."""
    runs = list(dict.fromkeys(run_id for row in rows for run_id in row.degrees))
    shown = runs if len(runs) <= FEW_RUNS else []
    columns = ["query", "", *shown, *(["mean"] if len(runs) > 1 else []), "nug"]
    table = [
        [
            row.query_id,
            row.importance or "",
            *(_degree(row.degrees.get(run_id)) for run_id in shown),
            *([_mean(row.mean)] if len(runs) > 1 else []),
            row.description if len(row.description) <= TEXT else f"{row.description[: TEXT - 3]}...",
        ]
        for row in rows
    ]
    return TextTable(columns, table, right=[*shown, "mean"])


def nugs_data(rows: Sequence[NugRow]) -> DataTable:
    """One row per nug and run, and the mean degree of the nug."""
    return DataTable.of(
        "nugs",
        [
            {
                "query_id": row.query_id, "nug_id": row.nug_id, "importance": row.importance, "run_id": run_id,
                "degree": degree, "description": row.description, "mean": row.mean,
            }
            for row in rows
            for run_id, degree in row.degrees.items()
        ],
        ["query_id", "nug_id", "importance", "run_id", "degree", "description", "mean"],
    )  # fmt: skip


def nugs_result(rows: Sequence[NugRow]) -> ShownResult:
    """What `karat score --by nug` prints; JSONL has one object per nug, with the degree by run."""
    return ShownResult(
        parts=lambda width: [nugs_table(rows)],
        tables=lambda: [nugs_data(rows)],
        lines=lambda: [msgspec.structs.asdict(row) for row in rows],
    )


def _degree(degree: float | None) -> str:
    return "?" if degree is None else f"{degree:.2g}"


def _mean(mean: float | None) -> str:
    return "?" if mean is None else f"{mean:.2f}"


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


def contingency_result(contingency: Contingency, by: str) -> ShownResult:
    """What `karat score --contingency` prints."""
    rows = chosen_rows(contingency, by)
    names = (Increment if by == "nug" else ContingencyRow).__struct_fields__
    return ShownResult(
        parts=lambda width: [contingency_table(contingency, by)],
        tables=lambda: [DataTable.of("contingency", [msgspec.structs.asdict(row) for row in rows], names)],
        notes=contingency.notes,
    )


def _numbers(row: ContingencyRow | Increment, names: Sequence[str]) -> list[str]:
    return [f"{getattr(row, name):.2f}" for name in names]
