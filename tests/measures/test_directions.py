from __future__ import annotations

import pytest

from builders.rows import score_rows
from karat.evaluate.compare.compare import compare
from karat.evaluate.score.score import score
from karat.measures.registry import other_direction
from karat.model import UsageError


@pytest.mark.parametrize(
    "name",
    [
        "hallucination", "Hallucination", "hallucination_rate", "noise_sensitivity", "noise_sensitivity_relevant",
        "noise_sensitivity_in_irrelevant", "noise_sensitivity(mode=relevant)", "relevant_noise_sensitivity",
        "irrelevant_noise_sensitivity", "Toxicity", "Bias", "error_rate", "latency", "latency_ms", "latency_p95",
        "cost", "total_cost", "cost_usd", "perplexity", "total_tokens", "harmfulness", "wer", "rmse", "Role Violation",
    ],
)  # fmt: skip
def test_names_by_which_less_is_better(name: str) -> None:
    assert other_direction(name) is True


@pytest.mark.parametrize(
    "name", ["faithfulness", "context_precision", "answer_relevancy", "map", "ndcg_cut_10", "P_10", "exact_match"]
)
def test_names_by_which_more_is_better(name: str) -> None:
    assert other_direction(name) is False


@pytest.mark.parametrize("name", ["M", "quality", "error_free", "cost_benefit", "unbiasedness"])
def test_names_that_say_nothing(name: str) -> None:
    assert other_direction(name) is None


ROWS = {"good": [0.1, 0.2, 0.1, 0.0, 0.2, 0.1, 0.1], "bad": [0.8, 0.9, 0.7, 0.9, 0.8, 0.9, 0.6]}


def test_the_run_that_hallucinates_more_is_the_worse() -> None:
    scoring = score(score_rows(ROWS, measure="hallucination"))
    assert [score.extra["tie"] for score in scoring.of_all()] == ["a", "b"]
    assert str(scoring).splitlines()[2].startswith("good")
    assert any(note.startswith("less is taken as better by hallucination") for note in scoring.notes)
    (pair,) = compare(score_rows(ROWS, measure="hallucination"), baseline="good").measures[0].differences
    assert pair.worse


def test_a_name_that_says_nothing_is_noted_and_the_user_may_say_it() -> None:
    rows = score_rows(ROWS, measure="slips_made")
    scoring = score(rows)
    assert str(scoring).splitlines()[2].startswith("bad")
    assert any("--less-is-better slips_made" in note for note in scoring.notes)
    told = score(rows, less_is_better="slips_made")
    assert str(told).splitlines()[2].startswith("good")
    assert not any("slips_made" in note for note in told.notes)
    assert compare(rows, baseline="good", less_is_better=["slips_made"]).measures[0].differences[0].worse
    # Scores that are written say it, too.
    again = score([each.to_dict() if hasattr(each, "to_dict") else each for each in told.by_query()])
    assert str(again).splitlines()[2].startswith("good")


def test_a_direction_that_cannot_be_said() -> None:
    with pytest.raises(UsageError, match="there are no scores of slips; choose from M"):
        score(score_rows(ROWS), less_is_better="slips")
    with pytest.raises(UsageError, match="more is better by strict_all, which Karat knows"):
        score(score_rows(ROWS, measure="strict_all"), less_is_better="strict_all")
