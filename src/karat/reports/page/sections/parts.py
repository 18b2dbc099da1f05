"""What a section is made of: a sentence that says what to see, then charts, tables and lists."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from karat.formats.tables.csv import harmless
from karat.model import Score
from karat.reports.page.contents.nug_means import MeanDegree

Cell = str | float | int | None
UNDEFINED = "undefined"


@dataclass(frozen=True)
class Table:
    """A table as it is shown; `data` is what "data as CSV" gives: the full numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    data: str
    name: str
    """Of the CSV file."""
    right: Sequence[str] = ()
    caption: str = ""
    sortable: bool = True


@dataclass(frozen=True)
class Switch:
    """Tables of which one is shown: the reader chooses. Without its style, all are shown."""

    title: str
    name: str
    choices: Sequence[tuple[str, Table]]


@dataclass(frozen=True)
class Chart:
    """A chart as a spec; `label` says in words what it shows."""

    spec: dict[str, object]
    label: str
    data: str
    name: str


@dataclass(frozen=True)
class Lines:
    """Sentences, as a list."""

    lines: Sequence[str]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page. lead: plain words, made from the data, that say what to see."""

    id: str
    title: str
    lead: str
    parts: Sequence[object] = ()
    """Tables, charts, lines, and what single sections have of their own (each has a macro in the templates)."""
    below: Sequence[str] = field(default_factory=tuple)
    """How to read it: a line each."""


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A CSV file whose cells a spreadsheet does not take for formulas."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([harmless(column) for column in columns])
    for row in rows:
        writer.writerow(
            ["" if cell is None else harmless(cell) if isinstance(cell, str) else repr(cell) for cell in row]
        )
    return buffer.getvalue()


def number(value: float | None) -> str:
    """Three digits, as `karat score` prints them."""
    return "?" if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    return "?" if value is None else f"{value:+.3f}"


def interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def value_text(score: Score | None) -> str:
    """The value with its interval and tie group."""
    if score is None:
        return ""
    if score.value is None:
        return UNDEFINED
    parts = [number(score.value), interval(score.low, score.high), str(score.extra.get("tie", ""))]
    return " ".join(part for part in parts if part)


def degree_text(mean: MeanDegree) -> str:
    """A mean degree with its interval."""
    return f"{number(mean.value)} {interval(mean.low, mean.high)}".rstrip()


def listed(names: Sequence[str], *, most: int = 6) -> str:
    """`a`, `a and b`, `a, b and c`; of many, the first and how many more."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
