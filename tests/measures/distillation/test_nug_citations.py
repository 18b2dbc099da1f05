from __future__ import annotations

import math

import pytest

from builders.cases import cases, run_nugget, value
from builders.records import citation_judgement, judgement, nug, response
from karat.measures.distillation.nug_citations import NugCitation, NugCitations, mean_credits, nug_citations
from karat.model import CitationJudgement, Record, Run

RECORDS: list[Record] = [
    nug("one", members=["A1", "B1"]),
    nug("two", members=["B2"]),
    nug("three", members=["A3"]),
    run_nugget("A1"),
    run_nugget("A3", snippet_id="s2"),
    run_nugget("B1"),
    run_nugget("B2", snippet_id="s2"),
    citation_judgement("d1", "full", run_id="A", nugget_id="A1"),
    citation_judgement("d2", "none", run_id="A", nugget_id="A1"),
    citation_judgement("d1", "full", run_id="B"),
    citation_judgement("d3", "partial", run_id="B"),
    citation_judgement("d4", "missing", run_id="B", snippet_id="s2"),
    response("D"),
]


def test_the_documents_of_each_nug() -> None:
    by_run = cases(RECORDS)
    assert nug_citations(by_run["A"]) == {
        "one": NugCitations(nuggets=1, cited=2, credit=1.0, pooled_credit=1.5),
        "two": NugCitations(nuggets=0, cited=0, credit=0.0, pooled_credit=0.0),
        "three": NugCitations(nuggets=1, cited=0, credit=0.0, pooled_credit=0.0),
    }
    assert nug_citations(by_run["B"])["one"] == NugCitations(nuggets=1, cited=2, credit=1.5, pooled_credit=1.5)
    one = nug_citations(by_run["A"])["one"]
    assert (one.precision, one.recall, one.f) == (1 / 2, 2 / 3, pytest.approx(4 / 7))


@pytest.mark.parametrize(
    ("part", "run_id", "expected"),
    [
        ("precision", "A", (1 / 2 + 0) / 2),
        ("precision", "B", (3 / 4 + 0) / 2),
        ("precision", "D", math.nan),
        ("recall", "A", 2 / 3),
        ("recall", "B", 1.0),
        ("recall", "D", 0.0),
        ("F", "A", (4 / 7 + 0) / 2),
        ("F", "B", (6 / 7 + 0) / 2),
        ("F", "D", 0.0),
    ],
)
def test_precision_recall_and_f_averaged_over_nugs(part: str, run_id: str, expected: float) -> None:
    measure = NugCitation(part=part)
    assert value(measure, cases(RECORDS)[run_id]) == pytest.approx(expected, nan_ok=True)
    assert str(measure) == f"citation_{part}"


def test_a_judgement_of_the_nugget_goes_before_one_of_its_snippet() -> None:
    records = [
        nug("n", members=["A1", "A2"]),
        run_nugget("A1"),
        run_nugget("A2"),
        citation_judgement("d", "full", run_id="A"),
    ]
    assert nug_citations(cases(records)["A"])["n"].credit == 1.0
    own = [citation_judgement("d", "none", run_id="A", nugget_id=nugget_id) for nugget_id in ("A1", "A2")]
    assert nug_citations(cases([*records, own[0]])["A"])["n"].credit == 1.0, "the second nugget has the snippet's"
    assert nug_citations(cases([*records, *own])["A"])["n"].credit == 0.0


def test_assessors_are_averaged_and_partial_support_can_be_worth_nothing() -> None:
    judged = [
        citation_judgement("d", "full", run_id="A"),
        citation_judgement("d", "partial", run_id="A", assessor="bob"),
    ]
    assert mean_credits(judged) == {("d", None): 0.75}
    assert mean_credits(judged, partial=0.0) == {("d", None): 0.5}


def test_where_no_citation_was_judged_or_the_run_was_not_nuggetized_all_is_undefined() -> None:
    unjudged = [record for record in RECORDS if not isinstance(record, CitationJudgement)]
    judged = judgement("one", run_id="Z", judge="person")
    for case in (cases(unjudged)["B"], cases([*RECORDS, Run(run_id="Z"), judged])["Z"]):
        assert nug_citations(case) == {}
        for part in ("precision", "recall", "F"):
            assert math.isnan(value(NugCitation(part=part), case))
            assert NugCitation(part=part).undefined()


def test_a_document_cited_twice_has_the_best_of_its_credits() -> None:
    twice = [
        citation_judgement("d", support, run_id="A", citation_id=name)
        for name, support in (("c1", "partial"), ("c2", "none"))
    ]
    records = [nug("n", members=["A1"]), run_nugget("A1"), *twice]
    assert nug_citations(cases(records)["A"])["n"] == NugCitations(nuggets=1, cited=1, credit=0.5, pooled_credit=0.5)
