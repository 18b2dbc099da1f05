"""Requests for reports (NeuCLIR, RAGTIME): `{"request_id", "title", "background", "problem_statement", "limit"}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.model import AnyRecord, Collection, Query

TITLE = "report requests"
CARRIES = carries(query="query_id text extra")


def sniff_report_requests(head: Head) -> bool:
    asks = head.has("problem_statement") or (head.has("title") and (head.has("background") or head.has("limit")))
    return head.has("request_id") and asks and "run_id" not in head.row


def read_report_requests(source: Source) -> Iterator[AnyRecord]:
    """One Query per row: its text is the problem statement, or the title if there is none."""
    seen: set[str] = set()
    for row in json_rows(source):
        with row.unit():
            # A title stays in `extra`, even if it is the text, because that is its place beside a problem statement.
            extra = row.rest("request_id", "problem_statement")
            query_id = source.query_id = row.id("request_id", "topic_id")
            if query_id in seen:
                row.bad("request_id", f"the request {query_id!r} appears twice", code="duplicate-id")
            seen.add(query_id)
            yield Query(query_id=query_id, text=row.text("problem_statement", "title"), extra=extra)


def write_report_requests(records: Iterable[AnyRecord], sink: Sink) -> None:
    for query in Collection(records).queries:
        known = {"request_id": query.query_id, "problem_statement": query.text}
        sink.json_line(query.extra | known)
