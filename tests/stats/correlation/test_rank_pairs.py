from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.correlation import rank_pairs
from karat.stats.correlation.rank_pairs import (
    EarlierSmaller,
    PairCounts,
    counts_of_resamples,
    counts_of_vectors,
    earlier_smaller_counts,
)

FIELDS = {
    "above_x": lambda x, y: x > 0,
    "level_x": lambda x, y: x == 0,
    "above_y": lambda x, y: y > 0,
    "level_y": lambda x, y: y == 0,
    "above_both": lambda x, y: (x > 0) & (y > 0),
    "above_x_level_y": lambda x, y: (x > 0) & (y == 0),
    "level_x_above_y": lambda x, y: (x == 0) & (y > 0),
    "level_both": lambda x, y: (x == 0) & (y == 0),
}


def check(found: PairCounts, x: np.ndarray, y: np.ndarray, copies: np.ndarray) -> None:
    other_x, other_y = x[None, :] - x[:, None], y[None, :] - y[:, None]
    for name, holds in FIELDS.items():
        np.testing.assert_array_equal(getattr(found, name), holds(other_x, other_y) @ copies, err_msg=name)
    np.testing.assert_array_equal(found.copies, copies)
    np.testing.assert_array_equal(found.total, copies.sum(axis=0))


@pytest.mark.parametrize("digits", [0, 1, 3])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_counts_of_resamples_are_those_of_all_comparisons(n: int, digits: int) -> None:
    rng = np.random.default_rng(n)
    x, y = np.round(rng.random((2, n)), digits)
    groups, weights = rng.integers(0, 5, n), rng.integers(0, 3, (5, 6)).astype(float)
    (found,) = counts_of_resamples(x, y, groups=groups, weights=weights)
    check(found, x, y, weights[groups])


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_counts_of_vectors_are_those_of_all_comparisons_of_what_both_have(digits: int) -> None:
    rng = np.random.default_rng(1)
    x, y = np.round(rng.random((2, 6, 12)), digits)
    x[rng.random(x.shape) < 0.2], y[rng.random(y.shape) < 0.2] = np.nan, np.nan
    (found,) = counts_of_vectors(x, y)
    for vector in range(6):
        there = ~np.isnan(x[vector] + y[vector])
        for name, holds in FIELDS.items():
            known_x, known_y = x[vector, there], y[vector, there]
            expected = holds(known_x - known_x[:, None], known_y - known_y[:, None]).sum(axis=1)
            np.testing.assert_array_equal(getattr(found, name)[there, vector], expected, err_msg=name)
        assert found.copies[:, vector].tolist() == there.tolist()


def test_parts_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    x, y = np.round(rng.random((2, 5)), 1)
    weights = rng.integers(0, 3, (5, 8)).astype(float)
    (whole,) = counts_of_resamples(x, y, groups=np.arange(5), weights=weights)
    monkeypatch.setattr(rank_pairs, "NUMBERS_AT_ONCE", 15)
    monkeypatch.setattr(rank_pairs, "LEAST_RESAMPLES", 2)
    parts = list(counts_of_resamples(x, y, groups=np.arange(5), weights=weights))
    assert [part.copies.shape[1] for part in parts] == [3, 3, 2]
    np.testing.assert_array_equal(np.concatenate([part.above_both for part in parts], axis=1), whole.above_both)


permutations = st.integers(0, 20).flatmap(lambda n: st.permutations(range(n)))


def earlier_and_smaller(sequence: list[int]) -> np.ndarray:
    """A row for each number, true for the smaller numbers before it."""
    n = len(sequence)
    holds = [[other < one and sequence.index(other) < sequence.index(one) for other in range(n)] for one in range(n)]
    return np.array(holds, dtype=float).reshape(n, n)


@given(permutations, st.integers(0, 2**16))
def test_weights_of_earlier_smaller_numbers(sequence: list[int], seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 4, (len(sequence), 3)).astype(float)
    found = EarlierSmaller(np.array(sequence, dtype=np.intp)).weighted(weights)
    np.testing.assert_array_equal(found, earlier_and_smaller(sequence) @ weights)


@given(permutations)
def test_counts_of_several_sequences(sequence: list[int]) -> None:
    both = [sequence, sequence[::-1]]
    found = earlier_smaller_counts(np.array(both, dtype=np.intp).reshape(2, -1))
    np.testing.assert_array_equal(found, [earlier_and_smaller(one).sum(axis=1) for one in both])
