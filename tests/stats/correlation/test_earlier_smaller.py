from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.correlation.earlier_smaller import EarlierSmaller, earlier_smaller_counts

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
