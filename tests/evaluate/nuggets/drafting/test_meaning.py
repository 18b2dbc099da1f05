"""Which sentences contain others, by meaning; only where the semantic extra is installed."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.drafting import meaning
from karat.evaluate.nuggets.drafting.meaning import SemanticSameness, best_sameness
from karat.evaluate.nuggets.drafting.sameness import LexicalSameness
from karat.language.wordpieces import is_installed
from karat.model import MissingExtra

OTHERS = [
    "Village Arko has a mill.",
    "The church of Belm is old.",
    "Bakers in Cray sell rye bread.",
    "It rains in Dorn.",
]
needs_extra = pytest.mark.skipif(not is_installed(), reason="the semantic extra is not installed")


def _contains(first: str, second: str, question: str = "") -> tuple[float, float]:
    table = SemanticSameness().contains([first, second, *OTHERS], question)
    return float(table[0, 1]), float(table[1, 0])


@needs_extra
def test_other_words_for_the_same() -> None:
    one, other = _contains("The physician cured the sick child.", "A doctor healed an ill kid.")
    assert min(one, other) > 0.5
    assert max(_contains("The physician cured the sick child.", "The harbour was closed for ships.")) < 0.3


@needs_extra
def test_more_contains_less_but_not_the_other_way_round() -> None:
    more, less = _contains("The old dam burst on Monday after weeks of heavy rain.", "The dam burst.")
    assert more > 0.8
    assert less < 0.6


@needs_extra
def test_conflicts_forbid() -> None:
    one, other = _contains(
        "The storm killed at least 4 people in Lima.", "The storm killed at least 40 people in Lima."
    )
    assert (one, other) == (0.0, 0.0)


@needs_extra
def test_words_of_the_question_count_less() -> None:
    pair = ("The dam above the town burst at night.", "The dam above the town was painted white.")
    assert max(_contains(*pair, "What happened to the dam above the town?")) < max(_contains(*pair))


@needs_extra
def test_what_is_not_about_the_question_is_far() -> None:
    sentences = [
        "The ship ran aground in the canal.",
        "The canal was blocked by a container ship for six days.",
        "Tugs pulled the ship free at high tide.",
        "Hundreds of ships waited at both ends of the canal.",
        "Strong wind pushed the ship against the bank of the canal.",
        "Tankers and other vessels were delayed for weeks by the blocked canal.",
        "Bring rubber boots and a warm hat.",
    ]
    sameness = SemanticSameness()
    values = sameness.relatedness(sentences, "Why was the canal blocked?", sameness.contains(sentences))
    assert [value < sameness.far for value in values] == [False] * 6 + [True]


def test_without_the_extra_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingExtra("The semantic judge", "semantic")

    monkeypatch.setattr(meaning, "load_encoder", missing)
    assert isinstance(best_sameness(), LexicalSameness)
