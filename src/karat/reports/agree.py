"""Agreement between raters -> a table for people, and rows for programs."""

from __future__ import annotations

from karat.evaluate.agree.agree import Agreement, AgreementRow
from karat.evaluate.tables.slices import slice_values
from karat.model import Signature, record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.digits import decimals
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

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
    digits = decimals((row.low, row.high) for row in rows)
    return TextTable(
        head, [_cells(row, by, shown, digits) for row in rows], right=["value", "95 % interval", "units", "raters"]
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


def agreement_result(agreement: Agreement) -> ShownResult:
    """What `karat agree` prints; in CSV and TSV the last column says why a value is undefined."""
    names = ("what", "coefficient", "pair", "part", "value", "low", "high", "units", "raters", "reason")
    rows = [{name: getattr(row, name) for name in names} for row in agreement.rows]
    return ShownResult(
        parts=lambda width: [agreement_table(agreement)],
        tables=lambda: [DataTable.of("agreement", rows, names)],
        lines=lambda: [record_to_dict(score) for score in agreement.scores()],
        notes=agreement.notes,
        words=agreement_words(agreement),
        signatures=[str(Signature("agree", agreement.settings))],
    )


def _cells(row: AgreementRow, by: str | None, columns: list[str], digits: int) -> list[str]:
    value = UNDEFINED if row.value is None else f"{row.value:.{digits}f}"
    interval = "" if row.low is None or row.high is None else f"[{row.low:.{digits}f}, {row.high:.{digits}f}]"
    middle = [slice_values(row.part, by) if by and column == by else row.pair for column in columns]
    return [row.what, row.coefficient, *middle, value, interval, f"{row.units:,}", str(row.raters)]
