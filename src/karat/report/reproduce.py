"""A paper's figures beside Karat's -> tables like those of the paper."""

from __future__ import annotations

from karat.evaluate.reproduce import Figure, Reproduction
from karat.report.tables import print_table


def print_reproduction(found: Reproduction) -> None:
    """A table for each of the paper's: in every cell the paper's figure, then Karat's."""
    for title in dict.fromkeys(figure.table for figure in found.figures):
        own = [figure for figure in found.figures if figure.table == title]
        columns = list(dict.fromkeys(figure.column for figure in own))
        rows: dict[str, dict[str, Figure]] = {}
        for figure in own:
            rows.setdefault(figure.row, {})[figure.column] = figure
        printed = [
            [row, *(_cell(cells.get(column)) for column in columns), _verdict(cells)] for row, cells in rows.items()
        ]
        print_table([f"{title} (paper | karat)", *columns, ""], printed, right=columns)


def _cell(figure: Figure | None) -> str:
    return "" if figure is None else f"{figure.printed} | {figure.computed}"


def _verdict(cells: dict[str, Figure]) -> str:
    differing = [figure for figure in cells.values() if not figure.same]
    if not differing:
        return "same"
    return next((figure.remark for figure in differing if figure.remark), "DIFFERS")
