from __future__ import annotations

import re
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from karat.evaluate.lint.exclusion import excluding_pairs
from karat.text import content_words, is_negated, negates, words


def exclude(left: str, right: str) -> bool:
    """Whether two answers cannot both be right, each pair looked at on its own."""
    answers = words(left), words(right)
    if not all(answers):
        return False
    firsts = {answers[0][0], answers[1][0]}
    if firsts & {"yes", "true"} and firsts & {"no", "false"}:
        return True
    plain = [{word for word in content_words(text) if not negates(word)} for text in (left, right)]
    if is_negated(left) != is_negated(right) and plain[0] == plain[1]:
        return True
    numbers = [[word for word in answer if re.fullmatch(r"[\d.]*\d", word)] for answer in answers]
    rest = [[word for word in answer if not re.fullmatch(r"[\d.]*\d", word)] for answer in answers]
    return bool(numbers[0] and numbers[1]) and numbers[0] != numbers[1] and rest[0] == rest[1]


WORD = st.sampled_from("yes no true false not never 3 4 1990 fox red in the".split())
ANSWERS = st.lists(st.lists(WORD, max_size=4).map(" ".join), max_size=12)


@settings(deadline=None)
@given(ANSWERS)
def test_the_pairs_are_those_of_looking_at_each_pair(answers: list[str]) -> None:
    expected = [(i, j) for i, j in combinations(range(len(answers)), 2) if exclude(answers[i], answers[j])]
    assert excluding_pairs(answers, most=1000) == expected


def test_more_pairs_than_are_listed() -> None:
    answers = [f"in {year}" for year in range(20_000)]
    assert len(excluding_pairs(answers, most=10)) > 10
    # A pair that is found in two ways counts once.
    answers = ["yes, in 1990", "no, in 1990", "no, in 1991"]
    assert excluding_pairs(answers, most=2) == [(0, 1), (0, 2), (1, 2)]
    assert excluding_pairs(["yes", "no", "no"], most=2) == [(0, 1), (0, 2)]
