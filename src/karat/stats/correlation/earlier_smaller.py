"""For each item of a sequence: what of the earlier items is smaller. The part of rank correlations that is not a sort.

Counted as merge sort counts inversions (Knight 1966, for Kendall's tau), in n log n steps. At each bit of the numbers,
from the highest, the sequence falls into blocks of numbers that are equal in the bits above; in a block, the items
without the bit are the smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Step:
    """One bit of one sequence."""

    smaller: Ints
    """The numbers without the bit, block by block, in the order of the sequence."""
    larger: Ints
    """The numbers with it."""
    before: Ints
    """For each of `larger`: how many of `smaller` come before it, those of earlier blocks among them."""
    before_block: Ints
    """How many of `smaller` are in earlier blocks."""


class EarlierSmaller:
    """Sums over the earlier smaller items of a permutation of 0 to n - 1, for many sets of weights (whole numbers).

    >>> EarlierSmaller(np.array([1, 0, 2])).weighted(np.array([[1.0], [10.0], [100.0]])).ravel().tolist()
    [0.0, 0.0, 11.0]
    """

    def __init__(self, sequence: Ints) -> None:
        self._steps = list(_steps(sequence))

    def weighted(self, weights: Floats) -> Floats:
        """For each number (row) and set of weights (column): the weights of the smaller numbers before it, summed."""
        # Whole numbers below 2^24 are exact in single precision, and cost half.
        single = weights.astype(np.float32)
        found = np.zeros_like(single)
        for step in self._steps:
            sums = np.zeros((len(step.smaller) + 1, weights.shape[1]), dtype=np.float32)
            np.cumsum(single[step.smaller], axis=0, out=sums[1:])
            found[step.larger] += sums[step.before] - sums[step.before_block]
        return found.astype(np.float64)


def _steps(sequence: Ints) -> Iterator[_Step]:
    for bit in reversed(range(max(0, len(sequence) - 1).bit_length())):
        ordered = sequence[np.argsort(sequence >> (bit + 1), kind="stable")]
        large = (ordered >> bit & 1).astype(bool)
        before = np.cumsum(~large)
        # The numbers are dense, so that a block begins at the place of its first number.
        block = ordered[large] >> (bit + 1) << (bit + 1)
        yield _Step(ordered[~large], ordered[large], before[large], np.where(block > 0, before[block - 1], 0))


def earlier_smaller_counts(sequences: Ints) -> Ints:
    """For each row, a permutation of 0 to n - 1, and each number of it: how many smaller numbers come before it.

    >>> earlier_smaller_counts(np.array([[1, 0, 2], [2, 0, 1]])).tolist()
    [[0, 0, 2], [0, 1, 0]]
    """
    rows, n = sequences.shape
    found = np.zeros((rows, n), dtype=np.intp)
    row, place = np.arange(rows)[:, None], np.arange(n)
    for bit in reversed(range(max(0, n - 1).bit_length())):
        large = sequences >> bit & 1
        block = place >> (bit + 1) << (bit + 1)
        before = np.cumsum(1 - large, axis=1) - (1 - large)
        before -= before[:, block]
        found[row, sequences] += before * large
        # The numbers without the bit come first in their block, then those with it.
        moved = np.where(large, (1 << bit) + place - before, block + before)
        sorted_on = np.empty_like(sequences)
        sorted_on[row, moved] = sequences
        sequences = sorted_on
    return found
