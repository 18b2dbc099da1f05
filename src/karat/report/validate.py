"""Validations of judges -> a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from karat.evaluate.validate.figures import FIGURES
from karat.evaluate.validate.validate import Figure, Validation
from karat.report.tables import TextTable, print_table

LEGENDS = {
    "statistics": "a pair is a nug and a response to its query; nugs of no importance are neither vital nor okay",
    "systems": "nugs: how many are contained in full by just so many runs; share: of all judged nugs; "
    "vital: so many of them are vital",
    "thresholds": "threshold: contained from that raw score on; contained: the share of pairs that then are; the "
    "others are of these decisions. The best row was picked on the data it is printed for",
    "swaps": "pairs: of runs whose official scores differ by more than `above` and by `up to` at most; swapped: in the "
    "other order for the judge; tied: equal for it; share: swapped / pairs",
    "calibration": "pairs: of a nug and a response to which the judge gives a probability from low to high; "
    "probability: its mean; contained: the share that is, by people",
    "models": "log10 evidence: log10 of the probability of people's labels under the model, the highest is the best; "
    "log10 pooled: the same where thresholds lean on one another",
}
"""What the columns mean."""


def print_view(rows: Mapping[str, Sequence[msgspec.Struct]]) -> None:
    """A table of all rows; a column for the judge where there are rows of several."""
    shown = [(judge, msgspec.structs.asdict(row)) for judge, own in rows.items() for row in own]
    names = list(shown[0][1]) if shown else []
    several = len(rows) > 1
    columns = [*(["judge"] if several else []), *map(_title, names)]
    cells = [[*([judge] if several else []), *(_cell(row[name]) for name in names)] for judge, row in shown]
    texts = {_title(name) for name in names if any(isinstance(row[name], str) for _, row in shown)}
    print_table(columns, cells, right=[name for name in columns if name not in texts | {"judge"}])


def _title(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def view_jsonl(rows: Mapping[str, Sequence[msgspec.Struct]]) -> str:
    """An object a row, with its judge where it hangs on one."""
    lines = [
        msgspec.json.encode(({"judge": judge} if judge else {}) | msgspec.structs.asdict(row)).decode()
        for judge, own in rows.items()
        for row in own
    ]
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


NAMES = {
    "tau_runs": "tau of runs", "tau_topic": "tau within a query", "tau_cells": "tau over all cells", "r2": "R2",
    "rmse": "RMSE of runs", "coverage": "official scores inside", "width": "width of the interval", "auc": "AUC",
    "f1": "F1", "pearson": "Pearson of runs", "pearson_topic": "Pearson within a query",
}  # fmt: skip


LEGEND = (
    "of pairs of a nug and a response: AUC to brier; of runs and their official scores: the rest; official scores "
    "inside: the share of them in the judge's 95 % interval; in brackets: the 95 % interval over queries"
)


def validation_table(validations: Sequence[Validation]) -> TextTable:
    """One row per figure, one column per judge."""
    columns = ["figure", *(validation.judge for validation in validations)]
    rows = [
        [NAMES.get(name, name), *(_figure_text(name, validation.figures[name]) for validation in validations)]
        for name in FIGURES
    ]
    return TextTable(columns, rows, right=columns[1:])


def print_validations(validations: Sequence[Validation]) -> None:
    """Print the table."""
    validation_table(validations).print()


def validation_rows(validations: Sequence[Validation]) -> list[dict[str, Any]]:
    """One dict per judge: every figure, and its interval under its name with `_interval`."""
    rows = []
    for validation in validations:
        figures = validation.figures
        values = {name: figure.value for name, figure in figures.items()}
        ends = {
            f"{name}_interval": [figure.low, figure.high] for name, figure in figures.items() if figure.low is not None
        }
        rows.append({"judge": validation.judge, **values, **ends, "signature": validation.signature})
    return rows


def _figure_text(name: str, figure: Figure) -> str:
    if figure.value is None:
        return "undefined"
    if name == "pairs":
        return f"{figure.value:,.0f}"
    interval = "" if figure.low is None or figure.high is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return f"{figure.value:.3f}{interval}"
