"""Score records -> a table for people, or tab-separated values for programs."""

from __future__ import annotations

from collections.abc import Sequence

from karat.model import Score
from karat.report.tables import print_table

UNDEFINED = "undefined"


def print_score_table(scores: Sequence[Score], *, by_query: bool = False) -> None:
    """A row a run (and query), a column a measure; the best mean of the first measure on top."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    rows: dict[tuple[str, str], dict[str, Score]] = {}
    for score in scores:
        rows.setdefault((score.run_id, score.query_id), {})[score.measure] = score
    ordered = list(rows.items())
    if not by_query and measures:
        # Undefined stands below everything that could be counted.
        ordered.sort(key=lambda row: -_sort_value(row[1].get(measures[0])))
    head = ["run", "query"] if by_query else ["run"]
    table = []
    for (run_id, query_id), found in ordered:
        cells = [_cell(found.get(measure)) for measure in measures]
        table.append([run_id, *([query_id] if by_query else [_count(found[measures[0]])]), *cells])
    columns = [*head, *([] if by_query else ["n"]), *measures]
    print_table(columns, table, right=["n", *measures])


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


def _count(score: Score) -> str:
    return str(score.n) if not score.undefined else f"{score.n} (+{score.undefined} undefined)"


def _cell(score: Score | None) -> str:
    if score is None or score.value is None:
        return UNDEFINED
    if score.low is None or score.high is None:
        return f"{score.value:.3f}"
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"
