"""Opposites in the place of a word."""

from __future__ import annotations

import pytest

from karat.judges.semantic.checks import find_conflicts, read_text
from karat.judges.semantic.checks.antonyms import base_of
from karat.judges.semantic.checks.words import stem, table


def kinds(nug: str, text: str) -> set[str]:
    return {conflict.kind for conflict in find_conflicts(read_text(nug), read_text(text))}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("Prices rose in the spring.", "Prices fell in the spring."),
        ("The court allowed the sale.", "The court banned the sale."),
        ("The plant is safe to eat.", "The plant is dangerous to eat."),
        ("The plant is safe to eat.", "The plant is unsafe to eat."),
        ("The plan was legal.", "The plan was illegal."),
        ("The effect was reversible.", "The effect was irreversible."),
        ("The plant is not safe to eat.", "The plant is not dangerous to eat."),
        ("The northern gate is open.", "The southern gate is open."),
    ],
)
def test_an_opposite_is_a_conflict(nug: str, text: str) -> None:
    assert kinds(nug, text) == {"antonym"}


@pytest.mark.parametrize(
    ("nug", "text"),
    [
        ("The plant is not safe to eat.", "The plant is dangerous to eat."),
        ("The plant is not safe to eat.", "The plant is unsafe to eat."),
        ("Prices rose in the spring.", "Prices fell in the winter and rose in the spring."),
        ("Prices rose in the spring.", "Prices climbed in the spring, while demand fell."),
        ("Prices rose in the spring.", "In the spring, the old mayor fell ill."),
        ("The dog is eight years old.", "The young owner says the dog is eight years of age."),
        ("The form asks for a name.", "The form will inform you of a name."),
    ],
)
def test_other_opposites_are_none(nug: str, text: str) -> None:
    assert kinds(nug, text) == set()


@pytest.mark.parametrize(
    ("nug", "text", "found"),
    [
        ("All patients recovered within a week.", "Some patients recovered within a week.", {"quantifier"}),
        ("Some patients recovered within a week.", "All patients recovered within a week.", set()),
        ("All patients recovered within a week.", "The patients recovered within a week.", set()),
        ("The firm must publish its accounts.", "The firm may publish its accounts.", {"modal"}),
        ("The firm may publish its accounts.", "The firm must publish its accounts.", set()),
        ("Coal is cheaper than gas.", "Coal is more expensive than gas.", {"antonym"}),
        ("Coal is cheaper than gas.", "Gas is more expensive than coal.", set()),
    ],
)
def test_a_weaker_word_is_a_conflict_and_a_stronger_one_is_none(nug: str, text: str, found: set[str]) -> None:
    assert kinds(nug, text) == found


def test_no_word_of_the_table_is_on_both_sides() -> None:
    for line in table("antonyms.txt"):
        left, right = ({stem(word) for word in side.split()} for side in line.split("|"))
        assert left, line
        assert right, line
        assert not left & right, line


def test_only_words_with_a_negative_prefix_have_a_base() -> None:
    assert base_of("unhappy") == stem("happy")
    assert base_of("inform") == base_of("under") == base_of("unit") == ""
