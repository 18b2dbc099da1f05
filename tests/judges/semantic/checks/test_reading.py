"""Readings: what holds for every text and every pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.judges.semantic.checks import find_conflicts, read_text

WORDS = (
    "the a not no 5 1,200 3.5 % $ 1994 March Monday Smith Berlin U.S. rose fell by than who isn't - , . ( half".split()
)


@given(st.text(max_size=80))
def test_any_text_can_be_read_and_agrees_with_itself(text: str) -> None:
    assert find_conflicts(read_text(text), read_text(text)) == ()


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.lists(st.sampled_from(WORDS), max_size=14))
def test_the_words_of_a_conflict_are_in_the_texts(nug: list[str], text: list[str]) -> None:
    ours, theirs = " ".join(nug), " ".join(text)
    assert find_conflicts(read_text(ours), read_text(ours)) == ()
    for conflict in find_conflicts(read_text(ours), read_text(theirs)):
        assert conflict.nug_words in ours
        assert conflict.evidence_words in theirs


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("", ""),
        ("The bridge is 300 metres long.", ""),
        ("Die Brücke ist 300 Meter lang und nicht neu.", "Die Brücke ist 300 Meter lang."),
        ("Der Hund jagt die Katze durch den Garten.", "Der Köter jagt die Katze durch den Garten."),
        ("Le ministre a quitté la ville de Lyon avec une délégation.", "Le ministre a quitté la ville de Lyon."),
        ("东京有1400万人口。", "东京有1400万人口，是日本的首都。"),
        ("Le pont mesure 300 mètres.", "Le pont de Nantes mesure 300 mètres."),
    ],
)
def test_other_languages_and_empty_texts_give_no_nonsense(nug: str, text: str) -> None:
    assert find_conflicts(read_text(nug), read_text(text)) == ()


def test_numbers_work_in_other_languages() -> None:
    [conflict] = find_conflicts(
        read_text("Die Brücke ist 300 Meter lang."), read_text("Die Brücke ist 500 Meter lang.")
    )
    assert conflict.kind == "number"


def test_a_text_about_something_else_is_no_conflict() -> None:
    assert not find_conflicts(read_text("The fire killed 40 people in Lyon."), read_text("The school has 4 people."))


def test_a_reading_is_made_once() -> None:
    assert read_text("Bees sleep.") is read_text("Bees sleep.")


@pytest.mark.parametrize("words", ["1", "a b ", "Smith not 5 ", "x, 000", "'"])
def test_only_the_beginning_of_an_endless_text_is_read(words: str) -> None:
    text = words * 20_000
    assert len(read_text(text).text) == 6_000
    assert find_conflicts(read_text(text), read_text(text)) == ()
