from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.cases import cases, value
from builders.records import QUERY, citation_judgement, response
from karat.measures.citation_support import Support
from karat.model import Citation, CitationJudgement, Record, Response, Run, Snippet
from strategies import moderately


def cited(run_id: str, sentence: int, doc_id: str, support: str, **fields: str) -> CitationJudgement:
    return citation_judgement(doc_id, support, run_id=run_id, snippet_id=f"s{sentence}", **fields)


RECORDS: list[Record] = [
    response("A", "One.", "Two.", "Three.", "Four."),
    cited("A", 1, "d1", "full"),
    cited("A", 1, "d2", "none"),
    cited("A", 2, "d1", "partial"),
    cited("A", 3, "d3", "none"),
    response("B", "Nothing is cited."),
    response("C"),
    Run(run_id="C"),
]


@pytest.mark.parametrize(
    ("part", "partial", "expected"),
    [
        ("precision", 0.5, 1.5 / 4),
        ("recall", 0.5, 1.5 / 4),
        ("F", 0.5, 1.5 / 4),
        ("precision", 0.0, 1 / 4),
        ("recall", 0.0, 1 / 4),
    ],
)
def test_weighted_and_strict_support(part: str, partial: float, expected: float) -> None:
    assert value(Support(part=part, partial=partial), cases(RECORDS)["A"]) == expected


def test_precision_is_over_citations_and_recall_over_sentences() -> None:
    records = [response("A", "One.", "Two."), cited("A", 1, "d1", "full"), cited("A", 1, "d2", "none")]
    records += [cited("A", 1, "d3", "none"), cited("A", 1, "d4", "none")]
    found = [value(Support(part=part), cases(records)["A"]) for part in ("precision", "recall", "F")]
    assert found == [1 / 4, 1 / 2, pytest.approx(1 / 3)]


@pytest.mark.parametrize("run_id", ["B", "C"])
def test_who_cites_nothing_or_says_nothing_has_recall_0_and_no_precision(run_id: str) -> None:
    case = cases(RECORDS)[run_id]
    assert math.isnan(value(Support(part="precision"), case))
    assert value(Support(part="recall"), case) == value(Support(part="F"), case) == 0.0


def test_what_was_not_judged_is_undefined() -> None:
    snippet = Snippet(snippet_id="s1", text="One.", citations=(Citation(doc_id="d1"),))
    unjudged = Response(query_id=QUERY, run_id="Z", snippets=(snippet,))
    nobody = cases([response("A", "One.")])["A"]
    for case in (cases([*RECORDS, unjudged])["Z"], nobody):
        for part in ("precision", "recall", "F"):
            assert math.isnan(value(Support(part=part), case))
    assert Support(part="F").undefined() == "no citation of the response was judged"


def test_without_texts_the_judged_sentences_are_all_there_are() -> None:
    case = cases([cited("A", 1, "d1", "full"), cited("A", 2, "d1", "none")])["A"]
    assert value(Support(part="recall"), case) == 0.5


def test_assessors_of_one_citation_are_averaged() -> None:
    records = [response("A", "One."), cited("A", 1, "d", "full"), cited("A", 1, "d", "none", assessor="bob")]
    assert Support(part="F").counts(cases(records)["A"]) == (0.5, 1.0, 0.5, 1.0)


def test_pooled_scores_add_up() -> None:
    a, b = cases(RECORDS)["A"], cases(RECORDS)["B"]
    assert value(Support(part="recall"), a, b) == 1.5 / 5


def test_names_and_needs() -> None:
    assert str(Support(part="F")) == "support_F"
    assert str(Support(part="recall", partial=0.0)) == "support_recall(partial=0)"
    assert Support(part="recall").needs() == ("citations",)


@moderately
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from("xyz"), st.sampled_from(["full", "partial", "none"])), min_size=1
    )
)
def test_all_three_lie_between_0_and_1_and_strict_is_at_most_weighted(judged: list[tuple[int, str, str]]) -> None:
    records = [response("A", *["A sentence."] * 4), *(cited("A", *judgement) for judgement in judged)]
    case = cases(records)["A"]
    for part in ("precision", "recall", "F"):
        strict, weighted = value(Support(part=part, partial=0.0), case), value(Support(part=part), case)
        assert 0 <= strict <= weighted <= 1


def test_under_pooling_saying_nothing_may_beat_trying() -> None:
    first = cases(
        [response("E", "One."), response("W", "One."), cited("E", 1, "d", "full"), cited("W", 1, "d", "full")]
    )
    second = cases([response("E"), response("W", *"abcde"), cited("W", 1, "d", "none")])
    measure = Support(part="F")
    assert value(measure, second["E"]) == value(measure, second["W"]) == 0.0
    assert value(measure, first["E"], second["E"]) == pytest.approx(2 / 3)
    assert value(measure, first["W"], second["W"]) == pytest.approx(0.25)


def test_two_citations_of_a_document_in_a_sentence_are_two_where_judgements_name_them() -> None:
    twice = [cited("A", 1, "d", support, citation_id=name) for name, support in (("c1", "full"), ("c2", "none"))]
    found = [value(Support(part=part), cases([response("A", "One."), *twice])["A"]) for part in ("precision", "recall")]
    assert found == [1 / 2, 1.0]
