"""The weights of a pyramid -> a table for people, and rows for programs."""

from __future__ import annotations

from karat.evaluate.keys.pyramid import NugWeight, Pyramid
from karat.model import record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

WIDTH = 80
"""How many characters of a description are shown."""


def pyramid_table(pyramid: Pyramid) -> TextTable:
    """One row per nug: its votes for vital, how many voted on it, and its weight."""
    rows = [_cells(weight) for weight in pyramid.weights]
    columns = ["query", "nug", "votes", "of", "weight", "description"]
    return TextTable(columns, [[*row[:5], _cut(row[5])] for row in rows], right=columns[2:5])


def pyramid_result(pyramid: Pyramid) -> ShownResult:
    """What `karat pyramid` prints; JSONL has the records of the weighted key."""
    rows = [
        {
            "query_id": each.nug.query_id, "nug_id": each.nug.nug_id, "votes": each.votes, "of": each.raters,
            "weight": each.weight, "description": " ".join(" / ".join(each.nug.descriptions).split()),
        }
        for each in pyramid.weights
    ]  # fmt: skip
    return ShownResult(
        parts=lambda width: [pyramid_table(pyramid)],
        tables=lambda: [DataTable.of("weights", rows, ["query_id", "nug_id", "votes", "of", "weight", "description"])],
        lines=lambda: [record_to_dict(record) for record in pyramid.records()],
        notes=pyramid.notes,
    )


def _cells(weight: NugWeight) -> list[str]:
    nug = weight.nug
    text = " ".join(" / ".join(nug.descriptions).split())
    share = "" if weight.weight is None else f"{weight.weight:.3f}"
    return [nug.query_id, nug.nug_id, f"{weight.votes:g}", str(weight.raters), share, text]


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
