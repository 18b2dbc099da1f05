from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.text import LEADING_PRONOUNS, NEGATIONS, STOP_WORDS, content_words, is_negated, word_count, words
from karat.text.words import LONGEST_KEPT, spelt_words


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
        ("東京 2020", ["東", "京", "2020"]),
        ("人口1,397万人、Tokyo都", ["人", "口", "1397", "万", "人", "tokyo", "都"]),
        ("カﾞス ﾗｰﾒﾝ", ["カﾞ", "ス", "ﾗ", "ｰ", "ﾒ", "ﾝ"]),
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),
        ("น้ำท่วม ๒๕๖๔", ["น้", "ำ", "ท่", "ว", "ม", "๒๕๖๔"]),
        ("ភ្នំ", ["ភ្", "នំ"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("ສະບາຍ", ["ສ", "ະ", "ບ", "າ", "ຍ"]),
        ("서울의 인구", ["서울의", "인구"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


SPACED = st.text(alphabet=st.characters(max_codepoint=0xDFF) | st.sampled_from("’“”—\u202f한글ǅİΣ"), max_size=60)


@given(SPACED)
def test_scripts_with_blanks_are_read_as_ever(text: str) -> None:
    joined = re.sub(r"(?<=\d)[,\u00a0\u202f](?=\d{3}\b)", "", text)
    assert words(text) == re.findall(r"\w+(?:['’]\w+)*", joined.lower().replace("’", "'"))
    assert spelt_words(text) == re.findall(r"\w+(?:['’]\w+)*", text)


@given(st.text(alphabet="東京の大会ー々がタวนท abZ1,0", max_size=30))
def test_no_letter_of_a_script_without_blanks_is_lost(text: str) -> None:
    assert "".join(words(text)) == re.sub(r"[ ,]", "", text.lower())
    assert all(len(word) == 1 or word.isascii() for word in words(text)) or not re.search("[^ -~]", text)


@pytest.mark.parametrize(("text", "count"), [("", 0), ("Don't go", 2), ("東京大学", 2), ("東京の大 in Tokyo é", 5)])
def test_two_letters_without_blanks_count_as_a_word(text: str, count: int) -> None:
    assert word_count(text) == count


def test_a_long_text_has_the_words_of_its_parts() -> None:
    assert words("red fox " * LONGEST_KEPT) == ["red", "fox"] * LONGEST_KEPT


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
