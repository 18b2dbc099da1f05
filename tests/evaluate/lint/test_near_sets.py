from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.evaluate.lint.near_sets import least_shared, near_pairs

MANY = 10**6
WORDS = [f"w{number}" for number in range(60)]


def every_pair(sets: Sequence[frozenset[str]], least: float) -> list[tuple[int, int]]:
    """All pairs compared, one by one."""
    pairs = combinations(enumerate(sets), 2)
    return [
        (i, j)
        for (i, left), (j, right) in pairs
        if (shared := len(left & right)) and shared >= least * (len(left) + len(right) - shared)
    ]


@st.composite
def families(draw: st.DrawFn) -> list[frozenset[str]]:
    """Sets of every size, most of them made from one another by small changes."""
    sets: list[frozenset[str]] = []
    for _ in range(draw(st.integers(0, 12))):
        if sets and draw(st.integers(0, 3)):
            base = draw(st.sampled_from(sets))
            changed = draw(st.sets(st.sampled_from(WORDS), max_size=1 + len(base) // 6))
            sets.append(base ^ changed)
        else:
            size = draw(st.sampled_from([0, 1, 2, 3, 4, 5, 8, 9, 10, 14, 19, 21, 39, 42, 50]))
            sets.append(frozenset(draw(st.permutations(WORDS))[:size]))
    return sets


@settings(deadline=None)
@given(families(), st.sampled_from([0.8, 0.5, 0.34, 0.9, 1.0]))
def test_no_pair_is_lost_and_none_is_added(sets: list[frozenset[str]], least: float) -> None:
    assert near_pairs(sets, least, most=MANY) == every_pair(sets, least)


@settings(deadline=None)
@given(st.lists(st.frozensets(st.sampled_from("abcdefgh"), max_size=8), max_size=25))
def test_the_same_for_sets_of_few_words(sets: list[frozenset[str]]) -> None:
    assert near_pairs(sets, 0.8, most=MANY) == every_pair(sets, 0.8)


def test_pairs_at_the_threshold_exactly() -> None:
    for size in range(1, 101):
        small = frozenset(map(str, range(4 * size)))
        large = frozenset(map(str, range(5 * size)))
        assert near_pairs([large, small], 0.8, most=1) == [(0, 1)]
        assert near_pairs([large | {"x"}, small], 0.8, most=1) == []


def test_the_least_shared_is_the_exact_one_for_sizes_of_texts() -> None:
    for small in range(1, 121):
        for large in range(small, 121):
            exact = -(-Fraction(4, 9) * (small + large) // 1)
            assert least_shared(small, large, 0.8) == exact


@pytest.mark.parametrize(
    "sets",
    [
        [frozenset("abc")] * 30_000,
        # Each has one word of its own: all pairs reach 0.8.
        [frozenset((*"abcdefghijkl", str(number))) for number in range(30_000)],
    ],
)
def test_a_search_that_finds_too_much_ends(sets: list[frozenset[str]]) -> None:
    found = near_pairs(sets, 0.8, most=100)
    assert len(set(found)) == 101
    assert all(i < j for i, j in found)


def test_sets_that_differ_in_their_rare_words_are_never_compared() -> None:
    """Templates: nine words that all have, and two of their own, so that no pair reaches 0.8 (9 / 13)."""

    class Counted(str):
        comparisons = 0

        def __eq__(self, other: object) -> bool:
            Counted.comparisons += 1
            return str.__eq__(self, other)  # type: ignore[arg-type]

        __hash__ = str.__hash__

    count = 2_000
    sets = [frozenset(map(Counted, (*"abcdefghi", f"x{n}", f"y{n}"))) for n in range(count)]
    Counted.comparisons = 0
    assert near_pairs(sets, 0.8, most=MANY) == []
    assert Counted.comparisons < 100 * count
