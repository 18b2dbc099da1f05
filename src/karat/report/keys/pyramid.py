"""The weights of a pyramid -> a table for people, or tab-separated values for programs."""

from __future__ import annotations

from karat.evaluate.keys.pyramid import NugWeight, Pyramid
from karat.report.tables import TextTable, visible

WIDTH = 80
"""How many characters of a description are shown."""


def pyramid_table(pyramid: Pyramid) -> TextTable:
    """One row per nug: its votes for vital, how many voted on it, and its weight."""
    rows = [_cells(weight) for weight in pyramid.weights]
    columns = ["query", "nug", "votes", "of", "weight", "description"]
    return TextTable(columns, [[*row[:5], _cut(row[5])] for row in rows], right=columns[2:5])


def pyramid_tsv(pyramid: Pyramid) -> str:
    """The same rows with a header and the whole description."""
    head = ["query_id", "nug_id", "votes", "of", "weight", "description"]
    return "".join("\t".join(map(visible, row)) + "\n" for row in [head, *map(_cells, pyramid.weights)])


def _cells(weight: NugWeight) -> list[str]:
    nug = weight.nug
    text = " ".join(" / ".join(nug.descriptions).split())
    share = "" if weight.weight is None else f"{weight.weight:.3f}"
    return [nug.query_id, nug.nug_id, f"{weight.votes:g}", str(weight.raters), share, text]


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
