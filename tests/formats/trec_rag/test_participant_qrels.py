from __future__ import annotations

from helpers import collect, messages, sniffed
from karat.model import Relevance

ROWS = "14 Q0 d1 2 0.9 mine\n14 Q0 d2 0 0.55 mine\n14 Q0 d3 2 1 mine\n"


def test_reads_a_relevance_a_line_by_the_run_as_assessor() -> None:
    relevances = collect(ROWS, "participant-qrels").relevances
    assert len(relevances) == 3
    assert relevances[1] == Relevance(
        query_id="14",
        run_id="qrels",
        snippet_id="d2",
        assessor="mine",
        label="irrelevant",
        extra={"grade": 0, "confidence": 0.55, "iteration": "Q0"},
    )


def test_a_document_judged_twice_and_a_bad_label_are_reported() -> None:
    assert messages(ROWS + "14 Q0 d1 1 0.2 mine\n14 Q0 d4 high 1 mine\n", "participant-qrels") == [
        "4: docid: 'd1' is judged twice for topic '14' by 'mine'",
        "5: label: must be a number, not 'high'",
    ]


def test_is_reported_from_a_ranking_by_labels_that_repeat() -> None:
    assert sniffed(ROWS) == "participant-qrels"
    assert sniffed("14 Q0 d1 1 0.9 mine\n14 Q0 d2 2 0.5 mine\n") == "ranking"
