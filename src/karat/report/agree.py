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


WORDS = {
    "percent_agreement": "percent_agreement: share of pairs of ratings that are the same",
    "cohen_kappa": "cohen_kappa: two raters, beyond chance; 1 all, 0 as much as by chance",
    "fleiss_kappa": "fleiss_kappa: several raters, beyond chance; 1 all, 0 as much as by chance",
    "krippendorff_alpha": "krippendorff_alpha: beyond chance, also where ratings are missing",
    "gwet_ac1": "gwet_ac1: beyond chance, steadier where one label is much more frequent",
    "krippendorff_alpha_u": "krippendorff_alpha_u: of marked text: where marks begin and end",
}
"""What the commonest coefficients mean, a line each."""


def agreement_words(agreement: Agreement) -> list[str]:
    """What the coefficients of the table mean, and what is counted."""
    names = {row.coefficient.partition("(")[0].lower() for row in agreement.rows}
    lines = [text for name, text in WORDS.items() if name in names]
    return [*lines, "units: what was rated; `karat agree --help` says more"]


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
