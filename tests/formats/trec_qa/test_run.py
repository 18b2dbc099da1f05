from __future__ import annotations

import pytest

from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_qa.run import sniff_trec_qa_run
from karat.model import Citation, Nug, Response, Run, Snippet

RUN = "9.1\ttea1\tNIL\n9.2\ttea1\tXYZ20010203.0004\twhite tea\n9.2\ttea1\tABC_ENG_20050607.0008\ta  black tea\n"
RECORDS = [
    Run(run_id="tea1"),
    Response(query_id="9.1", run_id="tea1", snippets=(Snippet(snippet_id="1", text=""),)),
    Response(
        query_id="9.2",
        run_id="tea1",
        snippets=(
            Snippet(snippet_id="1", text="white tea", citations=(Citation(doc_id="XYZ20010203.0004"),)),
            Snippet(snippet_id="2", text="a  black tea", citations=(Citation(doc_id="ABC_ENG_20050607.0008"),)),
        ),
    ),
]


def test_reads_a_response_a_question() -> None:
    assert list(collect(RUN, "trec-qa-run")) == RECORDS


def test_blanks_windows_line_ends_and_a_byte_order_mark_are_tolerated() -> None:
    data = (
        "9.1  tea1   NIL \r\n\r\n9.2 tea1 XYZ20010203.0004    white tea\r\n9.2\ttea1 ABC_ENG_20050607.0008 a  black tea"
    )
    assert list(collect(b"\xef\xbb\xbf" + data.encode(), "trec-qa-run")) == RECORDS


def test_rows_of_a_question_need_not_be_together() -> None:
    collection = collect("1 r XYZ1.1 a\n2 r XYZ1.1 b\n1 r XYZ1.1 c\n", "trec-qa-run")
    assert [[snippet.text for snippet in response.snippets] for response in collection.responses] == [["a", "c"], ["b"]]


def test_a_short_row_is_reported_and_the_next_one_kept() -> None:
    data = "9.2 tea1\n9.2 tea1 XYZ20010203.0004 white tea\n"
    assert messages(data, "trec-qa-run") == ["1: the line must be `qid run-tag docid answer-string`"]
    assert len(collect_with_problems(data, "trec-qa-run")[0].responses) == 1


def test_round_trip() -> None:
    assert round_trip(RECORDS, "trec-qa-run").decode() == RUN


def test_what_cannot_be_written_is_counted() -> None:
    two = (Citation(doc_id="A1.1"), Citation(doc_id="A1.2", time="noon"))
    records = [
        Run(run_id="tea1", group="green"),
        Run(run_id="silent"),
        Response(query_id="1", run_id="tea1", snippets=(Snippet(snippet_id="x", text="a\nb", citations=two),)),
        Response(query_id="2", run_id="silent", snippets=()),
        Response(query_id="3", run_id="my tea", snippets=(Snippet(snippet_id="1", text="a"),)),
        Nug(query_id="1", nug_id="1", descriptions=("a",)),
    ]
    assert lost(records, "trec-qa-run") == {
        "run": 1,
        "run.group": 1,
        "nug": 1,
        "response": 2,
        "response.snippets.citations": 1,
        "response.snippets.citations.time": 1,
        "response.snippets.snippet_id": 1,
        "response.snippets.text": 1,
    }


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (RUN, True),
        ("", False),
        ("301 0 FBIS3-1 1\n", False),
        ("301 Q0 FBIS3-1 1 9.5 tag\n", False),
        ("9.2 tea1 some words here\n", False),
        ('{"a": 1}', False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_trec_qa_run(Head(Source("<bytes>", data.encode()))) is expected
