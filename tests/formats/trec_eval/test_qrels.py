from __future__ import annotations

import pytest

from builders.records import relevance
from helpers import collect, collect_with_problems, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.trec_eval.qrels import sniff_qrels
from karat.model import Relevance

QRELS = "301 0 d1 2\n301 0 d2 0\n302 1 d1 -1\n"


def graded(query_id: str, doc_id: str, grade: float, iteration: str = "0") -> Relevance:
    label, extra = "relevant" if grade > 0 else "irrelevant", {"grade": grade, "iteration": iteration}
    return relevance(doc_id, label, query_id=query_id, run_id="qrels", assessor="qrels", extra=extra)


def test_reads_a_relevance_a_line() -> None:
    assert collect(QRELS, "qrels").relevances == [
        graded("301", "d1", 2),
        graded("301", "d2", 0),
        graded("302", "d1", -1, iteration="1"),
    ]


def test_tabs_bom_and_crlf() -> None:
    data = "\ufeff" + QRELS.replace(" ", "\t").replace("\n", "\r\n")
    assert collect(data, "qrels") == collect(QRELS, "qrels")


def test_what_is_wrong_is_reported_and_the_rest_kept() -> None:
    data = "301 0 d1 1\n301 0 d1 2\n301 0 d2 good\n301 0 d3\n301 0 d4 1\n"
    assert messages(data, "qrels") == [
        "2: docid: 'd1' is judged twice for topic '301'",
        "3: grade: must be a number, not 'good'",
        "4: the row has 3 values for the 4 columns topic iteration docid grade",
    ]
    assert [relevance.snippet_id for relevance in collect_with_problems(data, "qrels")[0].relevances] == ["d1", "d4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QRELS, True),
        ("301 Q0 d1 3\n", True),
        ("bees map 301 0.5\n", False),
        ("1.3 tag doc answer\n", False),
        ("1 2 vital text\n", False),
        ("301 0 7067032 1\n", True),
        ("301 3 12 13\n", False),
        ("", False),
    ],
)
def test_is_recognised(text: str, expected: bool) -> None:
    assert sniff_qrels(Head(Source("<bytes>", text.encode()))) is expected


def test_round_trip_and_losses() -> None:
    assert round_trip([graded("1", "d1", 2), graded("1", "d2", 0.5)], "qrels") == b"1 0 d1 2\n1 0 d2 0.5\n"
    person = Relevance(query_id="1", run_id="a", snippet_id="s 1", assessor="ann", label="redundant", reason="again")
    assert lost([person], "qrels") == {
        "relevance.reason": 1,
        "relevance.run_id": 1,
        "relevance.assessor": 1,
        "relevance.label": 1,
        "relevance.ids": 1,
    }
