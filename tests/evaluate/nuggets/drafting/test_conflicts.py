"""Sentences that contradict each other."""

from __future__ import annotations

import numpy as np

from karat.evaluate.nuggets.drafting.conflicts import contradictions, other_numbers


def test_numbers_and_denials_contradict_in_both_directions() -> None:
    found = contradictions(
        [
            "The storm killed 40 people in Lima.",
            "The storm killed 4 people in Lima.",
            "Ana Ruiz resigned as mayor in June.",
            "Ana Ruiz did not resign as mayor in June.",
            "Bakers in Cray sell rye bread.",
        ]
    )
    assert np.argwhere(found).tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]


def test_sentences_without_words_contradict_nothing() -> None:
    assert not contradictions(["...", "?"]).any()


def test_numbers_that_only_one_has_on_each_side() -> None:
    found = other_numbers(["It was in May 2016.", "It was in 2019.", "It was in 2019 on day 4.", "It was in May."])
    assert np.argwhere(found).tolist() == [[0, 1], [0, 2], [1, 0], [2, 0]]
