"""Validations of judges, and a paper's figures beside Karat's -> tables for people and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from karat.evaluate.reproduce import PaperFigure, Reproduction
from karat.evaluate.validate.figures import PAIR_FIGURES, RUN_FIGURES
from karat.evaluate.validate.validate import Figure, Validation
from karat.evaluate.validate.views import View
from karat.judges.measured import SEEN, USES, measured
from karat.reports.results.data import DataTable
from karat.reports.results.digits import decimals, with_interval
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

LEGENDS = {
    "runs": "official: the score by people, with its 95 % interval over queries; judged: the score by the judge; "
    "low, high: its 95 % interval for other queries and the judge's error; judge low, judge high: for the judge's "
    "error only",
    "statistics": "a pair is a nug and a response to its query",
    "systems": "runs: the number of runs that contain a nug in full; nugs: how many nugs that is true for; share: of "
    "all judged nugs; vital: how many of them are vital",
    "thresholds": "a nug is contained from this raw score on; contained: the share of pairs that then are; the other "
    "columns show how good these decisions are. The best row was picked on the data that it is printed for",
    "swaps": "pairs: of runs whose official scores differ by more than `above` and by `up to` at most; swapped: the "
    "judge has them in the other order; tied: the judge scores them the same; share: swapped / pairs",
    "calibration": "pairs: a nug and a response to which the judge gives a probability from low to high; "
    "probability: its mean; contained: the share that people call contained",
    "models": "log10 evidence: log10 of the probability of people's labels under the model, the highest is the best; "
    "log10 pooled: the same where the thresholds share a prior",
}
"""What the columns mean."""


def view_table(rows: Mapping[str, Sequence[msgspec.Struct]]) -> TextTable:
    """One table with all rows; with rows of several judges, a column for the judge."""
    shown = [(judge, msgspec.structs.asdict(row)) for judge, of_judge in rows.items() for row in of_judge]
    names = list(shown[0][1]) if shown else []
    several = len(rows) > 1
    columns = [*(["judge"] if several else []), *map(_title, names)]
    cells = [[*([judge] if several else []), *(_cell(row[name]) for name in names)] for judge, row in shown]
    texts = {_title(name) for name in names if any(isinstance(row[name], str) for _, row in shown)}
    return TextTable(columns, cells, right=[name for name in columns if name not in texts | {"judge"}])


def view_result(views: Mapping[str, View], view: str) -> ShownResult:
    """What `karat validate --view VIEW` prints; each row names its judge where it depends on one."""
    rows = {name: each.rows for name, each in views.items()}
    data = [
        ({"judge": judge} if judge else {}) | msgspec.structs.asdict(row)
        for judge, of_judge in rows.items()
        for row in of_judge
    ]
    return ShownResult(
        parts=lambda width: [view_table(rows)],
        tables=lambda: [DataTable.of(view, data)],
        notes=shared_notes({name: each.notes for name, each in views.items()}),
        words=[LEGENDS[view]],
        signatures=[each.signature for each in views.values()],
    )


def shared_notes(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """The notes of several judges, with the judge's name; only once where they are the same for all judges."""
    of_all = [note for note in next(iter(notes.values()), ()) if all(note in of_judge for of_judge in notes.values())]
    own = [f"{judge}: {note}" for judge, of_judge in notes.items() for note in of_judge if note not in of_all]
    return [*of_all, *own]


def _title(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


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
    "pairs to brier: about pairs of a nug and a response; the others: about the scores of runs; official scores "
    "inside: the share of people's scores inside the judge's 95 % interval; in brackets: the 95 % interval over queries"
)


def validation_rows(validations: Sequence[Validation]) -> list[dict[str, Any]]:
    """One dict per judge and measure: every figure, and its interval under its name with `_interval`; then the runs."""
    rows: list[dict[str, Any]] = []
    for validation in validations:
        for measure, figures in _by_measure(validation).items():
            values = {name: figure.value for name, figure in figures.items()}
            ends = {
                f"{name}_interval": [figure.low, figure.high]
                for name, figure in figures.items()
                if figure.low is not None
            }
            named = {"measure": measure} if measure else {}
            rows.append({"judge": validation.judge, **named, **values, **ends, "signature": validation.signature})
    for validation in validations:
        for validated in validation.measures:
            rows += [{"judge": validation.judge, **msgspec.structs.asdict(run)} for run in validated.runs]
    return rows


def validation_result(*validations: Validation) -> ShownResult:
    """What `karat validate` prints. JSONL: the figures of each judge in a row, then the runs; CSV: a row per figure."""

    def figures() -> DataTable:
        rows = [
            {
                "judge": validation.judge, "measure": measure or None, "figure": name, "value": figure.value,
                "low": figure.low, "high": figure.high,
            }
            for validation in validations
            for measure, of_measure in _by_measure(validation).items()
            for name, figure in of_measure.items()
        ]  # fmt: skip
        return DataTable.of("figures", rows)

    def runs() -> DataTable:
        rows = [
            {"judge": validation.judge, **msgspec.structs.asdict(run)}
            for validation in validations
            for validated in validation.measures
            for run in validated.runs
        ]
        return DataTable.of("runs", rows)

    return ShownResult(
        parts=lambda width: [validation_table(validations)],
        tables=lambda: [figures(), runs()],
        lines=lambda: validation_rows(validations),
        notes=shared_notes({validation.judge: validation.notes for validation in validations}),
        words=[LEGEND],
        signatures=[validation.signature for validation in validations],
    )


def _by_measure(validation: Validation) -> dict[str, dict[str, Figure]]:
    """All figures, with those of runs for each measure."""
    if not validation.measures:
        return {"": validation.figures}
    return {validated.measure: validation.pairs | validated.figures for validated in validation.measures}


def validation_table(validations: Sequence[Validation]) -> TextTable:
    """One row per figure, one column per judge; figures of runs for each measure."""
    columns = ["figure", *(validation.judge for validation in validations)]
    rows = [
        [NAMES.get(name, name), *(_figure_text(name, validation.pairs[name]) for validation in validations)]
        for name in PAIR_FIGURES
    ]
    by_measure = [_by_measure(validation) for validation in validations]
    for measure in by_measure[0] if by_measure else ():
        several = f" ({measure})" if len(by_measure[0]) > 1 else ""
        rows += [
            [
                f"{NAMES.get(name, name)}{several}",
                *(_figure_text(name, of_judge[measure][name]) for of_judge in by_measure),
            ]
            for name in RUN_FIGURES
        ]
    return TextTable(columns, rows, right=columns[1:])


def _figure_text(name: str, figure: Figure) -> str:
    if figure.value is None:
        return "undefined"
    if name == "pairs":
        return f"{figure.value:,.0f}"
    # Each figure is on a scale of its own, so each row has its own number of decimals.
    digits = decimals([(figure.low, figure.high)])
    return with_interval(figure.value, figure.low, figure.high, digits=digits)


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
            [row, *(_both_figures(by_column.get(column)) for column in columns), _verdict(by_column)]
            for row, by_column in rows.items()
        ]
        tables.append(TextTable([f"{title} (paper | karat)", *columns, ""], cells, right=columns))
    return tables


def reproduction_result(reproduction: Reproduction) -> ShownResult:
    """What `karat reproduce` prints: the paper's figures beside Karat's."""
    rows = [
        {
            "table": figure.table, "row": figure.row, "column": figure.column, "paper": figure.printed,
            "karat": figure.computed, "value": figure.value, "same": figure.same, "remark": figure.remark or None,
        }
        for figure in reproduction.figures
    ]  # fmt: skip
    same = sum(figure.same for figure in reproduction.figures)
    explained = len(reproduction.figures) - same - len(reproduction.differing)
    known = f", {explained} differ for a known reason" if explained else ""
    verdict = f"{same} of {len(reproduction.figures)} figures are the same{known}."
    return ShownResult(
        parts=lambda width: reproduction_tables(reproduction),
        tables=lambda: [DataTable.of("figures", rows)],
        notes=[*reproduction.notes, verdict],
    )


def _both_figures(figure: PaperFigure | None) -> str:
    return "" if figure is None else f"{figure.printed} | {figure.computed}"


def _verdict(by_column: dict[str, PaperFigure]) -> str:
    differing = [figure for figure in by_column.values() if not figure.same]
    if not differing:
        return "same"
    return next((figure.remark for figure in differing if figure.remark), "DIFFERS")


SHORT_NAMES = {
    "TREC RAG 2024": "RAG 2024", "REALSumm": "REALSumm", "SummHay": "SummHay", "ArgKP": "ArgKP",
    "Temporal Summarization 2014": "TempSumm",
}  # fmt: skip
JUDGES_LEGEND = (
    "by set: kappa of decisions with people's (1: the same, 0: chance; empty: not measured)",
    "tau, RMSE: order and error of the runs' scores on RAG 2024",
    "thresholds come from other queries; *: the judge learned from this very set",
    "docs/judges.md has all figures, with intervals",
)


def judges_result(*, auto: str) -> ShownResult:
    """What `karat judges` prints. auto: the name of the judge that is the default here."""
    uses = [{"judge": judge, "when": text} for judge, text in USES.items()]
    figures = [
        {"judge": row.judge, "collection": row.collection, "learned_from": row.collection in SEEN.get(row.judge, ()),
         **row.figures}
        for row in measured()
    ]  # fmt: skip
    return ShownResult(
        parts=lambda width: judge_tables(),
        tables=lambda: [DataTable.of("judges", uses), DataTable.of("measured", figures)],
        words=JUDGES_LEGEND,
        notes=[f"--judge auto is {auto} here; `karat judges NAME` explains one and its settings"],
    )


def judge_tables() -> list[TextTable]:
    """Which judge to use when, and how good each was on which set."""
    by_place = {(row.collection, row.judge): row.figures for row in measured()}

    def shown(collection: str, judge: str, figure: str) -> str:
        value = by_place.get((collection, judge), {}).get(figure)
        return (
            ""
            if value is None
            else f"{value:.{3 if figure == 'rmse' else 2}f}" + "*" * (collection in SEEN.get(judge, ()))
        )

    rows = [
        [judge, *(shown(name, judge, "kappa") for name in SHORT_NAMES),
         *(shown("TREC RAG 2024", judge, figure) for figure in ("tau_runs", "rmse"))]
        for judge in USES
    ]  # fmt: skip
    columns = ["judge", *SHORT_NAMES.values(), "tau", "RMSE"]
    return [
        TextTable(["judge", "when to use it"], [[judge, text] for judge, text in USES.items()]),
        TextTable(columns, [row for row in rows if any(row[1:])], right=columns[1:]),
    ]
