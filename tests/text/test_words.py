from __future__ import annotations

import pytest

from karat.text import LEADING_PRONOUNS, NEGATIONS, STOP_WORDS, content_words, is_negated, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ... — !", []),
        ("Japan recorded 20,919 suicides.", ["japan", "recorded", "20919", "suicides"]),
        ("1,234,567 people", ["1234567", "people"]),
        ("20\u00a0919 and 20\u202f919", ["20919", "and", "20919"]),
        ("in 2019, 300 left", ["in", "2019", "300", "left"]),
        ("pages 1,2 and 12,34", ["pages", "1", "2", "and", "12", "34"]),
        ("It wasn't; it wasn’t", ["it", "wasn't", "it", "wasn't"]),
        ("the 'quoted' word", ["the", "quoted", "word"]),
        ("Zürich–Genève", ["zürich", "genève"]),
        ("東京 2020", ["東京", "2020"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_the_list_of_words_belongs_to_the_caller() -> None:
    words("red fox").clear()
    assert words("red fox") == ["red", "fox"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the", []), ("", []), ("The fox and the hound", ["fox", "hound"]), ("IS NOT", []), ("in 2020", ["2020"])],
)
def test_content_words_are_those_that_are_no_stop_words(text: str, expected: list[str]) -> None:
    assert content_words(text) == expected


@pytest.mark.parametrize(
    "text", ["It did NOT rise", "no rise", "it didn't rise", "it didn’t rise", "never", "without it"]
)
def test_a_negation_is_seen(text: str) -> None:
    assert is_negated(text)


@pytest.mark.parametrize("text", ["", "nothing rose", "a notable rise", "the knot", "nor'easterly"])
def test_what_only_looks_like_a_negation_is_none(text: str) -> None:
    assert not is_negated(text)


def test_the_word_lists_hold_words_as_they_come_out_of_a_text() -> None:
    for listed in (STOP_WORDS, NEGATIONS, LEADING_PRONOUNS):
        assert {word for word in listed if words(word) != [word]} == set()
