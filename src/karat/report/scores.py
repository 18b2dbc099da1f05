"""Score records -> a table for people, or tab-separated values for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.model import Score
from karat.report.tables import print_table, terminal_width

UNDEFINED = "undefined"
GAP = 3
"""The room between two columns."""


def print_score_table(scores: Sequence[Score], *, by_query: bool = False) -> None:
    """A row a run (and query), a column a measure, as many side by side as there is room for; best run on top."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    rows: dict[tuple[str, str], dict[str, Score]] = {}
    for score in scores:
        rows.setdefault((score.run_id, score.query_id), {})[score.measure] = score
    ordered = list(rows.items())
    if not by_query and measures:
        # Undefined stands below everything that could be counted.
        ordered.sort(key=lambda row: -_sort_value(row[1].get(measures[0])))
    names = [[run_id, query_id] if by_query else [run_id, _counted(found)] for (run_id, query_id), found in ordered]
    head = ["run", "query"] if by_query else ["run", "n"]
    room = terminal_width() - sum(max(map(len, cells)) + GAP for cells in zip(head, *names, strict=True))
    cells = {measure: [_cell(found.get(measure), found) for _, found in ordered] for measure in measures}
    widths = {measure: max(len(measure), *map(len, cells[measure])) + GAP for measure in measures}
    left = list(measures)
    while left:
        shown = [left.pop(0)]
        while left and sum(widths[measure] for measure in (*shown, left[0])) <= room:
            shown.append(left.pop(0))
        table = [[*name, *row] for name, row in zip(names, zip(*(cells[m] for m in shown), strict=True), strict=True)]
        print_table([*head, *shown], table, right=["n", *shown])


def score_tsv(scores: Sequence[Score]) -> str:
    """`run query measure value low high n undefined` with a header; an undefined value is empty."""
    lines = ["run_id\tquery_id\tmeasure\tvalue\tlow\thigh\tn\tundefined\tsignature"]
    for score in scores:
        cells = (score.value, score.low, score.high, score.n, score.undefined, score.signature)
        values = ("" if cell is None else str(cell) for cell in cells)
        lines.append("\t".join((score.run_id, score.query_id, score.measure, *values)))
    return "\n".join(lines) + "\n"


def _sort_value(score: Score | None) -> float:
    return float("-inf") if score is None or score.value is None else score.value


def _counted(found: Mapping[str, Score]) -> str:
    """How many queries the means of a run are over: of the measures, the one that is defined most often."""
    return str(max(score.n or 0 for score in found.values()))


def _cell(score: Score | None, others: Mapping[str, Score]) -> str:
    if score is None or score.value is None:
        return UNDEFINED
    # Where a measure is defined for fewer queries than the row says, the cell tells for how many.
    fewer = f" n={score.n}" if score.undefined and str(score.n) != _counted(others) else ""
    if score.low is None or score.high is None:
        return f"{score.value:.3f}{fewer}"
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]{fewer}"
