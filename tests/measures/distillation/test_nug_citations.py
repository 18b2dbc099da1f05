from __future__ import annotations

import math

import pytest

from karat.measures.distillation.nug_citations import NugCitation, NugCitations, mean_credits, nug_citations
from karat.model import CitationJudgement, Judgement, Member, Nug, Record, Response, Run
from measures.casework import QUERY, cases, nugget, value


def cited(
    run_id: str, doc_id: str, support: str, *, nugget_id: str | None = None, snippet_id: str = "s1", by: str = "ann"
) -> CitationJudgement:
    return CitationJudgement(
        query_id=QUERY, run_id=run_id, snippet_id=snippet_id, nugget_id=nugget_id, doc_id=doc_id, support=support,
        assessor=by,
    )  # fmt: skip


def nug(nug_id: str, *members: str) -> Nug:
    of_nug = tuple(Member(nugget_id=nugget_id) for nugget_id in members)
    return Nug(query_id=QUERY, nug_id=nug_id, descriptions=(nug_id,), members=of_nug)


RECORDS: list[Record] = [
    nug("one", "A1", "B1"),
    nug("two", "B2"),
    nug("three", "A3"),
    nugget("A1"),
    nugget("A3", snippet_id="s2"),
    nugget("B1"),
    nugget("B2", snippet_id="s2"),
    cited("A", "d1", "full", nugget_id="A1"),
    cited("A", "d2", "none", nugget_id="A1"),
    cited("B", "d1", "full"),
    cited("B", "d3", "partial"),
    cited("B", "d4", "missing", snippet_id="s2"),
    Response(query_id=QUERY, run_id="D", snippets=()),
]


def test_the_documents_of_each_nug() -> None:
    found = cases(RECORDS)
    assert nug_citations(found["A"]) == {
        "one": NugCitations(nuggets=1, cited=2, credit=1.0, pooled_credit=1.5),
        "two": NugCitations(nuggets=0, cited=0, credit=0.0, pooled_credit=0.0),
        "three": NugCitations(nuggets=1, cited=0, credit=0.0, pooled_credit=0.0),
    }
    assert nug_citations(found["B"])["one"] == NugCitations(nuggets=1, cited=2, credit=1.5, pooled_credit=1.5)
    one = nug_citations(found["A"])["one"]
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


def test_a_judgement_of_the_nugget_stands_before_one_of_its_snippet() -> None:
    records = [nug("n", "A1", "A2"), nugget("A1"), nugget("A2"), cited("A", "d", "full")]
    assert nug_citations(cases(records)["A"])["n"].credit == 1.0
    own = [cited("A", "d", "none", nugget_id=nugget_id) for nugget_id in ("A1", "A2")]
    assert nug_citations(cases([*records, own[0]])["A"])["n"].credit == 1.0, "the second nugget has the snippet's"
    assert nug_citations(cases([*records, *own])["A"])["n"].credit == 0.0


def test_assessors_are_averaged_and_partial_support_can_be_worth_nothing() -> None:
    judged = [cited("A", "d", "full"), cited("A", "d", "partial", by="bob")]
    assert mean_credits(judged) == {"d": 0.75}
    assert mean_credits(judged, partial=0.0) == {"d": 0.5}


def test_where_no_citation_was_judged_or_the_run_was_not_nuggetized_all_is_undefined() -> None:
    unjudged = [record for record in RECORDS if not isinstance(record, CitationJudgement)]
    judged = Judgement(query_id=QUERY, run_id="Z", nug_id="one", degree=1.0, judge="person")
    for case in (cases(unjudged)["B"], cases([*RECORDS, Run(run_id="Z"), judged])["Z"]):
        assert nug_citations(case) == {}
        for part in ("precision", "recall", "F"):
            assert math.isnan(value(NugCitation(part=part), case))
            assert NugCitation(part=part).undefined()
