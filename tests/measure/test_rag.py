from __future__ import annotations

import pytest

from karat.measure.rag import RAG_MEASURES, Counts, RagMeasure
from karat.model import Nug

NUGS = [
    Nug(query_id="q", nug_id="a", descriptions=("red fox",), importance="vital"),
    Nug(query_id="q", nug_id="b", descriptions=("blue sky",), importance="vital"),
    Nug(query_id="q", nug_id="c", descriptions=("green hill",), importance="okay"),
    Nug(query_id="q", nug_id="d", descriptions=("deep sea",)),
]


def test_the_four_measures_go_by_their_names() -> None:
    assert list(RAG_MEASURES) == ["strict_vital", "lenient_vital", "strict_all", "lenient_all"]
    assert {name: str(measure) for name, measure in RAG_MEASURES.items()} == {name: name for name in RAG_MEASURES}


@pytest.mark.parametrize(("degree", "strict"), [(1.0, 1.0), (0.999, 0.0), (0.5, 0.0), (0.0, 0.0)])
def test_strict_counts_full_support_alone_and_lenient_the_degree(degree: float, strict: float) -> None:
    assert RagMeasure(strict=True, vital=True).credit(degree) == strict
    assert RagMeasure(strict=False, vital=True).credit(degree) == degree


@pytest.mark.parametrize(("vital", "expected"), [(True, Counts(1.5, 2)), (False, Counts(2.5, 4))])
def test_vital_measures_count_vital_nugs_alone(vital: bool, expected: Counts) -> None:
    credits = {"a": 1.0, "b": 0.5, "c": 1.0, "d": 0.0}
    assert RagMeasure(strict=False, vital=vital).count(NUGS, credits) == expected


def test_a_nug_without_credit_was_not_judged_and_is_not_counted() -> None:
    assert RagMeasure(strict=False, vital=True).count(NUGS, {"b": 0.5}) == Counts(0.5, 1)
    assert RagMeasure(strict=False, vital=False).count(NUGS, {"b": 0.5, "d": 1.0}) == Counts(1.5, 2)


def test_without_a_denominator_the_value_is_undefined_and_not_zero() -> None:
    assert RagMeasure(strict=True, vital=True).count(NUGS[2:], {"c": 1.0, "d": 1.0}).value is None
    assert Counts(0.0, 3).value == 0.0
    assert Counts(1.5, 2).value == 0.75
