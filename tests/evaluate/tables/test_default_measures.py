from __future__ import annotations

import pytest

from builders.rows import Row, judgement, nug, response
from karat.evaluate.tables.default_measures import default_measures
from karat.formats import load
from karat.measures.cases.cases import Cases
from karat.model import UsageError

RAG = ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]
MARK = judgement("q", "r", 1.0, snippet_id="1")
VOTE: Row = {"kind": "vote", "query_id": "q", "nug_id": "1", "assessor": "ann", "value": "vital"}
CITED: Row = {
    "kind": "citation_judgement", "query_id": "q", "run_id": "r", "snippet_id": "1", "doc_id": "d",
    "support": "full", "assessor": "ann",
}  # fmt: skip
NUGGET: Row = {
    "kind": "nugget", "nugget_id": "r1", "query_id": "q", "run_id": "r", "snippet_id": "1", "spans": [[0, 1]],
    "source": "person",
}  # fmt: skip

LABEL: Row = {
    "kind": "relevance", "query_id": "q", "run_id": "r", "snippet_id": "1", "assessor": "ann", "label": "relevant",
}  # fmt: skip
AUTOMATIC = ["precision(rules=2012)", "recall(rules=2012)", "F_value(rules=2012)"]


def suitable(*rows: Row, timed: bool = False) -> list[str]:
    cases = Cases(load(rows), missing="skip")
    cases.timed = timed
    return [str(measure) for measure in default_measures(cases)]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([nug("q"), judgement("q", "r", 1.0)], RAG),
        ([nug("q", importance=None), judgement("q", "r", 1.0)], RAG[2:]),
        ([nug("q"), judgement("q", "r", 1.0), response("q", "r")], RAG),
        ([nug("q", weight=5.0), nug("q", "2", weight=-3.0), judgement("q", "r", 1.0)], ["rubric"]),
        ([nug("q"), MARK, response("q", "r")], ["F3"]),
        ([nug("q"), MARK], RAG),
        ([nug("q"), VOTE, MARK, response("q", "r")], ["F3", "pyramid_F3"]),
        ([nug("q", importance=None), VOTE, MARK, response("q", "r")], ["pyramid_F3"]),
        ([nug("q", importance=None, weight=0.5), MARK, response("q", "r")], ["pyramid_F3"]),
        ([nug("q", importance=None), MARK, response("q", "r")], RAG[2:]),
        (
            [nug("q", members=[{"nugget_id": "r1", "degree": 1.0}]), NUGGET, response("q", "r")],
            ["precision", "recall", "rightness", "F_value", "proficiency"],
        ),
        ([LABEL, NUGGET, response("q", "r")], AUTOMATIC),
        ([LABEL, NUGGET, nug("q"), response("q", "r")], AUTOMATIC),
        ([CITED, response("q", "r")], ["support_precision", "support_recall", "support_F"]),
    ],
)
def test_the_records_say_which_measures_suit(rows: list[Row], names: list[str]) -> None:
    assert suitable(*rows) == names


def test_updates_in_a_judged_pool_are_scored_as_such() -> None:
    assert suitable(nug("q"), MARK, response("q", "r"), timed=True) == ["comprehensiveness", "gain"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([judgement("q", "r", 1.0)], "there is no key: give a file with nugs"),
        ([nug("q"), response("q", "r")], "there are no judgements, and no program was named"),
        ([response("q", "r")], "there is no key: give a file with nugs"),
        ([NUGGET, response("q", "r")], "there are nuggets but neither relevance labels nor a key"),
    ],
)
def test_where_nothing_can_be_scored_it_is_said_what_is_lacking(rows: list[Row], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        suitable(*rows)
