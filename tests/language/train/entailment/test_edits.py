"""Edits of sentences: numbers, opposites, quantifiers."""

from __future__ import annotations

import random

import pytest

from karat.language.train.entailment.pairs import edits


@pytest.mark.parametrize(
    "text",
    [
        "At least 4 people died.",
        "It was built in 1904.",
        "It grew by 3.5 percent.",
        "She won twelve medals.",
        "He came in May 7th.",
    ],
)
def test_another_number_changes_one_place_only(text: str) -> None:
    for seed in range(20):
        changed = edits.other_number(text, random.Random(seed))
        assert changed is not None
        assert changed != text
        same = [old == new for old, new in zip(text.split(), changed.split(), strict=False)]
        assert same.count(False) <= 1 or "points" in changed


def test_text_without_numbers_is_left_alone() -> None:
    assert edits.other_number("Nobody came.", random.Random(1)) is None
    assert not edits.has_number("Nobody came.")


def test_the_same_number_in_another_form() -> None:
    assert edits.same_number("It cost 1,200 crowns.", random.Random(1)) == "It cost 1200 crowns."
    assert edits.same_number("About 40% agreed.", random.Random(1)) == "About 40 percent agreed."
    assert edits.same_number("They had 4 dogs.", random.Random(1)) == "They had four dogs."
    assert edits.same_number("They had forty-two dogs.", random.Random(1)) == "They had 42 dogs."


def test_opposites_keep_the_capital() -> None:
    assert edits.opposite("Increased demand helped.", random.Random(1)) == "Decreased demand helped."


def test_weaker_quantifiers_are_not_offered_under_negation() -> None:
    assert edits.true_quantifier("All birds sing.", random.Random(1)) in ("Some birds sing.", "Many birds sing.")
    assert edits.true_quantifier("Not all birds sing.", random.Random(1)) is None
    assert edits.false_quantifier("It may rain.", random.Random(1)) != "It may rain."
