from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from karat.model import UsageError
from karat.stats.arrays import run_means
from karat.stats.reliability.rank_stability import SwapRate, swap_rates, swaps_by_difference

# The first run is better on the first two questions and worse on the other two.
OPPOSED = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
score_matrices = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 5), st.integers(2, 8)), elements=st.sampled_from([0, 0.25, 0.5, 1, np.nan])
)


def test_every_draw_of_one_question_worked_by_hand() -> None:
    # Of the twelve ordered draws of two questions, eight take one of either kind and swap the runs.
    (found,) = swap_rates(OPPOSED, sizes=[1], trials=3000)
    assert found.swapped == pytest.approx(8 / 12, abs=0.03)
    assert (found.tied, found.pairs, found.trials, found.undefined) == (0, 1, 3000, 0)
    assert (found.low, found.high) == (0, 1)


def test_sets_that_tie_the_runs_are_distinguished_from_swaps() -> None:
    # Two questions against the other two: one of three splits parts the kinds, the other two tie the runs.
    (found,) = swap_rates(OPPOSED, sizes=[2], trials=3000)
    assert found.swapped == pytest.approx(1 / 3, abs=0.03)
    assert found.tied == pytest.approx(2 / 3, abs=0.03)


def test_runs_that_differ_on_every_question_are_never_swapped() -> None:
    values = np.array([[0.1] * 8, [0.2] * 8, [0.3] * 8])
    for rate in swap_rates(values, sizes=[1, 2, 4], trials=5):
        assert (rate.swapped, rate.tied, rate.pairs) == (0, 0, 3)


def test_more_questions_swap_fewer_pairs_and_a_part_of_the_whole_fewer_still() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0, 0.1, (10, 1)) + rng.normal(0, 0.3, (10, 40))
    few, many = swap_rates(values, sizes=[2, 20], trials=50)
    assert few.swapped is not None
    assert many.swapped is not None
    assert many.swapped < few.swapped
    against_all, everything = swap_rates(values, sizes=[20, 40], trials=50, mode="subset-vs-all")
    assert against_all.swapped is not None
    assert against_all.swapped < many.swapped
    assert (everything.swapped, everything.trials) == (0, 1)


def test_runs_without_a_score_are_left_out_and_counted() -> None:
    values = np.array([[0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2], [np.nan] * 4])
    (found,) = swap_rates(values, sizes=[2], trials=4)
    assert (found.swapped, found.pairs, found.undefined) == (0, 3, 2)


@pytest.mark.parametrize("values", [np.array([[0.1, 0.2]]), np.full((2, 2), np.nan), np.zeros((0, 2))])
def test_without_a_pair_there_is_no_rate(values: np.ndarray) -> None:
    (found,) = swap_rates(values, sizes=[1], trials=3)
    pairs = len(values) // 2
    assert found == SwapRate(
        size=1, mode="disjoint", trials=3, pairs=pairs, swapped=None, tied=None, low=None, high=None, undefined=pairs
    )


@given(score_matrices, st.integers(0, 3))
def test_swaps_and_ties_are_shares_that_do_not_depend_on_the_direction(values: np.ndarray, seed: int) -> None:
    sizes = [1, values.shape[1] // 2]
    found = swap_rates(values, sizes=sizes, trials=5, seed=seed)
    assert found == swap_rates(1 - values, sizes=sizes, trials=5, seed=seed)
    for rate in found:
        if rate.swapped is not None:
            assert rate.tied is not None
            assert 0 <= rate.swapped <= rate.swapped + rate.tied <= 1 + 1e-12


def test_the_same_seed_draws_the_same_questions_and_another_seed_others() -> None:
    values = np.random.default_rng(1).random((6, 20))
    assert swap_rates(values, sizes=[3], seed=4) == swap_rates(values, sizes=[3], seed=4)
    assert swap_rates(values, sizes=[3], seed=4) != swap_rates(values, sizes=[3], seed=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [1, 3]}, "cannot draw 3 questions: sizes must be from 1 to 2 here"),
        ({"sizes": [5], "mode": "subset-vs-all"}, "cannot draw 5 questions: sizes must be from 1 to 4 here"),
        ({"sizes": [0]}, "cannot draw 0 questions"),
        ({"sizes": [1], "trials": 0}, "trials 0 is not 1 or more"),
        ({"sizes": [1], "mode": "half"}, "mode 'half' is not one of disjoint, subset-vs-all"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_the_largest_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        swap_rates(OPPOSED, **options)  # type: ignore[arg-type]


def test_swaps_by_the_official_difference_worked_by_hand() -> None:
    # Differences: 0.1, 0.3, 0.5, 0.2 (tied in other), 0.4, 0.2; every pair that other does not tie is swapped.
    official, other = [0.1, 0.2, 0.4, 0.6], [0.3, 0.2, 0.2, 0.15]
    swaps = swaps_by_difference(official, other, bins=[0, 0.15, 0.25, 0.5])
    assert [(part.low, part.high) for part in swaps.bins] == [(0, 0.15), (0.15, 0.25), (0.25, 0.5)]
    assert [part.pairs for part in swaps.bins] == [1, 2, 3]
    assert [part.swapped for part in swaps.bins] == [1, 1, 3]
    assert [part.tied for part in swaps.bins] == [0, 1, 0]
    assert [part.rate for part in swaps.bins] == [1, 1 / 2, 1]
    assert (swaps.official_ties, swaps.outside, swaps.undefined) == (0, 0, 0)


def test_official_ties_empty_bins_and_what_lies_outside_are_counted() -> None:
    official = np.array([[0.1, 0.3], [0.3, 0.1], [0.9, 0.9], [np.nan, np.nan]])
    other = np.array([[0.5], [0.6], [0.1], [0.2]])
    swaps = swaps_by_difference(official, other, bins=[0.0, 0.1, 0.5])
    assert [(part.pairs, part.rate) for part in swaps.bins] == [(0, None), (0, None)]
    assert (swaps.official_ties, swaps.outside, swaps.undefined) == (1, 2, 3)


def test_a_difference_that_misses_its_edge_by_rounding_belongs_to_the_edge() -> None:
    assert 0.3 - 0.2 < 0.1 < 0.8 - 0.7
    for official in ([0.3, 0.2], [0.8, 0.7]):
        inner = swaps_by_difference(official, official, bins=[0, 0.1, np.inf])
        last = swaps_by_difference(official, official, bins=[0, 0.05, 0.1])
        assert [part.pairs for part in inner.bins] == [0, 1]
        assert [part.pairs for part in last.bins] == [0, 1]


def test_one_run_makes_no_pairs() -> None:
    swaps = swaps_by_difference([0.5], [[0.1, 0.2]], bins=[0, 1])
    assert (swaps.bins[0].pairs, swaps.bins[0].rate, swaps.undefined) == (0, None, 0)


@pytest.mark.parametrize(
    ("official", "other", "bins", "message"),
    [
        ([0.1, 0.2], [0.1], [0, 1], "official has 2 runs, but other has 1"),
        ([0.1], [0.1], [0], "two or more rising edges"),
        ([0.1], [0.1], [0, 1, 1], "two or more rising edges"),
        ([[[0.1]]], [0.1], [0, 1], "shape"),
    ],
)
def test_wrong_differences_are_refused(official, other, bins, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=message):
        swaps_by_difference(official, other, bins=bins)


def simple_swaps(values: np.ndarray, size: int, trials: int, seed: int) -> tuple[object, ...]:
    """The same pair by pair, for few runs."""
    rng, known, swapped, tied = np.random.default_rng(seed), [], [], []
    first, second = np.triu_indices(len(values), k=1)
    for _ in range(trials):
        drawn = rng.permutation(values.shape[1])
        halves = [run_means(values[:, part])[:, 0] for part in (drawn[:size], drawn[size : 2 * size])]
        product = np.prod([np.sign(half[first] - half[second]) for half in halves], axis=0)
        product = product[~np.isnan(product)]
        known.append(len(product))
        swapped += [float(np.mean(product < 0))] if len(product) else []
        tied += [float(np.mean(product == 0))] if len(product) else []
    if not swapped:
        return None, None, None, None, float(np.mean(len(first) - np.array(known)))
    ends = np.quantile(swapped, [0.025, 0.975]).tolist()
    return float(np.mean(swapped)), float(np.mean(tied)), *ends, float(np.mean(len(first) - np.array(known)))


@given(score_matrices, st.integers(0, 3))
def test_swaps_are_those_of_every_pair_to_the_last_bit(values: np.ndarray, seed: int) -> None:
    (found,) = swap_rates(values, sizes=[values.shape[1] // 2], trials=6, seed=seed)
    expected = simple_swaps(values, values.shape[1] // 2, 1 if found.trials == 1 else 6, seed)
    assert (found.swapped, found.tied, found.low, found.high, found.undefined) == expected


def test_very_many_runs_are_ordered_without_their_pairs() -> None:
    # Half a billion pairs: an array of them would take 4 GB.
    values = np.random.default_rng(0).random((32_000, 4)) + np.linspace(0, 9, 32_000)[:, None]
    (found,) = swap_rates(values, sizes=[2], trials=2)
    assert found.pairs == 32_000 * 31_999 // 2
    assert found.swapped is not None
    assert 0.01 < found.swapped < 0.1


@given(score_matrices)
def test_swaps_by_difference_do_not_depend_on_how_many_pairs_are_held_at_once(values: np.ndarray) -> None:
    official, other, bins = values[:, 0], values[:, 1], [0.0, 0.25, 0.6]
    whole = swaps_by_difference(official, other, bins=bins)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("karat.stats.reliability.rank_stability.PAIRS_AT_ONCE", 1)
        assert swaps_by_difference(official, other, bins=bins) == whole
    known = [
        (abs(official[a] - official[b]), np.sign(official[a] - official[b]) * np.sign(other[a] - other[b]))
        for a, b in combinations(np.flatnonzero(~np.isnan(official + other)).tolist(), 2)
    ]
    for part, within in zip(whole.bins, ((0, 0.25), (0.25, 0.6)), strict=True):
        here = [order for size, order in known if size > 0 and within[0] <= size < within[1]]
        assert (part.pairs, part.swapped, part.tied) == (len(here), here.count(-1), here.count(0))
