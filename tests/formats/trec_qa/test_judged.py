from __future__ import annotations

from typing import Any

import pytest

from builders.records import judgement, relevance
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source, open_reading
from karat.formats.io.head import Head
from karat.formats.trec_qa.judged import sniff_trec_qa_judged
from karat.model import Citation, Judgement, Relevance, Response, Run, Snippet

ITEMS = (
    "9.8\tRUN-7\t1\tXYZ20010203.0004\tit blooms at night\n"
    "9.8\tRUN-7\t2\tXYZ20010203.0005\n"
    "9.8\tRUN-7\t1\t4\n"
    "9.8\tRUN-7\t1\t6\n"
    "9.9\tRUN-7\t1\tNIL\tnothing known\n"
)
LISTED = (
    "9.5\tRUN-7\tXYZ20010203.0004\t1\t1\tPeru\n"
    "9.5\tRUN-7\tXYZ20010203.0005\t1\t0\tPeru\n"
    "9.5\tRUN-7\tXYZ20010203.0006\t-1\t0\tMars\n"
    "9.5\tRUN-7\tXYZ20010203.0007\t2\t0\tChile\n"
    "9.5\tRUN-7\tXYZ20010203.0008\t3\t0\tnear Chile\n"
)


def match(nug_id: str, **fields: Any) -> Judgement:
    ids = {"query_id": "9.8", "run_id": "RUN-7", "snippet_id": "1", "judge": "given"}
    return judgement(nug_id, **ids | fields)


def labelled(number: int, label: str, reason: str | None = None) -> Relevance:
    ids = {"query_id": "9.5", "run_id": "RUN-7", "assessor": "given"}
    return relevance(str(number), label, reason=reason, **ids)


def test_reads_items_and_the_nuggets_in_them() -> None:
    collection = collect(ITEMS, "trec-qa-judged")
    assert collection.runs == [Run(run_id="RUN-7")]
    assert collection.responses == [
        Response(
            query_id="9.8",
            run_id="RUN-7",
            snippets=(
                Snippet(snippet_id="1", text="it blooms at night", citations=(Citation(doc_id="XYZ20010203.0004"),)),
                Snippet(snippet_id="2", text="", citations=(Citation(doc_id="XYZ20010203.0005"),)),
            ),
        ),
        Response(query_id="9.9", run_id="RUN-7", snippets=(Snippet(snippet_id="1", text="nothing known"),)),
    ]
    assert collection.judgements == [match("4"), match("6")]


def test_reads_list_answers_and_their_correctness() -> None:
    collection = collect(LISTED, "trec-qa-judged")
    assert [snippet.text for snippet in collection.responses[0].snippets] == [
        "Peru",
        "Peru",
        "Mars",
        "Chile",
        "near Chile",
    ]
    assert collection.relevances == [
        labelled(1, "relevant"),
        labelled(2, "redundant"),
        labelled(3, "irrelevant", "wrong"),
        labelled(4, "irrelevant", "unsupported"),
        labelled(5, "irrelevant", "inexact"),
    ]
    assert collection.judgements == []


def test_blanks_and_windows_line_ends_are_tolerated() -> None:
    data = ITEMS.replace("\t", "  ").replace("\n", "\r\n")
    assert collect(b"\xef\xbb\xbf" + data.encode(), "trec-qa-judged") == collect(ITEMS, "trec-qa-judged")


def test_bad_rows_are_reported_and_the_others_kept() -> None:
    data = (
        "9.8 RUN-7 1 XYZ1.1 first\n"
        "9.8 RUN-7 1 XYZ1.2 again\n"
        "9.8 RUN-7 3 4\n"
        "9.8 RUN-7\n"
        "9.5 RUN-7 XYZ1.1 7 0 Peru\n"
        "9.5 RUN-7 XYZ1.1 -1 1 Mars\n"
    )
    assert messages(data, "trec-qa-judged") == [
        "2: item: RUN-7 already has an item 1 for question 9.8",
        "4: the line must have one of the forms qid tag item docno string, qid tag item nugget, "
        "qid tag docid correctness distinct string",
        "5: correctness: '7' is not one of -1, 1, 2, 3",
        "6: distinct: an answer that is wrong cannot be distinct",
        "3: item: RUN-7 has no item 3 for question 9.8",
    ]
    collection, problems = collect_with_problems(data, "trec-qa-judged")
    assert [(problem.code, problem.query_id) for problem in problems][-1] == ("dangling-reference", "9.8")
    assert [len(response.snippets) for response in collection.responses] == [1, 2]
    assert [relevance.snippet_id for relevance in collection.relevances] == ["2"]


def test_a_repeated_match_is_a_lint_finding() -> None:
    reading = open_reading((ITEMS + "9.8 RUN-7 1 4\n").encode(), format="trec-qa-judged")
    assert len([record for record in reading if isinstance(record, Judgement)]) == 2
    assert [(warning.line, warning.code) for warning in reading.source.warnings] == [(6, "repeated-row")]


@pytest.mark.parametrize("data", [ITEMS, LISTED])
def test_round_trip(data: str) -> None:
    assert round_trip(collect(data, "trec-qa-judged"), "trec-qa-judged").decode() == data


def test_what_cannot_be_written_is_counted() -> None:
    records = [
        *collect(ITEMS, "trec-qa-judged"),
        match("7", degree=0.5),
        match("8", snippet_id=None),
        match("9", query_id="1.1"),
        match("10", judge="ann"),
    ]
    assert lost(records, "trec-qa-judged") == {"judgement": 3, "judgement.judge": 1}
    listed = collect(LISTED, "trec-qa-judged")
    assert lost([*listed.responses, *listed.relevances[1:]], "trec-qa-judged") == {"response.snippets": 1}
    named = Response(query_id="1", run_id="r", snippets=(Snippet(snippet_id="a", text="x"),))
    assert lost([named], "trec-qa-judged") == {"response.snippets.snippet_id": 1}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ITEMS, True),
        (LISTED, True),
        ("", False),
        ("301 0 12 1\n", False),
        ("301 Q0 FBIS3-1 1 1 tag\n", False),
        ("9.2 tea1 XYZ20010203.0004 white tea\n", False),
        ("11 team 1 1326500000-0123 7 1326503600 0.5\n", False),
    ],
)
def test_is_recognised(data: str, expected: bool) -> None:
    assert sniff_trec_qa_judged(Head(Source("<bytes>", data.encode()))) is expected
