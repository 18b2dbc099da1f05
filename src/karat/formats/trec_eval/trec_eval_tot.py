"""Scores of several runs as `run measure topic value`, one score per line.

my-run	map	301	0.2817
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.formats.trec_eval.score_tables import (
    SCORE_CARRIES,
    ScoreRows,
    all_measures,
    all_numeric,
    cell,
    split_columns,
    table_lines,
    value_text,
)
from karat.model import AnyRecord, Score

TITLE = "score table: run, measure, topic, value"
CARRIES = SCORE_CARRIES


def sniff_trec_eval_tot(head: Head) -> bool:
    rows = table_lines(head)
    return (
        bool(rows)
        and all(len(row) == 4 for row in rows)
        and all_numeric(rows, 3)
        and all_measures(rows, 1)
        and not all_measures(rows, 2)
    )


def read_trec_eval_tot(source: Source) -> Iterator[AnyRecord]:
    """One Score per line."""
    scores = ScoreRows(source)
    for text in source.text_lines():
        values = split_columns(text)
        if not any(values):
            continue
        if len(values) != 4:
            source.report(
                "", f"the row has {len(values)} values for the 4 columns run measure topic value", code="bad-table"
            )
            continue
        run_id, measure, topic, value = values
        yield from scores(run_id, topic, measure, value)


def write_trec_eval_tot(records: Iterable[AnyRecord], sink: Sink) -> None:
    for score in records:
        assert isinstance(score, Score)
        run_id, measure = cell(score.run_id, "score.run_id", sink), cell(score.measure, "score.measure", sink)
        sink.write(f"{run_id}\t{measure}\t{cell(score.query_id, 'score.query_id', sink)}\t{value_text(score, sink)}\n")
