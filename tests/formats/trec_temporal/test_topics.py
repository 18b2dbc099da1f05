from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_temporal.topics import sniff_tempsumm_topics
from karat.model import Query, Run

TOPICS = """<?xml version="1.0" encoding="UTF-8" ?>
<events>
<event>
  <id>7</id>
  <title>Lake &amp; ferry</title>
  <start>1326491100</start>
  <end>1328054400</end>
  <query>ferry lake</query>\x20
  <type>accident</type>
  <deaths/>
</event>
</events>
"""
QUERY = Query(
    query_id="7",
    text="ferry lake",
    conditions={"type": "accident"},
    extra={"start": 1326491100, "end": 1328054400, "title": "Lake & ferry", "deaths": ""},
)


def test_reads_a_query_an_event() -> None:
    assert list(collect(TOPICS, "tempsumm-topics")) == [QUERY]
    assert list(collect(b"\xef\xbb\xbf" + TOPICS.replace("\n", "\r\n").encode(), "tempsumm-topics")) == [QUERY]


def test_the_title_replaces_a_missing_query() -> None:
    data = "<events><event><id>7</id><title>Lake</title></event></events>"
    assert list(collect(data, "tempsumm-topics")) == [Query(query_id="7", text="Lake")]


def test_bad_events_are_reported_and_the_others_kept() -> None:
    data = (
        "<events>\n<event><query>x</query></event>\n<event><id>1</id></event>\n"
        "<event><id>2</id><query>x</query><start>soon</start></event>\n<event><id>2</id><query>y</query></event>\n</events>"
    )
    assert messages(data, "tempsumm-topics") == [
        "2: id: is missing",
        "3: query: is missing",
        "4: start: must be a number, not 'soon'",
        "5: id: event 2 is already in the file",
    ]
    collection, problems = collect_with_problems(data, "tempsumm-topics")
    assert list(collection) == [Query(query_id="2", text="x")]
    assert problems[-1].code == "duplicate-id"


def test_elements_inside_elements_are_a_lint_finding() -> None:
    data = "<events><event><id>2</id><query>x</query><places><place>y</place></places></event></events>"
    reading = open_reading(data.encode(), format="tempsumm-topics")
    assert len(list(reading)) == 1
    assert [warning.code for warning in reading.source.warnings] == ["left-out"]


def test_round_trip() -> None:
    round_trip([QUERY, Query(query_id="8", text="a < b")], "tempsumm-topics")


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        Run(run_id="r"),
        Query(query_id="1", text=" x", template="t", conditions={"language": "en"}, extra={"n": 3, "a b": "c"}),
    ]
    assert lost(records, "tempsumm-topics") == {
        "run": 1,
        "query.text": 1,
        "query.template": 1,
        "query.conditions": 1,
        "query.extra": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"), [(TOPICS, True), ("", False), ("<events><event/></events>", False), ("<ciqa/>", False)]
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_tempsumm_topics(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(("year", "count"), [(2013, 10), (2014, 15)])
def test_released_topics(real_data: Path, year: int, count: int) -> None:
    data = (real_data / f"trec-tempsumm-{year}" / f"trec{year}-ts-topics-test.xml").read_bytes()
    texts = {tag: re.findall(f"<{tag}>(.*?)</{tag}>", data.decode()) for tag in ("id", "query", "type", "start", "end")}
    queries = collect(data, "tempsumm-topics").queries
    assert len(queries) == count
    assert [query.query_id for query in queries] == texts["id"]
    assert [query.text for query in queries] == texts["query"]
    assert [query.conditions["type"] for query in queries] == texts["type"]
    assert [query.extra["start"] for query in queries] == [int(text) for text in texts["start"]]
    assert [query.extra["end"] for query in queries] == [int(text) for text in texts["end"]]
    round_trip(queries, "tempsumm-topics")
