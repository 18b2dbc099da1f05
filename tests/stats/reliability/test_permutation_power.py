from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.reliability.permutation_power import (
    ALL_EQUAL,
    NO_DIFFERENCE,
    WRONG_WAY,
    SafePlan,
    effect_limit,
    fewest_queries,
    permutation_power,
    plan_queries,
)
from karat.stats.reliability.power import paired_power
from karat.stats.significance.permutation import pair_pvalues

Array = npt.NDArray[np.float64]


def planned(pilot: npt.ArrayLike, **options: object) -> SafePlan:
    values = np.asarray(pilot, dtype=float)
    found = plan_queries(values, np.zeros(len(values)), simulations=400, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_no_power_where_no_swap_can_be_rare_enough() -> None:
    pilot = [0.2, 0.21, 0.22, 0.19]
    assert [permutation_power(pilot, n) for n in (5, 6)] == [0.0, 1.0]
    assert planned(pilot).queries_needed == fewest_queries() == 6
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


def draws(kind: str, rng: np.random.Generator, size: int) -> Array:
    if kind == "normal":
        return rng.normal(0.4, 1.0, size)
    if kind == "skewed":
        return 1.4 - rng.exponential(size=size)
    return np.where(rng.random(size) < 0.7, 0.0, rng.normal(1, 1, size))


@pytest.mark.parametrize(("kind", "enough"), [("normal", 52), ("skewed", 58), ("zeros", 38)])
def test_the_safe_number_is_seldom_too_small(kind: str, enough: int) -> None:
    rng = np.random.default_rng(8)
    true = draws(kind, rng, 100_000)
    assert permutation_power(true, enough, simulations=2000) == pytest.approx(0.8, abs=0.04)
    limits = np.array([effect_limit(draws(kind, rng, 20)) for _ in range(150)])
    # The effect for which that number is right.
    needed = 2.8 / np.sqrt(enough - 1.9)
    assert np.mean(limits > needed) <= 0.2


def test_a_plan_from_a_pilot() -> None:
    pilot = np.random.default_rng(4).normal(0.06, 0.1, 20)
    found = planned(pilot)
    assert found.queries_needed is not None
    assert found.safe_queries is not None
    assert found.fewest <= found.queries_needed < found.safe_queries
    assert permutation_power(pilot, found.safe_queries, effect=found.safe_effect, simulations=4000) > 0.77
    assert planned(pilot, comparisons=10).queries_needed > found.queries_needed  # type: ignore[operator]
    assert planned(-pilot).safe_queries == found.safe_queries


def test_a_difference_that_is_given_is_not_uncertain() -> None:
    pilot = np.random.default_rng(4).normal(0.06, 0.1, 20)
    given, observed = planned(pilot, difference=float(pilot.mean())), planned(pilot)
    assert given.safe_queries is not None
    assert observed.safe_queries is not None
    assert given.queries_needed == observed.queries_needed
    assert given.safe_queries < observed.safe_queries


def test_a_difference_like_zero_has_no_safe_number() -> None:
    pilot = np.random.default_rng(5).normal(0, 0.1, 20)
    found = planned(pilot - pilot.mean() + 0.01)
    assert found.queries_needed is not None
    assert (found.safe_queries, found.safe_effect, found.reason) == (None, 0.0, NO_DIFFERENCE)
    assert planned([0.1, -0.1, 0.1, -0.1]).reason == NO_DIFFERENCE
    assert planned(pilot + 0.1, difference=0.05).safe_queries is not None


def test_pilots_that_cannot_be_planned_from() -> None:
    assert (planned([0.1] * 8).queries_needed, planned([0.1] * 8).reason) == (6, ALL_EQUAL)
    assert planned([0.1, 0.2, 0.3], alternative="less").reason == WRONG_WAY
    # One large difference among zeros says nothing of the spread.
    assert planned([0.0] * 9 + [0.9]).safe_queries is None
    assert plan_queries([0.1, float("nan")], [0.0, 0.1]) is None


def test_missing_values_are_counted() -> None:
    found = plan_queries([0.3, 0.4, 0.5, float("nan")], [0.1, 0.3, 0.1, 0.1], simulations=100)
    assert found is not None
    assert (found.queries, found.left_out) == (3, 1)


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="alpha lies between 0 and 1"):
        fewest_queries(alpha=2)
    with pytest.raises(UsageError, match="vector of two or more"):
        permutation_power([0.1], 10)
    with pytest.raises(UsageError, match="cannot be moved"):
        permutation_power([0.1, 0.1], 10, effect=0.5)
    with pytest.raises(UsageError, match="same queries"):
        plan_queries([0.1, 0.2], [0.1])
