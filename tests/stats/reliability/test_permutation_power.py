from __future__ import annotations

import numpy as np
import pytest

from karat.model import UsageError
from karat.stats.reliability.permutation_power import PermutationTest, fewest_queries, permutation_power
from karat.stats.reliability.power import paired_power
from karat.stats.significance.added_variance import added_variance_p, mean_errors
from karat.stats.significance.permutation import pair_pvalues


def test_no_power_where_no_swap_can_be_rare_enough() -> None:
    pilot = [0.2, 0.21, 0.22, 0.19]
    assert [permutation_power(pilot, n) for n in (5, 6)] == [0.0, 1.0]
    assert fewest_queries() == 6
    # The t test would have promised it with fewer.
    assert paired_power(0.205, 0.0129, 5) > 0.99


@pytest.mark.parametrize("n", [8, 15])
def test_power_is_how_often_the_test_itself_is_significant(n: int) -> None:
    rng = np.random.default_rng(1)
    pilot = rng.normal(0.1, 0.13, 30)
    drawn = pilot[rng.integers(30, size=(300, n))]
    values = np.zeros((301, n))
    values[:300] = drawn
    p = pair_pvalues(values, [[row, 300] for row in range(300)]).p
    assert permutation_power(pilot, n) == pytest.approx(np.mean(p <= 0.05), abs=0.08)


@pytest.mark.parametrize(("n", "alternative"), [(40, "two-sided"), (400, "two-sided"), (40, "greater"), (40, "less")])
def test_with_normal_differences_it_is_near_the_power_of_the_t_test(n: int, alternative: str) -> None:
    shape = np.random.default_rng(2).normal(size=5000)
    effect = 3 / np.sqrt(n) * (-1 if alternative == "less" else 1)
    found = permutation_power(shape, n, effect=effect, alternative=alternative, simulations=2000)
    assert found == pytest.approx(paired_power(effect, 1.0, n, alternative=alternative), abs=0.04)
    if alternative != "two-sided":
        assert permutation_power(shape, n, effect=-effect, alternative=alternative) == 0


def test_the_judges_error_is_a_floor() -> None:
    exact = PermutationTest()
    judged = PermutationTest(np.random.default_rng(1).normal(size=300), judge_variance=0.04)
    assert exact.floor() == 0
    assert judged.floor() == pytest.approx((1.959964 + 0.841621) * 0.2)
    assert judged.needed(0.5) is None
    assert (judged.needed(0.8) or 0) > (exact.needed(0.8) or 0)
    for n in (20, 300, 100_000):
        assert judged.power(0.56, n) < 0.83
    assert judged.detectable(50_000) == pytest.approx(judged.floor(), rel=0.01)


def test_with_a_judge_the_power_is_that_of_the_test_of_compare() -> None:
    rng = np.random.default_rng(7)
    n, times, variance = 25, 400, 0.09
    values = np.zeros((times + 1, n))
    values[:times] = 0.9 + rng.normal(0, 0.3, (times, 1)) + rng.normal(size=(times, n))
    pairs = [[row, times] for row in range(times)]
    p = np.maximum(pair_pvalues(values, pairs).p, added_variance_p(mean_errors(values, pairs), np.full(times, 0.09)))
    test = PermutationTest(judge_variance=variance, simulations=2000)
    assert test.power(0.9, n) == pytest.approx(np.mean(p <= 0.05), abs=0.06)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_what_can_be_found_is_found_with_that_power(alternative: str) -> None:
    test = PermutationTest(alternative=alternative)
    for n in (7, 30, 80):
        effect = test.detectable(n) * (-1 if alternative == "less" else 1)
        assert test.power(effect, n) == pytest.approx(0.8, abs=0.015)
    assert np.isnan(test.detectable(test.fewest - 1))
    assert test.needed(-1.0 if alternative == "less" else 1.0) == pytest.approx(10, abs=2)


def test_what_no_test_can_have_is_refused() -> None:
    with pytest.raises(UsageError, match="alpha=2 is not between 0 and 1"):
        fewest_queries(alpha=2)
    with pytest.raises(UsageError, match="vector of two or more"):
        permutation_power([0.1], 10)
    with pytest.raises(UsageError, match="cannot be moved"):
        permutation_power([0.1, 0.1], 10, effect=0.5)
    with pytest.raises(UsageError, match="at most a billion"):
        PermutationTest(comparisons=10**400)
