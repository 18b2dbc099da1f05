"""Pairs of runs: all, or a balanced random part."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from karat.stats.run_pairs import run_pairs


@pytest.mark.parametrize("runs", [0, 1, 2, 7])
def test_all_pairs_up_to_the_bound(runs: int) -> None:
    assert run_pairs(runs, most=21).tolist() == [list(pair) for pair in combinations(range(runs), 2)]


@pytest.mark.parametrize(("runs", "most"), [(8, 27), (9, 20), (1000, 5000), (10, 3)])
def test_a_part_has_every_run_equally_often_and_no_pair_twice(runs: int, most: int) -> None:
    pairs = run_pairs(runs, most=most)
    # At least one partner per run, however low the bound.
    assert len(pairs) == runs * max(1, min(most // runs, (runs - 1) // 2))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs)
    assert len(set(np.bincount(pairs.ravel(), minlength=runs).tolist())) == 1
    assert pairs.tolist() == sorted(pairs.tolist())


def test_the_seed_decides() -> None:
    first, again, other = (run_pairs(50, most=100, seed=seed).tolist() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_pair_is_drawn_equally_often() -> None:
    counts = np.zeros((7, 7))
    for seed in range(2100):
        pairs = run_pairs(7, most=7, seed=seed)
        counts[pairs[:, 0], pairs[:, 1]] += 1
    drawn = counts[np.triu_indices(7, k=1)]
    # 7 of 21 pairs in each of 2,100 draws; six standard deviations are 130.
    assert drawn.sum() == 2100 * 7
    assert np.abs(drawn - 700).max() < 130
