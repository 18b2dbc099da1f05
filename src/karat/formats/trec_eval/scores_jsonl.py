"""Scores as JSON lines: `{"run_id", "topic_id", "measure", "value"}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Score

TITLE = "scores, one JSON object per line"
CARRIES = carries(score="run_id query_id measure value extra")
_TOPIC = ("topic_id", "query_id", "qid", "request_id", "topic")


def sniff_scores_jsonl(head: Head) -> bool:
    return (
        head.has("run_id", "measure", "value")
        and any(name in head.row for name in _TOPIC)
        and isinstance(head.row["measure"], str)
        and isinstance(head.row["value"], int | float | None)
    )


def read_scores_jsonl(source: Source) -> Iterator[AnyRecord]:
    """One Score per line; null is an undefined score."""
    seen: set[tuple[str, str, str]] = set()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id(*_TOPIC)
            run_id, measure = row.id("run_id"), row.id("measure")
            if "value" not in row.data:
                row.bad("value", "is missing", code="missing-field")
            value = row.optional_number("value")
            if (run_id, query_id, measure) in seen:
                row.bad("", f"run {run_id!r} has {measure!r} for topic {query_id!r} twice", code="duplicate-id")
            seen.add((run_id, query_id, measure))
            yield Score(run_id=run_id, query_id=query_id, measure=measure, value=value, extra=row.rest())


def write_scores_jsonl(records: Iterable[AnyRecord], sink: Sink) -> None:
    for score in records:
        assert isinstance(score, Score)
        row = {"run_id": score.run_id, "topic_id": score.query_id, "measure": score.measure, "value": score.value}
        known = {*row, *_TOPIC}
        sink.json_line(row | {name: value for name, value in score.extra.items() if name not in known})
        if score.extra.keys() & known:
            sink.lose("score.extra", "it has the name of a known field")
