"""trec_eval's output: `measure topic value`, one run per file (or several, one after the other).

map                   	301	0.2817
runid                 	all	my-run
map                   	all	0.1904
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
    cell,
    is_number,
    split_columns,
    table_lines,
    value_text,
)
from karat.model import AnyRecord, Score

TITLE = "trec_eval output"
CARRIES = SCORE_CARRIES
RUN_ID = "runid"
"""The measure whose value is the name of the run."""


def sniff_trec_eval(head: Head) -> bool:
    rows = table_lines(head)
    return (
        bool(rows)
        and all(len(row) == 3 for row in rows)
        and all(is_number(row[2]) or row[0] == RUN_ID or row[0].startswith("relstring") for row in rows)
        and all_measures(rows, 0)
        and not all_measures(rows, 1)
    )


def read_trec_eval(source: Source) -> Iterator[AnyRecord]:
    """One Score per line. The line `runid all NAME` names the run: trec_eval prints it after the lines of
    single topics and before those of all topics. Without it, the run is named after the file."""
    scores = ScoreRows(source)
    for run_id, rows in _rows_by_run(source):
        for line, (measure, topic, value) in rows:
            source.line = line
            yield from scores(run_id, topic, measure, value)


def _rows_by_run(source: Source) -> list[tuple[str, list[tuple[int, list[str]]]]]:
    """The numbered rows of each run, named by the nearest `runid` line."""
    rows_by_run: list[tuple[str, list[tuple[int, list[str]]]]] = []
    waiting: list[tuple[int, list[str]]] = []
    for text in source.text_lines():
        values = split_columns(text)
        if not any(values):
            continue
        if len(values) != 3:
            source.report(
                "", f"the row has {len(values)} values for the 3 columns measure topic value", code="bad-table"
            )
        elif values[0] == RUN_ID:
            rows_by_run.append((values[2], waiting))
            waiting = []
        elif rows_by_run and values[1] == ALL:
            rows_by_run[-1][1].append((source.line, values))
        else:
            waiting.append((source.line, values))
    if waiting:
        rows_by_run.append((rows_by_run[-1][0] if rows_by_run else run_of_file(source), waiting))
    return rows_by_run


def write_trec_eval(records: Iterable[AnyRecord], sink: Sink) -> None:
    """For each run the scores of its topics, its name and its scores over all topics, in the order of trec_eval."""
    by_run: dict[str, list[Score]] = {}
    for record in records:
        assert isinstance(record, Score)
        by_run.setdefault(record.run_id, []).append(record)
    for run_id, scores in by_run.items():
        for score in scores:
            if score.query_id != ALL:
                _write_row(score.measure, score.query_id, value_text(score, sink), sink)
        _write_row(RUN_ID, ALL, cell(run_id, "score.run_id", sink), sink)
        for score in scores:
            if score.query_id == ALL:
                _write_row(score.measure, ALL, value_text(score, sink), sink)


def _write_row(measure: str, topic: str, value: str, sink: Sink) -> None:
    sink.write(f"{cell(measure, 'score.measure', sink):<22}\t{cell(topic, 'score.query_id', sink)}\t{value}\n")
