"""A paper's figures beside Karat's -> tables like those of the paper."""

from __future__ import annotations

from karat.evaluate.reproduce import PaperFigure, Reproduction
from karat.report.tables import TextTable


def reproduction_tables(reproduction: Reproduction) -> list[TextTable]:
    """One table for each table of the paper; every cell has the paper's figure, then Karat's."""
    tables = []
    for title in dict.fromkeys(figure.table for figure in reproduction.figures):
        figures = [figure for figure in reproduction.figures if figure.table == title]
        columns = list(dict.fromkeys(figure.column for figure in figures))
        rows: dict[str, dict[str, PaperFigure]] = {}
        for figure in figures:
            rows.setdefault(figure.row, {})[figure.column] = figure
        cells = [
            [row, *(_cell(by_column.get(column)) for column in columns), _verdict(by_column)]
            for row, by_column in rows.items()
        ]
        tables.append(TextTable([f"{title} (paper | karat)", *columns, ""], cells, right=columns))
    return tables


def _cell(figure: PaperFigure | None) -> str:
    return "" if figure is None else f"{figure.printed} | {figure.computed}"


def _verdict(by_column: dict[str, PaperFigure]) -> str:
    differing = [figure for figure in by_column.values() if not figure.same]
    if not differing:
        return "same"
    return next((figure.remark for figure in differing if figure.remark), "DIFFERS")
