from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_qa.questions import sniff_trec_qa_questions
from karat.model import Query, Run

SERIES = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE trecqa [ <!-- a comment --> <!ELEMENT q (CDATA)> ]>
<trecqa year="2004" task="main">
<target id = "9" text = "Moon &amp; bears ">
  <qa><q id = "9.1" type="FACTOID">
     Where do
     they live?
  </q></qa>
  <qa><q id="9.2" type="OTHER"> Other </q></qa>
</target>
</trecqa>
"""
LABELLED = (
    "<top>\n\n<num> Number: 77\n\n<type> Type: Definition\n\n<desc> Description:\nWhat is a\nmoon bear?\n\n</top>\n"
)
CLOSED = "<top>\n<num> 3 </num>\n<desc>\nThe analyst asks.  Why?\n</desc>\n</top>\n"
CIQA = """<ciqa>
  <topic num="26">
    <template id="2">What [ties] exist between [bears] and [bees]?</template>
    <narrative>Honey &lt; all.</narrative>
  </topic>
</ciqa>
"""
SHARED = {"year": "2004", "task": "main", "target_id": "9", "target": "Moon & bears"}


def read(data: str | bytes) -> list[Query]:
    return collect(data, "trec-qa-questions").queries


def test_reads_series() -> None:
    assert read(SERIES) == [
        Query(query_id="9.1", text="Where do they live?", conditions={"type": "factoid"}, extra=SHARED),
        Query(query_id="9.2", text="Other", conditions={"type": "other"}, extra=SHARED),
    ]


def test_reads_the_encoding_a_file_declares() -> None:
    assert read(SERIES.replace("they", "él").encode("latin-1"))[0].text == "Where do él live?"


def test_reads_both_styles_of_topics() -> None:
    assert read(LABELLED + CLOSED) == [
        Query(query_id="77", text="What is a moon bear?", conditions={"type": "definition"}),
        Query(query_id="3", text="The analyst asks.  Why?"),
    ]


def test_topics_keep_title_and_narrative() -> None:
    data = "<top>\r\n<num> Number: 1\r\n<title> bears\r\n<desc> Description:\r\nWhy?\r\n<narr> Narrative:\r\nLong."
    assert read(b"\xef\xbb\xbf" + data.encode()) == [
        Query(query_id="1", text="Why?", extra={"title": "bears", "narrative": "Long."})
    ]


def test_reads_templates_and_their_slots() -> None:
    assert read(CIQA) == [
        Query(
            query_id="26",
            text="What [ties] exist between [bears] and [bees]?",
            template="2",
            slots={"1": "ties", "2": "bears", "3": "bees"},
            extra={"narrative": "Honey < all."},
        )
    ]


def test_bad_questions_are_reported_and_the_others_kept() -> None:
    data = SERIES.replace('id = "9.1" ', "").replace("</target>", '<qa><q id="9.2">Again</q></qa></target>')
    assert messages(data, "trec-qa-questions") == ["5: id: is missing", "10: question 9.2 is already in the file"]
    assert [query.text for query in collect_with_problems(data, "trec-qa-questions")[0].queries] == ["Other"]
    assert messages(LABELLED + "<top>\n<num> 4\n</top>", "trec-qa-questions") == ["12: desc: is missing"]
    assert messages("<ciqa><topic num='1'/></ciqa>", "trec-qa-questions") == ["1: template: is missing"]


def test_a_file_that_is_not_xml_is_reported() -> None:
    assert messages("<trecqa><q id='1'></trecqa>", "trec-qa-questions") == ["1: is not XML: mismatched tag"]
    assert messages("<html/>", "trec-qa-questions") == ["1: the root is <html>, not one of <trecqa>, <ciqa>, <top>"]


def test_answers_beside_a_question_are_a_lint_finding() -> None:
    data = "<trecqa><qa><q id='1'>x</q><as><a src='s'>y</a></as></qa></trecqa>"
    reading = open_reading(data.encode(), format="trec-qa-questions")
    assert list(reading) == [Query(query_id="1", text="x")]
    assert [warning.code for warning in reading.source.warnings] == ["left-out"]


@pytest.mark.parametrize("data", [SERIES, LABELLED + CLOSED, CIQA])
def test_round_trip(data: str) -> None:
    round_trip(read(data), "trec-qa-questions")


def test_round_trip_of_questions_with_and_without_target_and_with_attributes_of_their_own() -> None:
    round_trip(
        [Query(query_id="1", text='Why <this> & "that"?', extra={"level": "hard"}), *read(CLOSED)],
        "trec-qa-questions",
    )
    lone = Query(query_id="5", text="x", extra={"year": "2004", "task": "main"})
    round_trip([*read(SERIES), lone], "trec-qa-questions")


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        *read(CLOSED),
        *read(CIQA),
        Query(query_id="1", text="a\nb", conditions={"type": "List", "language": "en"}, extra={"n": 3}),
        Run(run_id="r"),
    ]
    assert lost(records, "trec-qa-questions") == {
        "run": 1,
        "query.text": 1,
        "query.conditions": 2,
        "query.extra": 1,
        "query.template": 1,
    }
    filled = Query(query_id="1", text="no brackets", template="1", slots={"1": "x"}, conditions={"type": "list"})
    assert lost([filled], "trec-qa-questions") == {"query.slots": 1, "query.conditions": 1}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (SERIES, True),
        (LABELLED, True),
        (CLOSED, True),
        (CIQA, True),
        ("", False),
        ("<pyramid><scu/></pyramid>", False),
        ("#PERSON Ann\n#ORG Bee\n", False),
        ('{"text": "<trecqa><q id=1>"}', False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_trec_qa_questions(Head(Source("<bytes>", data.encode()))) is expected


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "pattern", "count"),
    [
        ("trec12questions", r"<num> Number: (\d+)", 500),
        ("trec13questions.xml", r'<q id = "([\d.]+)"', 351),
        ("trec14questions.xml", r'<q id = "([\d.]+)"', 530),
        ("trec15questions.xml", r'<q id = "([\d.]+)"', 567),
        ("trec14questions_relationship", r"<num> (\d+) </num>", 25),
        ("trec15questions_ciqa.xml", r'<topic num="(\d+)"', 30),
    ],
)
def test_released_questions(real_data: Path, name: str, pattern: str, count: int) -> None:
    data = (real_data / "trec-qa-nuggets" / name).read_bytes()
    ids = re.findall(pattern, data.decode("latin-1"))
    queries = read(data)
    assert [query.query_id for query in queries] == ids
    assert len(ids) == count
    assert all(query.text and "\n" not in query.text for query in queries)
    assert all(("target" in query.extra) == name.endswith("questions.xml") for query in queries)
    round_trip(queries, "trec-qa-questions")


@pytest.mark.real_data
def test_released_questions_have_types_and_slots(real_data: Path) -> None:
    folder = real_data / "trec-qa-nuggets"
    text = (folder / "trec12questions").read_text()
    types = [query.conditions["type"] for query in read(text)]
    assert types == re.findall(r"<type> Type: (\w+)", text)
    ciqa = (folder / "trec15questions_ciqa.xml").read_text()
    queries = read(ciqa)
    assert sum(len(query.slots) for query in queries) == len(re.findall(r"\[[^\]]+\]", ciqa)) == 72
    assert [query.template for query in queries] == re.findall(r'<template id="(\d)"', ciqa)
