"""Validations of judges -> a table."""

from __future__ import annotations

from collections.abc import Sequence

from karat.evaluate.validate.figures import FIGURES
from karat.evaluate.validate.validate import Figure, Validation
from karat.report.tables import print_table

NAMES = {
    "tau_runs": "tau of runs", "tau_topic": "tau within a query", "tau_cells": "tau over all cells", "r2": "R2",
    "rmse": "RMSE of runs", "coverage": "official scores inside", "width": "width of the interval", "auc": "AUC",
    "f1": "F1", "pearson": "Pearson of runs", "pearson_topic": "Pearson within a query",
}  # fmt: skip


LEGEND = (
    "of pairs of a nug and a response: AUC to brier; of runs and their official scores: the rest; official scores "
    "inside: the share of them in the judge's 95 % interval; in brackets: the 95 % interval over queries"
)


def print_validations(found: Sequence[Validation]) -> None:
    """A row a figure, a column a judge."""
    columns = ["figure", *(one.judge for one in found)]
    rows = [[NAMES.get(name, name), *(_cell(name, one.figures[name]) for one in found)] for name in FIGURES]
    print_table(columns, rows, right=columns[1:])


def _cell(name: str, figure: Figure) -> str:
    if figure.value is None:
        return "undefined"
    if name == "pairs":
        return f"{figure.value:,.0f}"
    interval = "" if figure.low is None or figure.high is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return f"{figure.value:.3f}{interval}"
