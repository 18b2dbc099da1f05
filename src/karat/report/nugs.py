"""Nugs by run -> a table, or rows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.evaluate.score.nug_table import NugRow
from karat.report.tables import print_table

FEW_RUNS = 6
"""Up to so many runs have a column each."""
TEXT = 60


def print_nug_table(rows: Sequence[NugRow]) -> None:
    """What was found by how many; of few runs, by which."""
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
    print_table(columns, table, right=[*shown, "mean"])


def nug_jsonl(rows: Sequence[NugRow]) -> str:
    """An object a nug: query_id, nug_id, importance, description, and the degree by run."""
    return "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)


def nug_tsv(rows: Sequence[NugRow]) -> str:
    """A row a nug and run."""
    lines = ["query_id\tnug_id\timportance\trun_id\tdegree\tdescription"]
    for row in rows:
        for run_id, degree in row.degrees.items():
            cells = (row.query_id, row.nug_id, row.importance or "", run_id, "" if degree is None else f"{degree:g}")
            lines.append("\t".join(" ".join(cell.split()) for cell in (*cells, row.description)))
    return "\n".join(lines) + "\n"


def _degree(degree: float | None) -> str:
    return "?" if degree is None else f"{degree:.2g}"


def _mean(mean: float | None) -> str:
    return "?" if mean is None else f"{mean:.2f}"
