"""Participants' sheets: a table per run with its own scores beside the best, median and worst of all runs per query.

Where adjudicated, adjudicated annotation counts, else the mean over assessors (as in `karat score`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from statistics import median

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.results.export import export_collection
from karat.campaign.store import tables
from karat.evaluate.score.score import score_collection
from karat.model import UsageError

Cell = str | float | None
HEADER = ("query", "measure", "score", "best", "median", "worst", "runs")
DANGEROUS = re.compile(r"(?:^|[;,\t\r\n])[\s\"']*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]|^[\t\r\n]")
"""A spreadsheet takes a cell that begins so for a formula, or may: with full-width signs, and after a separator, where
it takes this for the end of a cell."""

SEPARATED = re.compile(r"([;,\t\r\n][\s\"']*)([=+\-@\uff1d\uff0b\uff0d\uff20\u2212])")


class Sheets(msgspec.Struct, frozen=True, kw_only=True):
    """All scores of the campaign; `notes`: what was left out or undefined, in words."""

    values: dict[tuple[str, str], dict[str, float | None]]
    """(query or "all", measure) -> run -> value"""
    notes: tuple[str, ...]

    def of(self, run_id: str) -> list[tuple[Cell, ...]]:
        """The sheet of a run: the header, then one row per query and measure; None: not defined for the run."""
        rows: list[tuple[Cell, ...]] = [HEADER]
        for (query_id, measure), by_run in self.values.items():
            known = [value for value in by_run.values() if value is not None]
            of_all: tuple[Cell, ...] = (max(known), median(known), min(known)) if known else (None, None, None)
            rows.append((query_id, measure, by_run.get(run_id), *of_all, float(len(known))))
        return rows


def all_sheets(connection: Connection, *, measures: Sequence[str] | None = None) -> Sheets:
    """Score all runs. Measures: those that suit the records where none is named."""
    scoring = score_collection(export_collection(connection), measures=measures, missing="skip")
    values: dict[tuple[str, str], dict[str, float | None]] = {}
    for score in (*scoring.by_query(), *scoring.of_all()):
        values.setdefault((score.query_id, score.measure), {})[score.run_id] = score.value
    return Sheets(values=values, notes=scoring.notes)


def sheet(connection: Connection, run_id: str, *, measures: Sequence[str] | None = None) -> list[tuple[Cell, ...]]:
    """The sheet of one run, header first. UsageError where there is no such run, or nothing to score yet."""
    known = runs(connection)
    if run_id not in known:
        raise UsageError(f"there is no run {run_id!r}; choose from {', '.join(known)}")
    return all_sheets(connection, measures=measures).of(run_id)


def runs(connection: Connection) -> list[str]:
    """The ids of all runs that answered something."""
    columns = tables.response.c
    return list(connection.execute(select(columns.run_id).distinct().order_by(columns.run_id)).scalars())


def to_csv(rows: Sequence[Sequence[Cell]]) -> str:
    """The rows as CSV for spreadsheets: a text that one might take for a formula begins with an apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def _harmless(cell: Cell) -> str:
    """
    >>> _harmless("=1+1"), _harmless(0.25), _harmless(-1.0), _harmless(None), _harmless("q1")
    ("'=1+1", '0.25', '-1', '', 'q1')
    >>> _harmless("a;=1+1"), _harmless("\uff1d1"), _harmless("a - b; c")
    ("'a;'=1+1", "'\uff1d1", 'a - b; c')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.6g}"
    return "'" + SEPARATED.sub(r"\1'\2", cell) if DANGEROUS.search(cell) else cell
