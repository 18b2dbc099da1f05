from __future__ import annotations

import pytest

from karat.judges.citations.documents import Source, Sources
from karat.judges.citations.features import MEANING, WORDS
from karat.judges.citations.support import CitationJudge, Support
from karat.judges.citations.weights import Curves, Probabilities, load_weights
from karat.model import UsageError

BRIDGE = (
    "The city is old. Engineers found cracks in two cables on Monday. The bridge, built in 1968, was closed at once."
)


def judge(name: str = "lexical", *texts: str) -> CitationJudge:
    sources = [Source(f"d{at}", text) for at, text in enumerate(texts or (BRIDGE,))]
    return CitationJudge(Sources([*sources, Source("other", "A ferry carries 300 cars. Fish is sold.")]), name)


def support(claim: str, name: str = "lexical") -> Support:
    return judge(name).support(claim, "d0")


def test_verbatim_with_its_passage() -> None:
    found = support("Engineers found cracks in two cables on Monday.")
    assert found.verdict == "verbatim"
    assert found.probability > 0.9
    assert found.passage == "Engineers found cracks in two cables on Monday."
    assert found.spans.text(BRIDGE) == found.passage
    assert found.objection is None


def test_facts_of_several_sentences_are_found_together() -> None:
    found = support("The bridge, built in 1968, was closed because engineers found cracks in two cables.")
    assert found.verdict == "paraphrased"
    assert len(found.spans) == 2 or found.spans.length > 80


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (
            "Engineers found cracks in seven cables on Monday.",
            'number: "seven cables" here, "two cables" in the document',
        ),
        ("Engineers found cracks in 2,417 cables on Monday.", "number: "),
        ("Engineers did not find cracks in two cables on Monday.", "negation: "),
    ],
)
def test_what_differs_is_named_and_is_never_full_support(claim: str, why: str) -> None:
    found = support(claim)
    assert found.verdict in ("partly", "absent")
    assert found.objection is not None
    assert found.objection.startswith(why)


def test_what_is_not_there_is_absent() -> None:
    found = support("Fish prices doubled in Japan last year.")
    assert found.verdict == "absent"
    assert found.probability > 0.6


def test_a_claim_of_two_sentences_is_full_only_if_both_are() -> None:
    both = "Engineers found cracks in two cables on Monday. Fish prices doubled in Japan last year."
    found = support(both)
    assert found.verdict == "partly"
    assert found.probabilities.full <= support("Fish prices doubled in Japan last year.").probabilities.full


def test_probabilities_sum_to_one() -> None:
    for claim in ("Cracks were found.", "Fish is sold.", "The bridge was built in 1968."):
        chances = support(claim).probabilities
        assert chances.none + chances.partial + chances.full == pytest.approx(1, abs=1e-3)


def test_the_judge_reads_other_words() -> None:
    pytest.importorskip("onnxruntime")
    claim = "On Monday, cracks were discovered in two of the cables."
    assert support(claim, "semantic").verdict == "paraphrased"
    assert support(claim, "semantic").probabilities == support(claim, "semantic").probabilities


def test_only_two_judges_check_citations() -> None:
    with pytest.raises(
        UsageError, match="the judge 'rouge' cannot check citations; choose from semantic, lexical, auto"
    ):
        judge("rouge")


def test_the_weights_have_every_feature_with_the_right_sign() -> None:
    weights = load_weights()
    against = {"numbers", "names", "numbers_document", "names_document", "negation", "conflict"}
    for name, names in (("lexical", WORDS), ("semantic", (*WORDS, *MEANING))):
        for curve in (weights.judges[name].full, weights.judges[name].partial):
            assert curve.keys() == {"intercept", *names}
            assert all((curve[each] <= 0) if each in against else (curve[each] >= 0) for each in names)
    assert {one.name for one in weights.trained_on}.isdisjoint({"wice", "attributionbench", "trec-rag-2024"})


def test_at_least_partial_is_never_less_probable_than_full() -> None:
    curves = Curves(full={"intercept": 2.0, "x": 0.0}, partial={"intercept": -2.0, "x": 0.0})
    assert curves.probabilities({"x": 1.0}) == Probabilities(0.1192, 0.0, 0.8808)
    assert curves.probabilities({"x": 1.0}).credit == pytest.approx(0.8808)
