"""What stands before a statement."""

from __future__ import annotations

import pytest

from karat.evaluate.nuggets.drafting.sentences.openings import (
    keeps_reference,
    label_of,
    opening_length,
    standing_alone,
)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("However, bees dance.", "bees dance."),
        ("In addition, for example, bees dance.", "bees dance."),
        ("Overall, it is important to note that bees dance.", "bees dance."),
        ("It should be noted that bees dance.", "bees dance."),
        ("Despite these dangers, bees dance.", "bees dance."),
        ("According to the provided documents, bees dance.", "bees dance."),
        ("Therefore bees dance.", "bees dance."),
        # These say something.
        ("In general, bees dance.", "In general, bees dance."),
        ("It is important that bees dance.", "It is important that bees dance."),
        ("It is important to feed bees.", "It is important to feed bees."),
        ("Despite the rain, bees dance.", "Despite the rain, bees dance."),
        ("According to Frisch, bees dance.", "According to Frisch, bees dance."),
        ("So far, bees dance.", "So far, bees dance."),
        ("If it rains, bees sleep.", "If it rains, bees sleep."),
    ],
)
def test_only_what_says_nothing_is_cut(text: str, rest: str) -> None:
    assert text[opening_length(text) :] == rest


def test_some_openings_point_back() -> None:
    assert keeps_reference("In this case, bees dance.")
    assert not keeps_reference("In addition, bees dance.")


def test_labels() -> None:
    assert label_of("Cost: Honey is dear.") == "Cost: "
    assert label_of("Bees do three things: they dance.") == ""
    assert label_of("At 10:30 bees dance.") == ""


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Another cause is rust.", "One cause is rust."),
        ("The second reason is rust.", "One reason is rust."),
        ("Other causes include rust.", "Causes include rust."),
        ("Rust, for instance, eats iron.", "Rust eats iron."),
        ("The second president was Adams.", "The second president was Adams."),
        ("Another 40 people died.", "Another 40 people died."),
    ],
)
def test_hints_at_other_sentences(text: str, alone: str) -> None:
    assert standing_alone(text) == alone
