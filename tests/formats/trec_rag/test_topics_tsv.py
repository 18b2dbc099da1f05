from __future__ import annotations

from pathlib import Path

import pytest

from helpers import collect, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_rag.topics_tsv import sniff_topics_tsv
from karat.model import Query, Run

DATA = "q1\twhy do bees dance\n2\t\u201cwho\u201d knows?\n"


def recognised(data: str) -> bool:
    return sniff_topics_tsv(Head(Source("<bytes>", data.encode())))


def test_reads_one_query_per_line() -> None:
    assert collect(DATA, "topics-tsv").queries == [
        Query(query_id="q1", text="why do bees dance"),
        Query(query_id="2", text="\u201cwho\u201d knows?"),
    ]


def test_a_byte_order_mark_crlf_and_blank_lines_are_read() -> None:
    assert collect("\ufeff" + DATA.replace("\n", "\r\n\r\n"), "topics-tsv") == collect(DATA, "topics-tsv")


def test_reads_json_lines_with_titles() -> None:
    data = '{"id": 1, "title": "why do bees dance"}\n{"id": "2", "title": "who knows?", "lang": "en"}\n'
    assert collect(data, "topics-tsv").queries == [
        Query(query_id="1", text="why do bees dance"),
        Query(query_id="2", text="who knows?", extra={"lang": "en"}),
    ]


def test_lines_of_another_shape_are_reported_and_left_out() -> None:
    assert messages("q1\ta\nlonely\nq2\tb\tc\nq1\td\n", "topics-tsv") == [
        "2: text: the row has 1 values for 2 columns",
        "3: the row has 3 values for 2 columns",
        "4: id: the topic 'q1' appears twice",
    ]


def test_is_recognised() -> None:
    assert recognised(DATA)
    assert recognised('{"id": "1", "title": "why"}\n{"id": "2", "title": "who"}\n')
    assert not recognised("qid\tquery\nq1\twhy do bees dance\n")
    assert not recognised("q1\t0.5\nq2\t0.25\n")
    assert not recognised("q1\twhy\tx\n")
    assert not recognised("a query\twith blanks\n")
    assert not recognised('{"id": 1, "title": ["why"]}')
    assert not recognised("")


def test_round_trip() -> None:
    assert round_trip(collect(DATA, "topics-tsv"), "topics-tsv").decode() == DATA


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Query(query_id="q 1", text="a"),
        Query(query_id="q2", text="a\tb\nc", extra={"x": 1}),
        Run(run_id="r"),
    ]
    assert lost(records, "topics-tsv") == {"query": 1, "query.text": 1, "query.extra": 1, "run": 1}


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count", "first"),
    [
        ("rag25-topics-dev.tsv", 22, "14"),
        ("research-rubrics-topics-dev.tsv", 30, "683a58c9a7e7fe4e7695846f"),
        ("trec_rag_2026_queries.tsv", 119, "rag2026-0"),
    ],
)
def test_trec_rag_topics(real_data: Path, name: str, count: int, first: str) -> None:
    text = (real_data / "trec-rag-2025-dev" / name).read_bytes().decode()
    rows = [line.split("\t") for line in text.split("\n") if line]
    collection = collect(text, "topics-tsv")
    assert recognised(text)
    assert len(collection.queries) == len(rows) == count
    assert (collection.queries[0].query_id, collection.queries[0].text) == (first, rows[0][1])
    assert (collection.queries[-1].query_id, collection.queries[-1].text) == tuple(rows[-1])
    assert round_trip(collection, "topics-tsv").decode() == text
