from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import task
from karat.judges.overlap.rouge import Rouge, common_length

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=9)


@pytest.mark.parametrize(
    ("variant", "text", "expected"),
    [
        ("1", "the cat sat", 3 / 4),  # the, cat, sat, the
        ("1", "the the the the", 2 / 4),
        ("1", "the cat sat the", 1),
        ("1", "", 0),
        ("2", "the cat sat down", 2 / 3),  # the cat, cat sat, sat the
        ("2", "cat the sat", 0),
        ("2", "the", 0),
        ("L", "the sat cat the", 3 / 4),
        ("L", "sat the cat", 2 / 4),
        ("L", "dog", 0),
        ("L", "", 0),
    ],
)
def test_recall_by_hand(variant: str, text: str, expected: float) -> None:
    found = Rouge(variant=variant, stem="none").match(task(["the cat sat the"], [text]))
    assert found.scores[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("variant", ["1", "2", "L"])
def test_the_best_description_counts_and_an_empty_one_scores_nothing(variant: str) -> None:
    program = Rouge(variant=variant)
    assert program.match(task([["a b c", "d e"], ["", "..."], []], ["d e"])).scores.tolist() == [[1, 0, 0]]
    assert program.match(task(["cats ran"], ["cat ran"])).scores.tolist() == [[1]]
    # One word has no pairs of words.
    assert program.match(task(["word"], ["word"])).scores.tolist() == [[0 if variant == "2" else 1]]


def test_the_words_that_decided() -> None:
    matcher = Rouge(stem="porter").matcher(task([["the cats sat", "a dog"]]))
    assert matcher.words("Dog, cat and the rest", 0) == ["the", "cat", "dog"]


@given(WORDS, WORDS)
def test_longest_common_subsequence_against_the_definition(first: list[str], second: list[str]) -> None:
    @cache
    def longest(left: int, right: int) -> int:
        if not left or not right:
            return 0
        if first[left - 1] == second[right - 1]:
            return longest(left - 1, right - 1) + 1
        return max(longest(left - 1, right), longest(left, right - 1))

    assert common_length(first, second) == longest(len(first), len(second)) == common_length(second, first)


@pytest.mark.parametrize("variant", ["1", "2", "L"])
def test_agrees_with_rouge_score(variant: str) -> None:
    scorers = pytest.importorskip("rouge_score.rouge_scorer")
    draw = random.Random(3)

    def made(most: int) -> str:
        return " ".join(draw.choices("red fox ran to sea in 1999 with whales".split(), k=draw.randint(0, most)))

    nugs, texts = [made(8) for _ in range(12)], [made(15) for _ in range(12)]
    name = f"rouge{variant}"
    oracle = scorers.RougeScorer([name], use_stemmer=False)
    expected = [[oracle.score(nug, text)[name].recall for nug in nugs] for text in texts]
    found = Rouge(variant=variant, stem="none", unit="response").matcher(task(nugs)).score(texts)
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert found.any()
