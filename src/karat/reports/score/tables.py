"""Score records -> a table for people, LaTeX for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from karat.evaluate.score.sliced_scores import ADJUSTED
from karat.evaluate.tables.given_scores import LESS_IS_BETTER
from karat.evaluate.tables.slices import slice_values
from karat.measures.registry import less_is_better
from karat.model import Score
from karat.reports.results.digits import decimals, with_interval
from karat.reports.results.tables import TextTable, latex_table, terminal_width

IN_BRACES = "in braces: the 95 % interval for the judge's error only; in brackets: for other queries, too"
"""What the second interval of a cell is."""
UNDEFINED = "undefined"
GAP = 3
"""The space between two columns."""
Names = tuple[str, str]
ByMeasure = Mapping[str, Score]


def score_tables(scores: Sequence[Score], *, by: str = "run", width: int | None = None) -> list[TextTable]:
    """One row per run (and query, or value of a field), the best first.

    Measures that do not fit into `width` characters (by default, the terminal's width) go into a further table.
    """
    if not scores:
        return []
    plain = [score for score in scores if "/" not in score.measure]
    if 0 < len(plain) < len(scores):
        # Ratios to another run have a table of their own: the reference run has no ratio.
        ratios = [score for score in scores if "/" in score.measure]
        return [*score_tables(plain, by=by, width=width), *score_tables(ratios, by=by, width=width)]
    measures, head, rows = layout_of(scores, by)
    names = [row[0] for row in rows]
    used = sum(max(map(len, cells)) + GAP for cells in zip(head, *names, strict=True))
    room = (terminal_width() if width is None else width) - used
    digits = _digits(scores)
    cells = {
        measure: _aligned([_cell(row.get(measure), row, digits[measure]) for _, row in rows]) for measure in measures
    }
    widths = {measure: max(len(measure), *map(len, cells[measure])) + GAP for measure in measures}
    left = list(measures)
    tables = []
    while left:
        shown = [left.pop(0)]
        while left and sum(widths[measure] for measure in (*shown, left[0])) <= room:
            shown.append(left.pop(0))
        table = [[*name, *row] for name, row in zip(names, zip(*(cells[m] for m in shown), strict=True), strict=True)]
        # Cells are aligned already; a terminal's table would strip the blanks of a column that it aligns itself.
        titles = [measure.rjust(len(cells[measure][0])) for measure in shown]
        tables.append(TextTable([*head, *titles], table, right=["n"]))
    return tables


def query_spread(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Best, median and worst run of each query, and how many runs score zero, as TREC prints them.

    None for fewer than three runs.
    """
    values_of: dict[tuple[str, str], list[float]] = {}
    runs = {score.run_id for score in scores}
    for score in scores:
        if score.value is not None:
            values_of.setdefault((score.measure, score.query_id), []).append(score.value)
    if len(runs) < 3:
        return []
    return [
        {
            "measure": measure, "query_id": query_id, "best": max(values), "median": median(values),
            "worst": min(values), "zeros": values.count(0.0),
        }
        for (measure, query_id), values in values_of.items()
    ]  # fmt: skip


def query_spread_table(scores: Sequence[Score]) -> TextTable | None:
    """The same as a table; None for fewer than three runs."""
    rows = [
        [row["measure"], row["query_id"], *(f"{row[name]:.3f}" for name in ("best", "median", "worst")),
         str(row["zeros"])]
        for row in query_spread(scores)
    ]  # fmt: skip
    columns = ["measure", "query", "best", "median", "worst", "zeros"]
    return TextTable(columns, rows, right=columns[2:]) if rows else None


def score_latex(scores: Sequence[Score], *, by: str = "run") -> str:
    """The same table for a paper: booktabs, the tie group as a superscript."""
    measures, head, rows = layout_of(scores, by)
    digits = _digits(scores)
    table = [[*names, *(_latex_cell(row.get(measure), digits[measure]) for measure in measures)] for names, row in rows]
    return latex_table([*head, *measures], table, right=["n", *measures], raw=measures)


def layout_of(scores: Sequence[Score], by: str) -> tuple[list[str], list[str], list[tuple[list[str], ByMeasure]]]:
    """The measures, the head of the first columns, and the rows: the cells of the first columns, and the scores."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    by_name: dict[Names, dict[str, Score]] = {}
    for score in scores:
        by_name.setdefault((score.run_id, score.query_id), {})[score.measure] = score
    ordered: list[tuple[Names, ByMeasure]] = list(by_name.items())
    if by == "query":
        return measures, ["run", "query"], [([run_id, query_id], row) for (run_id, query_id), row in ordered]
    # Undefined scores come last.
    name = measures[0].partition("/")[0]
    told = any(score.measure == name and score.extra.get(LESS_IS_BETTER) for score in scores)
    sign = 1 if told or less_is_better(name) else -1
    ordered.sort(key=lambda item: _sort_value(item[1].get(measures[0]), sign))
    if by == "run":
        return measures, ["run", "n"], [([run_id, _counted(row)], row) for (run_id, _), row in ordered]
    # The total comes below the parts.
    ordered.sort(key=lambda item: ("=" not in item[0][1], item[0][1]))
    named = [([slice_values(query_id, by), run_id, _counted(row)], row) for (run_id, query_id), row in ordered]
    return measures, [by, "run", "n"], named


def _sort_value(score: Score | None, sign: int) -> float:
    """By the adjusted mean where values are missing, else by the score."""
    if score is None or score.value is None:
        return float("inf")
    return sign * float(score.extra.get(ADJUSTED, score.value))


def _counted(row: ByMeasure) -> str:
    """How many queries the means of a run are over, by the measure that is defined for most queries."""
    return str(max(score.n or 0 for score in row.values()))


def _digits(scores: Sequence[Score]) -> dict[str, int]:
    """The decimals of each measure."""
    ends: dict[str, list[tuple[float | None, float | None]]] = {}
    for score in scores:
        ends.setdefault(score.measure, []).append((score.low, score.high))
    return {measure: decimals(of_measure) for measure, of_measure in ends.items()}


def _cell(score: Score | None, row: ByMeasure, digits: int) -> tuple[str, str]:
    """The value with its interval, and its tie group."""
    if score is None:
        return "", ""
    if score.value is None:
        return UNDEFINED, ""
    # Where a measure is defined for fewer queries than the row says, the cell says for how many.
    fewer = f" n={score.n}" if score.undefined and str(score.n) != _counted(row) else ""
    text = with_interval(score.value, score.low, score.high, digits=digits)
    if score.judge_low is not None and score.judge_high is not None:
        text += f" {{{score.judge_low:.{digits}f}, {score.judge_high:.{digits}f}}}"
    return f"{text}{fewer}", str(score.extra.get("tie", ""))


def _aligned(cells: Sequence[tuple[str, str]]) -> list[str]:
    """Cells of equal width: values aligned to the right, then the tie groups aligned to the left."""
    value, tie = (max(map(len, part)) for part in zip(*cells, strict=True))
    return [f"{text.rjust(value)} {group.ljust(tie)}" if tie else text.rjust(value) for text, group in cells]


def _latex_cell(score: Score | None, digits: int) -> str:
    if score is None or score.value is None:
        return "--"
    value, _, ends = with_interval(score.value, score.low, score.high, digits=digits).partition(" ")
    interval = f" {{\\scriptsize {ends}}}" if ends else ""
    # Groups with names of two letters have a blank between them, which mathematics would drop.
    tie = str(score.extra.get("tie") or "").replace(" ", r"\ ")
    superscript = rf"$^{{\mathrm{{{tie}}}}}$" if tie else ""
    return f"{value}{superscript}{interval}"
