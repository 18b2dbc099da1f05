"""Score records -> a table for people, tab-separated values for programs, LaTeX for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from karat.evaluate.score.contingency import Contingency, ContingencyRow, Increment
from karat.evaluate.score.nug_table import NugRow
from karat.evaluate.score.sliced_scores import ADJUSTED
from karat.evaluate.tables.given_scores import LESS_IS_BETTER
from karat.evaluate.tables.slices import SLICE, slice_values
from karat.measures.cases.cases import ALL_QUERIES
from karat.measures.registry import less_is_better
from karat.model import Score
from karat.report.tables import TextTable, latex_table, terminal_width, visible

FEW_RUNS = 6
"""Up to this many runs have a column each."""
TEXT = 60
"""How many characters of a nug's description are shown."""


def nugs_table(rows: Sequence[NugRow]) -> TextTable:
    """One row per nug: its mean degree over the runs, and its degree in each run where there are few runs."""
    runs = list(dict.fromkeys(run_id for row in rows for run_id in row.degrees))
    shown = runs if len(runs) <= FEW_RUNS else []
    columns = ["query", "", *shown, *(["mean"] if len(runs) > 1 else []), "nug"]
    table = [
        [
            row.query_id,
            row.importance or "",
            *(_degree(row.degrees.get(run_id)) for run_id in shown),
            *([_mean(row.mean)] if len(runs) > 1 else []),
            row.description if len(row.description) <= TEXT else f"{row.description[: TEXT - 3]}...",
        ]
        for row in rows
    ]
    return TextTable(columns, table, right=[*shown, "mean"])


def nug_jsonl(rows: Sequence[NugRow]) -> str:
    """One object per nug: query_id, nug_id, importance, description, and the degree by run."""
    return "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)


def nug_tsv(rows: Sequence[NugRow]) -> str:
    """One row per nug and run."""
    lines = ["query_id\tnug_id\timportance\trun_id\tdegree\tdescription"]
    for row in rows:
        for run_id, degree in row.degrees.items():
            cells = (row.query_id, row.nug_id, row.importance or "", run_id, "" if degree is None else f"{degree:g}")
            lines.append("\t".join(map(_one_cell, (*cells, row.description))))
    return "\n".join(lines) + "\n"


def _degree(degree: float | None) -> str:
    return "?" if degree is None else f"{degree:.2g}"


def _mean(mean: float | None) -> str:
    return "?" if mean is None else f"{mean:.2f}"


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
    measures, head, rows = _layout(scores, by)
    names = [row[0] for row in rows]
    used = sum(max(map(len, cells)) + GAP for cells in zip(head, *names, strict=True))
    room = (terminal_width() if width is None else width) - used
    cells = {measure: _aligned([_cell(row.get(measure), row) for _, row in rows]) for measure in measures}
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


def query_spread_table(scores: Sequence[Score]) -> TextTable | None:
    """Best, median and worst run of each query, and how many runs score zero, as TREC prints them.

    None for fewer than three runs.
    """
    values_of: dict[tuple[str, str], list[float]] = {}
    runs = {score.run_id for score in scores}
    for score in scores:
        if score.value is not None:
            values_of.setdefault((score.measure, score.query_id), []).append(score.value)
    if len(runs) < 3:
        return None
    rows = [
        [measure, query_id, f"{max(values):.3f}", f"{median(values):.3f}", f"{min(values):.3f}", str(values.count(0.0))]
        for (measure, query_id), values in values_of.items()
    ]
    columns = ["measure", "query", "best", "median", "worst", "zeros"]
    return TextTable(columns, rows, right=columns[2:])


def score_latex(scores: Sequence[Score], *, by: str = "run") -> str:
    """The same table for a paper: booktabs, the tie group as a superscript."""
    measures, head, rows = _layout(scores, by)
    table = [[*names, *(_latex_cell(row.get(measure)) for measure in measures)] for names, row in rows]
    return latex_table([*head, *measures], table, right=["n", *measures], raw=measures)


def score_tsv(scores: Sequence[Score]) -> str:
    """`run query measure value low high n undefined tie signature` with a header; an undefined value is empty.

    Where there are slices, the column `by` names their field, so that nobody takes them for queries.
    """
    names = ["run_id", "query_id", "measure", "value", "low", "high", "n", "undefined", "tie", "signature"]
    sliced = [SLICE] if any(SLICE in score.extra for score in scores) else []
    lines = ["\t".join([*names, *sliced])]
    for score in scores:
        cells = [score.value, score.low, score.high, score.n, score.undefined, score.extra.get("tie"), score.signature]
        cells += [score.extra.get(name) for name in sliced]
        values = ("" if cell is None else str(cell) for cell in cells)
        lines.append("\t".join(map(_one_cell, (score.run_id, score.query_id, score.measure, *values))))
    return "\n".join(lines) + "\n"


def _one_cell(text: str) -> str:
    """A tab or line break in an id would break the table, so it is written as one."""
    return text if text.isprintable() else visible(text)


def _layout(scores: Sequence[Score], by: str) -> tuple[list[str], list[str], list[tuple[list[str], ByMeasure]]]:
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


def _cell(score: Score | None, row: ByMeasure) -> tuple[str, str]:
    """The value with its interval, and its tie group."""
    if score is None:
        return "", ""
    if score.value is None:
        return UNDEFINED, ""
    # Where a measure is defined for fewer queries than the row says, the cell says for how many.
    fewer = f" n={score.n}" if score.undefined and str(score.n) != _counted(row) else ""
    interval = "" if score.low is None or score.high is None else f" [{score.low:.3f}, {score.high:.3f}]"
    if score.judge_low is not None and score.judge_high is not None:
        interval += f" {{{score.judge_low:.3f}, {score.judge_high:.3f}}}"
    return f"{score.value:.3f}{interval}{fewer}", str(score.extra.get("tie", ""))


def _aligned(cells: Sequence[tuple[str, str]]) -> list[str]:
    """Cells of equal width: values aligned to the right, then the tie groups aligned to the left."""
    value, tie = (max(map(len, part)) for part in zip(*cells, strict=True))
    return [f"{text.rjust(value)} {group.ljust(tie)}" if tie else text.rjust(value) for text, group in cells]


def _latex_cell(score: Score | None) -> str:
    if score is None or score.value is None:
        return "--"
    interval = (
        "" if score.low is None or score.high is None else f" {{\\scriptsize [{score.low:.3f}, {score.high:.3f}]}}"
    )
    tie = score.extra.get("tie")
    superscript = rf"$^{{\mathrm{{{tie}}}}}$" if tie else ""
    return f"{score.value:.3f}{superscript}{interval}"


COUNTS = ("right", "wrong", "redundant", "estimated", "missing")
INCREMENTS = ("right", "wrong", "redundant", "missing", "other")


def chosen_rows(contingency: Contingency, by: str) -> Sequence[ContingencyRow | Increment]:
    """The increments (`nug`), the tables of each query (`query`), or those over all queries."""
    if by == "nug":
        return sorted(contingency.increments, key=lambda row: (row.query_id, row.nug_id, row.run_id))
    return [row for row in contingency.rows if (row.query_id == ALL_QUERIES) != (by == "query")]


def contingency_table(contingency: Contingency, by: str) -> TextTable:
    rows = chosen_rows(contingency, by)
    if by == "nug":
        names: tuple[str, ...] = ("query", "nug", "run", *INCREMENTS, "description")
        cells = [
            [row.query_id, row.nug_id, row.run_id, *_numbers(row, INCREMENTS), row.description[:TEXT]]
            for row in rows
            if isinstance(row, Increment)
        ]
        return TextTable(names, cells, right=INCREMENTS)
    ids = ("run", "query") if by == "query" else ("run",)
    cells = [[*([row.run_id, row.query_id][: len(ids)]), *_numbers(row, COUNTS)] for row in rows]
    return TextTable((*ids, *COUNTS), cells, right=COUNTS)


def contingency_tsv(contingency: Contingency, by: str) -> str:
    rows = chosen_rows(contingency, by)
    names = (Increment if by == "nug" else ContingencyRow).__struct_fields__
    lines = ["\t".join(names)]
    for row in rows:
        values = (getattr(row, name) for name in names)
        lines.append("\t".join(f"{value:g}" if isinstance(value, float) else _one_cell(value) for value in values))
    return "\n".join(lines) + "\n"


def contingency_jsonl(contingency: Contingency, by: str) -> str:
    return "".join(msgspec.json.encode(row).decode() + "\n" for row in chosen_rows(contingency, by))


def _numbers(row: ContingencyRow | Increment, names: Sequence[str]) -> list[str]:
    return [f"{getattr(row, name):.2f}" for name in names]
