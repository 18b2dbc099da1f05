"""Nuggets of snippets as coloured text and as rows; the tables of `karat nuggets-compare`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from karat.evaluate.nuggets.compare import Estimate, NuggetComparison, NuggetComparisons
from karat.evaluate.nuggets.input_snippets import PLAIN
from karat.evaluate.nuggets.nuggetize import NuggetizedSnippet
from karat.formats.tables.csv import harmless
from karat.nuggetizer.drafts import DraftChange, FoundNugget
from karat.nuggetizer.templates import TYPES, QuestionTemplate
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable, printable

COUNTS = ("nuggets", "snippets", "gold", "auto", "(gold-auto)/gold", "gold-auto per snippet", "95 % interval", "p")
MATCHES = ("nuggets", "matched", "precision", "recall", "F1")
UNDEFINED = "undefined"


def nugget_comparison_tables(comparisons: NuggetComparisons) -> list[TextTable]:
    """The counts (Tables 4 and 5 of Babko-Malaya et al. 2012 in one), and below them the matches of spans."""
    return [
        TextTable(COUNTS, [_counts(part) for part in comparisons.parts], right=COUNTS[1:]),
        TextTable(MATCHES, [_matches(part) for part in comparisons.parts], right=MATCHES[1:]),
    ]


def nugget_comparison_rows(comparisons: NuggetComparisons) -> list[dict[str, Any]]:
    """One object per part of the nuggets; the interval of `recall`, say, is in the field `recall_interval`."""
    rows = []
    for part in comparisons.parts:
        row: dict[str, Any] = {"part": part.part, "snippets": part.snippets, "gold": part.gold, "auto": part.auto}
        row |= {"matched": part.matched, "p": part.p}
        for name in ("difference", "mean_difference", "precision", "recall", "f1"):
            estimate: Estimate = getattr(part, name)
            row[name] = estimate.value
            row[f"{name}_interval"] = None if estimate.low is None else [estimate.low, estimate.high]
        rows.append({**row, "signature": comparisons.signature})
    return rows


def nugget_comparison_result(comparisons: NuggetComparisons) -> ShownResult:
    """What `karat nuggets-compare` prints."""

    def table() -> DataTable:
        rows = []
        for row in nugget_comparison_rows(comparisons):
            cells: dict[str, Any] = {}
            for name, value in row.items():
                if name.endswith("_interval"):
                    figure = name.removesuffix("_interval")
                    cells[f"{figure}_low"], cells[f"{figure}_high"] = value or (None, None)
                else:
                    cells[name] = value
            rows.append(cells)
        return DataTable.of("parts", rows)

    return ShownResult(
        parts=lambda width: nugget_comparison_tables(comparisons),
        tables=lambda: [table()],
        lines=lambda: nugget_comparison_rows(comparisons),
        notes=comparisons.notes,
        signatures=[comparisons.signature],
    )


def _counts(part: NuggetComparison) -> list[str]:
    mean = part.mean_difference
    relative = UNDEFINED if part.difference.value is None else f"{part.difference.value:.1%}"
    interval = "" if mean.low is None else f"[{mean.low:.3f}, {mean.high:.3f}]"
    p = UNDEFINED if part.p is None else f"{part.p:.2g}"
    snippet = UNDEFINED if mean.value is None else f"{mean.value:.3f}"
    return [part.part, f"{part.snippets:,}", f"{part.gold:,}", f"{part.auto:,}", relative, snippet, interval, p]


def _matches(part: NuggetComparison) -> list[str]:
    return [part.part, f"{part.matched:,}", *map(_estimate, (part.precision, part.recall, part.f1))]


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return UNDEFINED
    return (
        f"{estimate.value:.3f}"
        if estimate.low is None
        else f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
    )


COLOURS = {
    "PER": "bold cyan", "GPE": "bold blue", "ORG": "bold magenta", "TITLE": "yellow", "NUM": "bright_green",
    "EVT": "bold red", "TMP": "green", "LOC": "blue", "MOD": "bright_black", "STM": "bold bright_red",
}  # fmt: skip


def row_of(snippet: NuggetizedSnippet, *, plain: bool, explain: bool = False) -> dict[str, Any]:
    """The row of a snippet: {"snippet_id", "text", "nuggets": [{"type", "spans", "text", "paraphrase", ...}]}."""
    given, result = snippet.input, snippet.result
    row: dict[str, Any] = {
        "snippet_id": given.snippet_id,
        "text": given.text,
        "nuggets": [*map(nugget_row, result.nuggets)],
    }
    row |= {name: value for name, value in given.extra.items() if name not in row}
    if not plain or (given.query_id, given.run_id) != (PLAIN, PLAIN):
        row |= {"query_id": given.query_id, "run_id": given.run_id}
    if result.notes:
        row["notes"] = list(result.notes)
    if explain:
        row["steps"] = [
            {"rule": change.rule, "did": change.did, "type": change.type, "text": change.text}
            for change in result.changes
        ]
    return row


def nugget_row(nugget: FoundNugget) -> dict[str, Any]:
    """A nugget as an object in the row of its snippet."""
    row: dict[str, Any] = {"type": nugget.type, "spans": [list(pair) for pair in nugget.spans]}
    if nugget.anchor:
        # From the verb to its particle, as one range.
        row["anchor"] = [nugget.anchor[0][0], nugget.anchor[-1][1]]
    row |= {"text": nugget.text, "rule": nugget.rule}
    row |= {"category": nugget.category} if nugget.category else {}
    return row | ({"paraphrase": nugget.paraphrase} if nugget.paraphrase else {})


COLUMNS = ("query_id", "run_id", "snippet_id", "type", "spans", "text", "paraphrase", "category", "rule")


def nugget_lines(snippet: NuggetizedSnippet | None, output_format: str) -> str:
    """The nuggets of a snippet as lines of csv or tsv, one per nugget; None: the line with the names of the columns.

    Spans are `start-end`, with a blank between several. Tabs and line breaks in tsv become blanks; a cell of csv that a
    spreadsheet would compute begins with an apostrophe.
    """
    rows: list[list[str]] = [list(COLUMNS)] if snippet is None else []
    for nugget in snippet.result.nuggets if snippet is not None else ():
        assert snippet is not None
        given = snippet.input
        cells = {
            "query_id": given.query_id,
            "run_id": given.run_id,
            "snippet_id": given.snippet_id,
            "type": nugget.type,
        }
        cells |= {"text": nugget.text, "rule": nugget.rule, "category": nugget.category or ""}
        cells |= {"paraphrase": nugget.paraphrase or "", "spans": " ".join(f"{a}-{b}" for a, b in nugget.spans)}
        rows.append([cells[name] for name in COLUMNS])
    if output_format == "tsv":
        return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def pretty_lines(snippet: NuggetizedSnippet, *, explain: bool = False, colour: bool = True) -> str:
    """The text with its nuggets coloured, then one line per nugget, and below it the sentence that says the same."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, file=StringIO(), force_terminal=colour, no_color=not colour)
    console.print(_coloured(snippet))
    for nugget in snippet.result.nuggets:
        line = Text("  ")
        line.append(f"{nugget.type:<6}", COLOURS.get(nugget.type))
        line.append(printable(nugget.text))
        if nugget.anchor and nugget.anchor != nugget.spans:
            line.append(f"  ({printable(nugget.anchor.text(snippet.input.text))})", "bold")
        console.print(line)
        if nugget.paraphrase and nugget.paraphrase.rstrip(".").lower() != nugget.text.lower():
            console.print(Text(f"        = {printable(nugget.paraphrase)}", "bright_black"))
    for note in snippet.result.notes:
        console.print(Text(f"  note: {printable(note)}", "yellow"))
    if explain and snippet.result.changes:
        console.print(Text("  by these rules (+ made, - removed; a change is both):", "bright_black"))
    for change in snippet.result.changes if explain else ():
        console.print(_change_line(change))
    console.print()
    written = console.file
    assert isinstance(written, StringIO)
    return written.getvalue()


def _coloured(snippet: NuggetizedSnippet) -> Any:
    """The text in colours. Small nuggets are coloured over large ones; of an event only the verb is coloured."""
    from rich.text import Text

    text = Text(printable(snippet.input.text))
    for nugget in sorted(snippet.result.nuggets, key=lambda nugget: -(nugget.anchor or nugget.spans).length):
        for start, end in nugget.anchor or nugget.spans:
            text.stylize(COLOURS.get(nugget.type, "bold"), start, end)
    return text


def _change_line(change: DraftChange) -> Any:
    from rich.text import Text

    sign = "+" if change.did == "made" else "-"
    return Text(
        f"    {sign} {change.rule:<30} {change.type:<6}{printable(change.text)}", "green" if sign == "+" else "red"
    )


def templates_result(templates: Mapping[str, QuestionTemplate]) -> ShownResult:
    """One row per template, with the types of nuggets that it asks for."""
    rows = [
        {
            "template": name,
            "question": template.text,
            "types of nuggets": " ".join(f"{kind}{_most(template, kind)}" for kind in TYPES if kind in template.types),
        }
        for name, template in templates.items()
    ]
    table = DataTable.of("templates", rows)
    return ShownResult(parts=lambda width: [table.text_table()], tables=lambda: [table])


def _most(template: QuestionTemplate, kind: str) -> str:
    if kind not in template.limit:
        return ""
    return " (only the first)" if template.limit[kind] == 1 else f" (only the first {template.limit[kind]})"
