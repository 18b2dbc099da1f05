from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.significance.tie_letters import letter_groups, untested_runs


def told_apart(runs: int, *pairs: tuple[int, int]) -> np.ndarray:
    different = np.zeros((runs, runs), dtype=bool)
    for first, second in pairs:
        different[first, second] = different[second, first] = True
    return different


def test_overlapping_groups() -> None:
    # The best two are told from the worst, and the best from the third.
    different = told_apart(4, (0, 3), (1, 3), (0, 2))
    assert letter_groups(different, [0, 1, 2, 3]) == ["a", "ab", "bc", "c"]


def test_letters_follow_the_order_and_come_in_the_order_of_the_rows() -> None:
    assert letter_groups(told_apart(3, (0, 2)), [2, 1, 0]) == ["b", "ab", "a"]


def test_nobody_is_distinguished() -> None:
    assert letter_groups(told_apart(3), [1, 0, 2]) == ["a", "a", "a"]


def test_one_run_and_none() -> None:
    assert letter_groups(told_apart(1), [0]) == ["a"]
    assert letter_groups(np.zeros((0, 0)), []) == []


def test_a_letter_that_says_nothing_new_is_swept_away() -> None:
    # Of the largest sets 012, 013, 024 and 125 the first says nothing that the other three do not.
    alike = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (2, 4), (1, 5), (2, 5)]
    different = told_apart(6, *[pair for pair in combinations(range(6), 2) if pair not in alike])
    assert letter_groups(different, range(6)) == ["ab", "ac", "bc", "a", "b", "c"]


def test_more_letters_than_the_alphabet_has_are_separated() -> None:
    runs = 30
    everybody = told_apart(runs, *combinations(range(runs), 2))
    letters = letter_groups(everybody, range(runs))
    assert letters[0] == "a"
    assert letters[25:28] == ["z", "aa", "ab"]
    chain = told_apart(runs, *[(i, j) for i, j in combinations(range(runs), 2) if j - i > 1])
    assert letter_groups(chain, range(runs))[25:28] == ["y z", "z aa", "aa ab"]


def test_the_number_of_largest_sets_does_not_matter() -> None:
    # 40 rivals two by two: 2^20 largest sets of runs that are alike.
    different = told_apart(40, *[(run, run + 1) for run in range(0, 40, 2)])
    assert_display(different, list(range(40)))


def assert_display(different: np.ndarray, order: list[int]) -> None:
    found = letter_groups(different, order)
    letters = sorted({letter for text in found for letter in split(text, found)})
    sets = {letter: {run for run, text in enumerate(found) if letter in split(text, found)} for letter in letters}
    for first, second in combinations(range(len(order)), 2):
        shared = any({first, second} <= runs for runs in sets.values())
        assert shared != different[first, second]
    assert all(found)
    assert not any(one <= other for one in sets.values() for other in sets.values() if one is not other)
    if order:
        assert "a" in split(found[order[0]], found)


def split(text: str, found: list[str]) -> list[str]:
    return text.split() if any(" " in other for other in found) else list(text)


@given(st.data())
def test_runs_share_a_letter_exactly_if_they_are_not_distinguished(data: st.DataObject) -> None:
    runs = data.draw(st.integers(0, 7))
    every = list(combinations(range(runs), 2))
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    assert_display(told_apart(runs, *pairs), data.draw(st.permutations(range(runs))))


@pytest.mark.parametrize(
    ("different", "order", "message"),
    [
        ([[0, 1]], [0], "shape"),
        ([[0, 1], [0, 0]], [0, 1], "must be symmetric"),
        ([[1]], [0], "from itself"),
        ([[0, 1], [1, 0]], [0, 0], "each of the 2 runs once"),
    ],
)
def test_what_cannot_be_shown(different: list[list[int]], order: list[int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        letter_groups(different, order)


def test_runs_without_a_common_query_are_not_tied() -> None:
    # The best run and the worst have no query in common; the middle one has some with each.
    tested = ~told_apart(3, (0, 2))
    found = letter_groups(told_apart(3), [0, 1, 2], tested=tested)
    assert found == ["a", "ab", "b*"]
    assert untested_runs(tested) == [(2,), (), (0,)]


def test_a_run_tested_against_none_has_no_letter() -> None:
    assert letter_groups(told_apart(2), [0, 1], tested=np.eye(2)) == ["*", "*"]
    assert letter_groups(told_apart(3), [2, 0, 1], tested=~told_apart(3, (0, 2), (1, 2))) == ["a", "a", "*"]
    assert letter_groups(told_apart(1), [0], tested=[[False]]) == ["a"]


def test_tested_must_fit() -> None:
    with pytest.raises(UsageError, match="not tested"):
        letter_groups(told_apart(2, (0, 1)), [0, 1], tested=np.eye(2))
    with pytest.raises(UsageError, match="both ways"):
        letter_groups(told_apart(2), [0, 1], tested=[[1, 1], [0, 1]])


@given(st.integers(2, 7).flatmap(lambda runs: st.tuples(st.just(runs), st.data())))
def test_a_common_letter_is_a_tested_tie(drawn: tuple[int, st.DataObject]) -> None:
    runs, data = drawn
    states = {pair: data.draw(st.sampled_from(["tied", "apart", "untested"])) for pair in combinations(range(runs), 2)}
    different = told_apart(runs, *[pair for pair, state in states.items() if state == "apart"])
    tested = ~told_apart(runs, *[pair for pair, state in states.items() if state == "untested"])
    found = letter_groups(different, range(runs), tested=tested)
    for (first, second), state in states.items():
        assert bool(set(found[first].strip("*")) & set(found[second].strip("*"))) == (state == "tied")
        if state == "untested":
            assert "*" in (found[first][-1], found[second][-1])


def test_one_run_that_lacks_queries_does_not_mark_all_others() -> None:
    tested = ~told_apart(4, (0, 3), (1, 3))
    assert letter_groups(told_apart(4), [0, 1, 2, 3], tested=tested) == ["a", "a", "ab", "b*"]
