"""The nug matrix: nugs down, runs across, query by query; filters and order are made by the page's script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from karat.model.wording import number_of, safe
from karat.reports.page.contents.gather import Contents
from karat.reports.page.contents.nug_lines import NugCell, NugKind, NugLine
from karat.reports.page.sections.parts import Section, csv_text

SHOWN = 250
"""So many rows are in the page itself; the script fetches others from what is packed."""
FULL, HALF = 1 - 1e-9, 0.5


@dataclass(frozen=True)
class Matrix:
    """The rows as HTML, and what they are filtered and sorted by: parallel lists, so that they pack well."""

    runs: Sequence[str]
    rows: Sequence[str]
    queries: Sequence[str]
    importances: Sequence[str]
    kinds: Sequence[str]
    means: Sequence[float | None]
    spreads: Sequence[float]
    """How much the runs differ: the largest minus the smallest degree."""
    degrees: Sequence[Sequence[float | None]]
    data: str
    """All of it as CSV."""


def section(contents: Contents) -> Section | None:
    lines = contents.nug_lines
    if not lines:
        return None
    runs = contents.run_ids
    matrix = Matrix(
        runs=runs,
        rows=[row_html(line, runs, contents.name_of(line.query_id)) for line in lines],
        queries=[contents.name_of(line.query_id) for line in lines],
        importances=[line.importance or "" for line in lines],
        kinds=[line.kind for line in lines],
        means=[line.mean for line in lines],
        spreads=[_spread(line) for line in lines],
        degrees=[[_degree(line.cells.get(run_id)) for run_id in runs] for line in lines],
        data=csv_text(
            ("query", "nug", "importance", "kind", "mean", "discrimination", *runs, "description"),
            (
                (line.query_id, line.nug_id, line.importance, line.kind, line.mean, line.discrimination,
                 *(_degree(line.cells.get(run_id)) for run_id in runs), line.description)
                for line in lines
            ),
        ),
    )  # fmt: skip
    below = [
        "● contained, ◐ in part, ○ not contained, ? not judged. A number in italics: what a program expects.",
        "Too easy: nearly every run contains it. Too hard: nearly none does. Telling: the better runs contain it; "
        "contrary: the worse ones do (chance alone calls about one nug in twenty telling, and one in twenty contrary).",
    ]
    return Section("nugs", "Nugs", _lead(contents), [matrix], below)


def _lead(contents: Contents) -> str:
    lines = contents.nug_lines
    kinds = Counter(line.kind for line in lines)
    said = [f"{number_of(len(lines), 'nug')} in {number_of(len({line.query_id for line in lines}), 'query')}"]
    words: dict[NugKind, str] = {
        "too hard": "nearly no run contains",
        "too easy": "nearly every run contains",
        "telling": "better runs are told from worse ones by",
    }
    told = [f"{words[kind]} {kinds[kind]:,} of them" for kind in words if kinds[kind]]
    said += ["; ".join(told)] if told else []
    sentence = f"{': '.join(said)}."
    missed = _missed_vitals(contents)
    if missed:
        run_id, queries, of = missed
        sentence += f" {run_id} misses vital nugs in {queries} of {of} queries."
    return sentence


def _missed_vitals(contents: Contents) -> tuple[str, int, int] | None:
    """The run that misses vital nugs in most queries."""
    vital = [line for line in contents.nug_lines if line.importance == "vital"]
    if not vital:
        return None
    queries = len({line.query_id for line in vital})
    missed = {
        run_id: len({line.query_id for line in vital if _is_missing(line.cells.get(run_id))})
        for run_id in contents.run_ids
    }  # fmt: skip
    # Of several, the one with the lowest score.
    worst = max(reversed(missed), key=lambda run_id: missed[run_id])
    return (worst, missed[worst], queries) if missed[worst] else None


def row_html(line: NugLine, runs: Sequence[str], query: str) -> str:
    """A row of the table; query: how it is shown. Everything from files is escaped."""
    cells = "".join(_cell_html(line.cells.get(run_id)) for run_id in runs)
    mean = "?" if line.mean is None else f"{line.mean:.2f}"
    return (
        f"<tr><td>{_text(query)}</td><td>{_text(line.importance or '')}</td>"
        f'<th scope="row" dir="auto"><span class="nug-id">{_text(line.nug_id)}</span> {_text(line.description)}</th>'
        f'{cells}<td class="number">{mean}</td><td>{_text(line.kind)}</td></tr>'
    )


def _cell_html(cell: NugCell | None) -> str:
    if cell is None or cell.degree is None:
        said = "no response" if cell is None else "not judged, or the judge failed"
        return f'<td class="d" title="{said}">?</td>'
    degree = min(max(cell.degree, 0.0), 1.0)
    shade = f"d d{round(degree * 4)}"
    if cell.unsure:
        return f'<td class="{shade} unsure" title="a program expects {degree:.2f}"><i>{degree:.2f}</i></td>'
    mark, said = (
        ("●", "contained") if degree >= FULL else ("○", "not contained") if degree <= 0 else ("◐", f"{degree:.2g}")
    )
    return f'<td class="{shade}" title="{said}">{mark}</td>'


def _degree(cell: NugCell | None) -> float | None:
    return None if cell is None else cell.degree


def _is_missing(cell: NugCell | None) -> bool:
    return cell is not None and cell.degree is not None and cell.degree < HALF


def _spread(line: NugLine) -> float:
    known = [cell.degree for cell in line.cells.values() if cell.degree is not None]
    return max(known) - min(known) if known else 0.0


def _text(text: str) -> str:
    return escape(safe(text))
