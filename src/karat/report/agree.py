"""Agreement between raters -> a table for people, or tab-separated values for programs."""

from __future__ import annotations

from karat.evaluate.agree.agree import Agreement, AgreementRow
from karat.evaluate.tables.slices import slice_values
from karat.report.tables import TextTable, visible

UNDEFINED = "undefined"


def agreement_table(agreement: Agreement) -> TextTable:
    """One row per coefficient; columns for the part and the pair only where there are several.

    The column of the parts has the name of their field (or fields), as in a table of scores.
    """
    rows = agreement.rows
    by = agreement.settings.get("by")
    shown = [
        *([by] if by is not None and len({row.part for row in rows}) > 1 else []),
        *(["raters compared"] if {row.pair for row in rows} != {"all"} else []),
    ]
    head = ["what", "coefficient", *shown, "value", "95 % interval", "units", "raters"]
    return TextTable(
        head, [_cells(row, by, shown) for row in rows], right=["value", "95 % interval", "units", "raters"]
    )


def agreement_tsv(agreement: Agreement) -> str:
    """The rows with a header; an undefined value is empty, and the last column gives the reason."""
    names = ("what", "coefficient", "pair", "part", "value", "low", "high", "units", "raters", "reason")
    lines = ["\t".join(names)]
    for row in agreement.rows:
        cells = (getattr(row, name) for name in names)
        lines.append("\t".join("" if cell is None else visible(str(cell)) for cell in cells))
    return "\n".join(lines) + "\n"


def _cells(row: AgreementRow, by: str | None, columns: list[str]) -> list[str]:
    value = UNDEFINED if row.value is None else f"{row.value:.3f}"
    interval = "" if row.low is None or row.high is None else f"[{row.low:.3f}, {row.high:.3f}]"
    middle = [slice_values(row.part, by) if by and column == by else row.pair for column in columns]
    return [row.what, row.coefficient, *middle, value, interval, f"{row.units:,}", str(row.raters)]
