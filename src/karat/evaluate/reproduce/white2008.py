"""White et al. 2008: the worked example of four distillers on two queries, Tables 3 to 6."""

from __future__ import annotations

import numpy as np

from karat.evaluate.reproduce.figures import PaperFigure, Reproduction, bundled
from karat.evaluate.tables.score_table import ScoreTable, tabulate
from karat.measures.cases.cases import Cases
from karat.measures.distillation.contingency import Table, nug_tables
from karat.measures.distillation.distillation import TABLE, Distillation
from karat.measures.registry import parse_measure

Row = tuple[str, ...]
FILE = "white2008.jsonl"
PARTS = ("precision", "recall", "rightness", "proficiency")
TABLE_3: dict[int, dict[str, Row]] = {
    1: {"A": ("0.50", "0.00", "0.50", "0.00"), "B": ("1.00", "0.00", "0.00", "0.00"),
        "C": ("0.00", "0.00", "1.00", "0.00"), "D": ("0.00", "0.00", "1.00", "0.00")},
    2: {"A": ("0.50", "0.00", "0.50", "0.00"), "B": ("1.00", "0.00", "0.00", "0.00"),
        "C": ("1.00", "1.00", "0.00", "0.00"), "D": ("0.00", "0.00", "1.00", "0.00")},
    3: {"A": ("0.25", "0.25", "0.25", "0.25"), "B": ("0.50", "0.50", "0.00", "0.00"),
        "C": ("0.50", "1.00", "0.00", "0.00"), "D": ("0.00", "0.00", "0.50", "0.50")},
}  # fmt: skip
"""What the three nugs add to right, wrong, missing and other; a redundant nugget is included in the row of its run."""
TABLE_4 = {"A": "1.50", "B": "1.00", "C": "0.75", "D": "0.00"}
"""The estimated number of wrong nugs in text that was not nuggetized."""
TABLE_5: dict[str, Row] = {
    "A": ("0.417", "0.500", "0.294", "0.400"), "B": ("0.625", "1.000", "0.625", "0.909"),
    "C": ("0.000", "0.000", "0.000", "0.000"), "D": ("NaN", "0.000", "0.000", "0.000"),
}  # fmt: skip
TABLE_6: dict[str, Row] = {
    "A": ("0.450", "0.500", "0.310", "0.399"), "B": ("0.583", "0.778", "0.500", "0.665"),
    "C": ("0.211", "0.333", "0.148", "0.238"), "D": ("0.500", "0.222", "0.182", "0.176"),
}  # fmt: skip
C_BY_EQUATIONS: dict[str, Row] = {
    "Table 5": ("0.353", "0.600", "0.286", "0.473"),
    "Table 6": ("0.400", "0.556", "0.303", "0.438"),
}
"""C's row, computed by hand from the paper's equations (1) to (3) and its Table 3."""
BY_EQUATIONS = "C, by the equations"
ERRATUM = "erratum: the paper uses #Right = 0 for C, but its equations give 1.5"
CONSEQUENCE = "C, if #Right were 0"


def reproduce(data: str | None) -> Reproduction:
    """Table 3 by nug, Table 4 by run, and Tables 5 and 6 from the counts of both queries together."""
    cases = Cases(bundled(FILE))
    figures = [*_increments(cases), *_estimates(cases)]
    for title, prior, printed in (("Table 5", "none", TABLE_5), ("Table 6", "bayes", TABLE_6)):
        for column, part in enumerate(PARTS):
            table = tabulate(cases, parse_measure(f"{part}(prior={prior})"), average="pool")
            figures += _column(table, title, part, {run_id: row[column] for run_id, row in printed.items()})
    figures.sort(key=lambda figure: figure.table)
    names = ",".join(PARTS)
    bayes = ",".join(f"{part}(prior=bayes)" for part in PARTS)
    return Reproduction(
        paper="white2008",
        figures=tuple(figures),
        commands=(
            f"karat score {FILE} --average pool --measures {names}",
            f"karat score {FILE} --average pool --measures '{bayes}'",
        ),
        notes=(
            "#Other is 10^5: the exponent cannot be read in the scan, and no other gives the printed proficiencies",
        ),
    )


def _increments(cases: Cases) -> list[PaperFigure]:
    figures = []
    number = 0
    for query_id in cases.query_ids:
        for nug in cases.pools[query_id].whole_nugs:
            number += 1
            for run_id in cases.run_ids:
                case = cases.case(run_id, query_id)
                assert case is not None
                table = nug_tables(case)[nug.nug_id]
                for name, printed in zip(("right", "wrong", "missing", "other"), TABLE_3[number][run_id], strict=True):
                    value = getattr(table, name)
                    figures.append(
                        PaperFigure(
                            table="Table 3", row=f"nug {number}, {run_id}", column=name, printed=printed, value=value
                        )
                    )
    return figures


def _estimates(cases: Cases) -> list[PaperFigure]:
    measure = Distillation(part="precision")
    counts = tabulate(cases, measure, average="pool").cube().sum(axis=1)
    chars = counts[:, TABLE.index("chars")]
    return [
        PaperFigure(table="Table 4", row=run_id, column="estimated wrong", printed=TABLE_4[run_id], value=wrong)
        for run_id, wrong in zip(cases.run_ids, (chars / measure.density).tolist(), strict=True)
    ]


def _column(table: ScoreTable, title: str, part: str, printed: dict[str, str]) -> list[PaperFigure]:
    assert table.measure is not None
    figures = []
    sums = table.cube().sum(axis=1)
    for run_id, counts, value in zip(table.run_ids, sums, table.totals().tolist(), strict=True):
        remark = ERRATUM if run_id == "C" else ""
        figures.append(
            PaperFigure(
                table=title, row=run_id, column=part, printed=printed[run_id], value=_known(value), remark=remark
            )
        )
        if run_id == "C":
            computed = value
            as_printed = counts.copy()
            as_printed[Table.__struct_fields__.index("right")] = 0.0
            value = float(table.measure.values(as_printed))
            worked = C_BY_EQUATIONS[title][PARTS.index(part)]
            figures.append(
                PaperFigure(table=title, row=BY_EQUATIONS, column=part, printed=worked, value=_known(computed))
            )
            figures.append(
                PaperFigure(table=title, row=CONSEQUENCE, column=part, printed=printed[run_id], value=_known(value))
            )
    return figures


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
