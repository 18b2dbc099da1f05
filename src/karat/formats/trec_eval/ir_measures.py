"""Scores as in ir_measures and its leaderboards: `run topic measure value`, one score per line.

my-run	301	nDCG@10	0.2817

Also the output of the program itself: `topic measure value`, or `measure value` over all topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.eval_tools.answer_rows import run_of_file
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink
from karat.formats.io.source import Source
from karat.formats.trec_eval.score_tables import (
    ALL,
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

TITLE = "score table: run, topic, measure, value (ir_measures)"
CARRIES = SCORE_CARRIES


def sniff_ir_measures(head: Head) -> bool:
    rows = table_lines(head)
    width = len(rows[0]) if rows else 0
    return (
        width in (2, 3, 4)
        and all(len(row) == width for row in rows)
        and all_numeric(rows, width - 1)
        and all_measures(rows, width - 2)
        and (width < 3 or not all_measures(rows, width - 3))
    )


def read_ir_measures(source: Source) -> Iterator[AnyRecord]:
    """One Score per line; the run is the file's name if the lines have none."""
    scores = ScoreRows(source)
    for text in source.text_lines():
        values = split_columns(text)
        if not any(values):
            continue
        if len(values) not in (2, 3, 4):
            source.report(
                "", f"the row has {len(values)} values for the 4 columns run topic measure value", code="bad-table"
            )
            continue
        missing = [run_of_file(source), ALL][: 4 - len(values)]
        run_id, topic, measure, value = missing + values
        yield from scores(run_id, topic, measure, value)


def write_ir_measures(records: Iterable[AnyRecord], sink: Sink) -> None:
    for score in records:
        assert isinstance(score, Score)
        run_id, topic = cell(score.run_id, "score.run_id", sink), cell(score.query_id, "score.query_id", sink)
        sink.write(f"{run_id}\t{topic}\t{cell(score.measure, 'score.measure', sink)}\t{value_text(score, sink)}\n")
