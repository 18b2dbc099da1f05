from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import collect, lost, messages, round_trip, sniffed
from karat.formats import write_bytes
from karat.model import Query, Run

REQUEST = {
    "request_id": "300",
    "collection_ids": ["bees/1"],
    "background": "I keep bees.",
    "problem_statement": "Why do bees dance?",
    "limit": 2000,
    "title": "bee dance",
}


def test_reads_a_query_whose_text_is_the_problem_statement() -> None:
    others = {name: REQUEST[name] for name in ("collection_ids", "background", "limit", "title")}
    assert collect(json.dumps(REQUEST), "report-requests").queries == [
        Query(query_id="300", text="Why do bees dance?", extra=others)
    ]


def test_the_title_replaces_a_missing_problem_statement() -> None:
    data = "\ufeff" + json.dumps({"request_id": 7, "title": "bee dance", "problem_statement": None, "limit": 10})
    collection = collect(data + "\r\n", "report-requests")
    assert collection.queries == [Query(query_id="7", text="bee dance", extra={"title": "bee dance", "limit": 10})]
    round_trip(collection, "report-requests")


def test_requests_without_a_text_or_with_a_used_id_are_reported() -> None:
    rows = [{"request_id": "1", "background": "x"}, REQUEST, REQUEST, {"title": "y"}]
    assert messages("\n".join(map(json.dumps, rows)), "report-requests") == [
        "1: problem_statement: is missing",
        "3: request_id: the request '300' appears twice",
        "4: request_id: is missing",
    ]


def test_round_trip_writes_the_same_object() -> None:
    written = round_trip(collect(json.dumps(REQUEST), "report-requests"), "report-requests")
    assert json.loads(written) == REQUEST


def test_extra_never_overrides_what_is_known() -> None:
    query = Query(query_id="1", text="a", extra={"request_id": "2", "problem_statement": "b"})
    written = write_bytes([query], format="report-requests")
    assert collect(written, "report-requests").queries == [Query(query_id="1", text="a")]


def test_is_recognised() -> None:
    assert sniffed(json.dumps(REQUEST)) == "report-requests"


def test_what_cannot_be_written_is_counted() -> None:
    records = [Query(query_id="1", text="a", template="t"), Run(run_id="r")]
    assert lost(records, "report-requests") == {"query.template": 1, "run": 1}


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("neuclir24-minitest/neuclir24-test-zho.requests.jsonl", 59),
        ("neuclir24-nugget-questions/neuclir24-test-request.jsonl", 19),
    ],
)
def test_neuclir_requests(real_data: Path, path: str, count: int) -> None:
    data = (real_data / path).read_bytes()
    rows = [json.loads(row) for row in data.splitlines()]
    collection = collect(data, "report-requests")
    assert sniffed(data) == "report-requests"
    assert len(collection.queries) == len(rows) == count
    for query, row in ((collection.queries[0], rows[0]), (collection.queries[-1], rows[-1])):
        assert (query.query_id, query.text) == (row["request_id"], row["problem_statement"])
    written = round_trip(collection, "report-requests")
    assert [json.loads(row) for row in written.splitlines()] == rows
