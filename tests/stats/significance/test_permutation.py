from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from karat.model import UsageError
from karat.stats.significance.permutation import pair_pvalues, possible_pvalues, statistic_pair_pvalues
from karat.stats.significance.query_swaps import FEW_EXTREMES
from karat.stats.significance.t_test import Alternative, paired_t

ALTERNATIVES: list[Alternative] = ["two-sided", "less", "greater"]
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's pairs of crossed and self-fertilised Zea mays, in eighths of an inch."""


def ratio(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def against_nothing(differences: list[float]) -> np.ndarray:
    return np.array([differences, np.zeros(len(differences))])


def test_fisher_on_the_data_of_darwin() -> None:
    # Fisher (1935, The Design of Experiments, section 21): 1726 of 2^15 as large or larger, both sides counted.
    p_values = pair_pvalues(against_nothing([float(d) for d in DARWIN]), [[0, 1]], resamples=2**15)
    assert p_values.p[0] == 1726 / 2**15
    assert p_values.differences[0] == pytest.approx(314 / 15)


def by_hand(differences: list[int], alternative: Alternative) -> float:
    observed = sum(differences)
    sums = [sum(sign * d for sign, d in zip(signs, differences, strict=True))
            for signs in product((1, -1), repeat=len(differences))]  # fmt: skip
    extreme = {
        "two-sided": [abs(s) >= abs(observed) for s in sums],
        "less": [s <= observed for s in sums],
        "greater": [s >= observed for s in sums],
    }[alternative]
    return sum(extreme) / len(sums)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7), st.sampled_from(ALTERNATIVES))
def test_exact_p_values_are_those_of_all_sign_changes_whatever_the_rounding(
    differences: list[int], alternative: Alternative
) -> None:
    tenths = [d / 10 for d in differences]
    values = np.array([[0.7 + d for d in tenths], [0.7] * len(tenths)])
    p_values = pair_pvalues(values, [[0, 1]], alternative=alternative)
    assert p_values.p[0] == by_hand(differences, alternative)
    assert p_values.p[0] >= p_values.smallest[0]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_scipy_agrees(alternative: Alternative) -> None:
    values = np.random.default_rng(1).random((2, 9))
    expected = permutation_test(
        (values[0], values[1]), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=np.inf, alternative=alternative,
    )  # fmt: skip
    assert pair_pvalues(values, [[0, 1]], alternative=alternative).p[0] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_swaps_come_near_to_all_swaps(alternative: Alternative) -> None:
    values = np.random.default_rng(2).random((3, 12)) + np.array([[0.0], [0.1], [0.2]])
    pairs = [[0, 1], [0, 2], [2, 1]]
    exact = pair_pvalues(values, pairs, alternative=alternative)
    random = pair_pvalues(values, pairs, alternative=alternative, resamples=4000)
    np.testing.assert_allclose(random.p, exact.p, atol=4 * 0.5 / 4000**0.5)
    assert (random.p != exact.p).any()


def test_random_swaps_never_give_zero() -> None:
    p_values = pair_pvalues(against_nothing([1.0] * 40), [[0, 1]], resamples=99)
    assert p_values.p[0] == p_values.smallest[0] == 0.01


def test_queries_without_a_difference_leave_the_test_exact() -> None:
    p_values = pair_pvalues(against_nothing([0.0] * 30 + [0.1, 0.2, 0.3]), [[0, 1]], resamples=8)
    assert p_values.p[0] == 0.25
    assert p_values.n[0] == 33


def test_a_finer_resolution_gives_more_resamples_only_to_small_p_values() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((3, 30))
    values[2] += 1.0
    pairs = [[0, 1], [0, 2]]
    coarse = pair_pvalues(values, pairs, resamples=1000)
    fine = pair_pvalues(values, pairs, resamples=1000, resolution=0.0005)
    assert coarse.p[0] == fine.p[0] > FEW_EXTREMES / 1000
    assert coarse.p[1] == 1 / 1001
    assert fine.p[1] == 1 / 8001 <= 0.0005 / 4
    assert fine.smallest[1] == 1 / 8001


def test_a_finer_resolution_counts_all_swaps_where_they_are_few_enough() -> None:
    p_values = pair_pvalues(against_nothing([1.0] * 12), [[0, 1]], resamples=1000, resolution=0.0005)
    assert p_values.p[0] == p_values.smallest[0] == 2 / 2**12


def test_no_finer_p_values_where_no_pair_has_the_queries_for_them() -> None:
    values = np.random.default_rng(4).random((3, 15))
    values[2] += 1.0
    coarse = pair_pvalues(values, [[0, 1], [0, 2]], resamples=1000)
    fine = pair_pvalues(values, [[0, 1], [0, 2]], resamples=1000, resolution=1e-5)
    assert fine.p.tolist() == coarse.p.tolist()
    assert fine.smallest.tolist() == coarse.smallest.tolist() == [1 / 1001, 1 / 1001]
    assert (possible_pvalues(values, [[0, 1], [0, 2]]).smallest == 2**-14).all()
    assert pair_pvalues(values, [[0, 2]], resamples=1000, resolution=1e-4).p[0] == 2**-14


def test_possible_p_values() -> None:
    values = np.array([[0.5, 0.7, 0.1], [0.4, np.nan, 0.2], [np.nan, 0.1, np.nan]])
    pairs = [[0, 1], [0, 2], [1, 2]]
    found = possible_pvalues(values, pairs)
    assert found.n.tolist() == [2, 1, 0]
    np.testing.assert_array_equal(found.smallest, [0.5, 1.0, np.nan])
    one_sided = possible_pvalues(~np.isnan(values), pairs, alternative="less")
    np.testing.assert_array_equal(one_sided.smallest, [0.25, 0.5, np.nan])
    pooled = possible_pvalues(np.stack([values, np.ones((3, 3))], axis=-1), pairs)
    assert pooled.n.tolist() == [2, 1, 0]
    assert possible_pvalues(values, []).smallest.tolist() == []
    with pytest.raises(UsageError, match="the shape must be"):
        possible_pvalues([0.5], pairs)


def test_p_values_between_the_stages_are_those_of_all_swaps() -> None:
    # 17 queries: too many swaps to count all at first, few enough for the finest test.
    rng = np.random.default_rng(11)
    values = rng.random((6, 17)) + np.linspace(0, 0.5, 6)[:, None]
    pairs = [[first, second] for first in range(6) for second in range(first)]
    exact = pair_pvalues(values, pairs, resamples=2**17)
    staged = pair_pvalues(values, pairs, resamples=500, resolution=1e-4)
    np.testing.assert_allclose(staged.p, exact.p, atol=4 * 0.5 / 500**0.5)
    small = exact.p < 1e-2
    assert small.sum() > 3
    np.testing.assert_allclose(staged.p[small], exact.p[small], rtol=0.8)
    assert (staged.p >= staged.smallest).all()


def test_a_bounded_p_value_is_that_of_no_extreme_swap() -> None:
    values = np.random.default_rng(12).random((2, 60))
    values[0] += np.linspace(0.0, 1.0, 60)
    as_counts = np.stack([values, np.ones_like(values)], axis=-1)
    for options in ({}, {"resolution": 1e-4}, {"alternative": "greater"}):
        bounded = pair_pvalues(values, [[0, 1]], **options)  # type: ignore[arg-type]
        resampled = statistic_pair_pvalues(as_counts, ratio, [[0, 1]], **options)  # type: ignore[arg-type]
        assert bounded.p[0] == resampled.p[0] == bounded.smallest[0]


def test_sums_by_run_and_by_pair_find_the_same_swaps_extreme() -> None:
    values = np.round(np.random.default_rng(13).random((5, 20)), 1)
    pairs = [[first, second] for first in range(5) for second in range(first)]
    # An undefined value of one run, or one run much larger than its differences, forbids sums by run for all.
    with_gap = np.concatenate([values, np.full((1, 20), np.nan)])
    large = np.concatenate([values, [[1e6] * 20, [1e6 + 0.001] * 20]])
    by_run = pair_pvalues(values, pairs, resamples=300).p.tolist()
    assert pair_pvalues(with_gap, [*pairs, [0, 5]], resamples=300).p[:-1].tolist() == by_run
    assert pair_pvalues(large, [*pairs, [5, 6]], resamples=300).p[:-1].tolist() == by_run


def test_the_swaps_of_a_pair_do_not_depend_on_the_other_pairs() -> None:
    values = np.random.default_rng(5).random((40, 20))
    every = np.array([(first, second) for first in range(40) for second in range(first)])
    together = pair_pvalues(values, np.concatenate([every] * 3), resamples=1100)
    alone = pair_pvalues(values, every[700:701], resamples=1100)
    assert together.p[700] == together.p[700 + len(every)] == alone.p[0]


def test_a_seed_decides_the_random_swaps() -> None:
    values = np.random.default_rng(6).random((2, 20))
    values[1] += 0.2
    first, again, other = (pair_pvalues(values, [[0, 1]], resamples=5000, seed=seed).p[0] for seed in (1, 1, 2))
    assert first == again != other


def test_about_five_in_a_hundred_true_hypotheses_fall_below_five_percent() -> None:
    values = np.random.default_rng(7).beta(1, 3, size=(2000, 10))
    p_values = pair_pvalues(values, np.arange(2000).reshape(1000, 2), resamples=1024)
    assert 0.03 < np.mean(p_values.p <= 0.05) < 0.07


def test_the_t_test_agrees_for_many_queries() -> None:
    values = np.random.default_rng(8).normal(size=(4, 60)) + np.array([[0.0], [0.2], [0.4], [0.6]])
    pairs = [[0, 1], [0, 2], [0, 3], [1, 3]]
    np.testing.assert_allclose(pair_pvalues(values, pairs).p, paired_t(values, pairs).p, atol=0.02)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_runs_that_never_differ(alternative: Alternative) -> None:
    values = [[0.1 + 0.2, 0.5, np.nan], [0.3, 0.5, 0.1]]
    p_values = pair_pvalues(values, [[0, 1], [1, 1]], alternative=alternative)
    assert p_values.p.tolist() == [1.0, 1.0]
    assert p_values.differences.tolist() == [0.0, 0.0]


def test_one_paired_query_and_none() -> None:
    values = [[0.5, 0.7], [0.4, np.nan], [np.nan, np.nan]]
    two_sided = pair_pvalues(values, [[0, 1], [0, 2]])
    np.testing.assert_array_equal(two_sided.p, [1.0, np.nan])
    np.testing.assert_array_equal(two_sided.smallest, [1.0, np.nan])
    np.testing.assert_allclose(two_sided.differences, [0.1, np.nan])
    assert two_sided.n.tolist() == [1, 0]
    one_sided = pair_pvalues(values, [[0, 1], [1, 0]], alternative="greater")
    assert one_sided.p.tolist() == [0.5, 1.0]
    assert one_sided.smallest.tolist() == [0.5, 0.5]


def test_no_pairs_and_no_queries() -> None:
    assert pair_pvalues([[0.5, 0.7]], []).p.tolist() == []
    assert np.isnan(pair_pvalues(np.zeros((2, 0)), [[0, 1]]).p).all()
    assert np.isnan(statistic_pair_pvalues(np.zeros((2, 0, 2)), ratio, [[0, 1]]).p).all()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("resamples", [600, 10_000])
def test_a_mean_as_a_statistic_gives_the_test_of_means(alternative: Alternative, resamples: int) -> None:
    values = np.random.default_rng(9).random((4, 10))
    values[1, 3] = np.nan
    counts = np.stack([values, np.ones_like(values)], axis=-1)
    pairs = [[0, 1], [2, 3], [3, 0]]
    means = pair_pvalues(values, pairs, alternative=alternative, resamples=resamples, resolution=0.01)
    pooled = statistic_pair_pvalues(
        counts, ratio, pairs, alternative=alternative, resamples=resamples, resolution=0.01
    )  # fmt: skip
    np.testing.assert_allclose(pooled.p, means.p)
    np.testing.assert_allclose(pooled.differences, means.differences)
    assert pooled.n.tolist() == means.n.tolist() == [9, 10, 10]


def test_pooled_scores_are_swapped_query_by_query() -> None:
    first = np.array([[3, 4], [1, 5], [4, 6], [2, 2]])
    second = np.array([[1, 6], [2, 5], [1, 3], [0, 4]])
    observed = ratio(first.sum(axis=0)) - ratio(second.sum(axis=0))
    extreme = 0
    for swapped in product((False, True), repeat=4):
        mask = np.array(swapped)[:, None]
        one, other = np.where(mask, second, first), np.where(mask, first, second)
        extreme += abs(ratio(one.sum(axis=0)) - ratio(other.sum(axis=0))) >= observed - 1e-12
    p_values = statistic_pair_pvalues(np.stack([first, second]), ratio, [[0, 1]])
    assert p_values.p[0] == extreme / 16
    assert p_values.differences[0] == pytest.approx(observed)


def test_swaps_that_leave_a_score_undefined_are_left_out() -> None:
    # Swapping one query alone gives one run both denominators: of four swaps two are defined.
    counts = [[[1, 2], [0, 0]], [[0, 0], [1, 4]]]
    p_values = statistic_pair_pvalues(counts, ratio, [[0, 1]], alternative="greater")
    assert p_values.p[0] == 0.5


def test_an_undefined_score_has_no_p() -> None:
    p_values = statistic_pair_pvalues([[[1, 2], [1, 2]], [[0, 0], [0, 0]]], ratio, [[0, 1]])
    assert np.isnan(p_values.p[0])
    assert np.isnan(p_values.differences[0])
    assert p_values.n[0] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "both"}, "'both' is not one of two-sided, less, greater"),
        ({"resamples": 0}, "resamples 0"),
        ({"resolution": 0.0}, "resolution 0.0"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pair_pvalues([[0.5], [0.7]], [[0, 1]], **options)  # type: ignore[arg-type]


def test_counts_of_a_wrong_shape_and_statistics_of_a_wrong_shape() -> None:
    with pytest.raises(UsageError, match=r"shape \(runs, queries, k\)"):
        statistic_pair_pvalues([[1, 2]], ratio, [[0, 1]])
    with pytest.raises(UsageError, match="must be finite"):
        statistic_pair_pvalues([[[1, np.inf]]], ratio, [[0, 0]])
    with pytest.raises(UsageError, match="one value per row"):
        statistic_pair_pvalues([[[1, 2]], [[2, 3]]], lambda sums: sums, [[0, 1]])
