"""Score records -> rows for programs, long or wide; and the whole result of `karat score`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from karat.evaluate.score.score import Scoring
from karat.model import Score, record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable
from karat.reports.score.tables import (
    IN_BRACES,
    layout_of,
    query_spread,
    query_spread_table,
    score_latex,
    score_tables,
)


def scores_data(scores: Sequence[Score], name: str = "scores") -> DataTable:
    """`run_id query_id measure value low high n undefined tie signature`, and what else a score has; None is undefined.

    Where there are slices, the column `by` names their field, so that nobody takes them for queries.
    """
    judge = ["judge_low", "judge_high"] if any(score.judge_low is not None for score in scores) else []
    first = ["run_id", "query_id", "measure", "value", "low", "high", *judge, "n", "undefined"]
    rows = [
        {column: getattr(score, column) for column in first}
        | {"tie": score.extra.get("tie"), "signature": score.signature}
        | score.extra
        for score in scores
    ]
    return DataTable.of(name, rows, [*first, "tie", "signature"])


def wide_data(scores: Sequence[Score], by: str = "run") -> DataTable:
    """One row per run (and query, or slice), the best first: MEASURE, MEASURE_low, MEASURE_high, ..., MEASURE_tie."""
    measures, _, rows = layout_of(scores, by)
    sliced = [] if by == "run" else ["query_id"]
    table = []
    for _, row in rows:
        first = next(iter(row.values()))
        cells: dict[str, object] = {"run_id": first.run_id, **dict.fromkeys(sliced, first.query_id)}
        cells["n"] = max(score.n or 0 for score in row.values())
        for measure in measures:
            score = row.get(measure)
            for name in ("value", "low", "high", "judge_low", "judge_high"):
                value = None if score is None else getattr(score, name)
                if name in ("value", "low", "high") or value is not None:
                    cells[measure if name == "value" else f"{measure}_{name}"] = value
            cells[f"{measure}_tie"] = None if score is None else score.extra.get("tie")
        table.append(cells)
    return DataTable.of("scores", table, ["run_id", *sliced, "n"])


Layout = Literal["long", "wide"]


def scores_result(scoring: Scoring, *, by: str | None = None, layout: Layout | None = None) -> ShownResult:
    """What `karat score` prints.

    layout: long (one row per run and measure) or wide (one row per run, a column per measure). By default tables for
    people are wide, and those for programs long, so that their columns do not depend on the measures.
    """
    by = by or scoring.by or "run"
    scores = scoring.by_query() if by == "query" else scoring.of_all()
    words = [IN_BRACES] if any(score.judge_low is not None for score in scores) else []

    def parts(width: int | None) -> Iterator[TextTable | str]:
        if layout == "long":
            yield scores_data(scores).text_table()
            return
        yield from score_tables(scores, by=by, width=width)
        if by == "query" and (spread := query_spread_table(scores)) is not None:
            yield spread

    def tables() -> list[DataTable]:
        data = [wide_data(scores, by) if layout == "wide" and scores else scores_data(scores)]
        spread = query_spread(scores) if by == "query" else []
        return [*data, *([DataTable.of("queries", spread)] if spread else [])]

    return ShownResult(
        parts=parts,
        tables=tables,
        lines=None if layout == "wide" else lambda: [record_to_dict(score) for score in scores],
        notes=[*scoring.notes, *(scoring.interval_notes if by != "query" else ())],
        words=words,
        signatures=common_signature(scores),
        latex=(lambda: score_latex(scores, by=by)) if layout != "long" and scores else None,
    )


def common_signature(scores: Sequence[Score]) -> list[str]:
    """The signature of all scores, with the names of all measures; none where scores have none."""
    if not scores or scores[0].signature is None:
        return []
    names = ",".join(dict.fromkeys(score.measure for score in scores))
    return [f"{names}|{scores[0].signature.partition('|')[2]}"]
