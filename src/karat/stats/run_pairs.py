"""Pairs of runs: all of them, or where there are too many, a random part in which every run occurs equally often."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

RunPairs = NDArray[np.int64]


def run_pairs(runs: int, *, most: int, seed: int = 0) -> RunPairs:
    """Two row numbers per pair, the lower first, in rising order: all pairs of runs, or about `most` of them.

    Where there are more than `most` pairs, the runs are put on a circle in random order, and each is paired with those
    that stand certain steps further on; the most // runs steps are drawn from 1 to (runs - 1) // 2. So no pair occurs
    twice, every run is in equally many pairs (two per step, at least one step), every pair is equally probable, and a
    mean or a quantile over these pairs estimates that over all. The same seed gives the same pairs.

    >>> run_pairs(3, most=10).tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> len(run_pairs(1000, most=50_000))
    50000
    """
    if comb(runs, 2) <= most:
        return np.column_stack(np.triu_indices(runs, k=1)).astype(np.int64)
    draw = np.random.default_rng((seed, runs))
    circle = draw.permutation(runs)
    steps = 1 + draw.permutation((runs - 1) // 2)[: max(1, most // runs)]
    others = circle[(np.arange(runs)[:, None] + steps) % runs]
    pairs = np.sort(np.stack([np.broadcast_to(circle[:, None], others.shape), others], axis=-1).reshape(-1, 2), axis=1)
    ordered: RunPairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)
    return ordered
