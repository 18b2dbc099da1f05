from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.reliability.permutation_power import permutation_power
from karat.stats.reliability.safe_plan import (
    JUDGE_FLOOR,
    JUDGE_MAY_HIDE,
    NO_DIFFERENCE,
    NO_VARIATION,
    SMALL_PILOT,
    WRONG_WAY,
    SafePlan,
    effect_limit,
    plan_queries,
    sd_limit,
)

Array = npt.NDArray[np.float64]


def planned(pilot: npt.ArrayLike, **options: object) -> SafePlan:
    values = np.asarray(pilot, dtype=float)
    found = plan_queries(values, np.zeros(len(values)), simulations=400, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def draws(kind: str, rng: np.random.Generator, size: int) -> Array:
    if kind == "normal":
        return rng.normal(0.4, 1.0, size)
    if kind == "skewed":
        return 1.4 - rng.exponential(size=size)
    return np.where(rng.random(size) < 0.7, 0.0, rng.normal(1, 1, size))


@pytest.mark.parametrize(("kind", "enough"), [("normal", 52), ("skewed", 58), ("zeros", 38)])
def test_of_pilots_that_give_a_safe_number_four_of_five_are_right(kind: str, enough: int) -> None:
    rng = np.random.default_rng(8)
    true = draws(kind, rng, 100_000)
    assert permutation_power(true, enough, simulations=2000) == pytest.approx(0.8, abs=0.04)
    limits = np.array([effect_limit(draws(kind, rng, 30)) for _ in range(400)])
    # The effect for which that number is right.
    right = limits[limits > 0] <= 2.8 / np.sqrt(enough - 1.9)
    assert len(right) >= 100
    assert right.mean() >= 0.8


@pytest.mark.parametrize("kind", ["normal", "skewed", "zeros"])
def test_the_limit_of_the_spread_is_seldom_too_low(kind: str) -> None:
    rng = np.random.default_rng(9)
    true = draws(kind, rng, 100_000).std()
    limits = [sd_limit(draws(kind, rng, 12)) for _ in range(400)]
    assert np.mean(np.array(limits) >= true) >= 0.8


def test_a_plan_from_a_pilot() -> None:
    pilot = np.random.default_rng(4).normal(0.08, 0.1, 30)
    found = planned(pilot)
    assert found.queries_needed is not None
    assert found.safe_queries is not None
    assert found.fewest <= found.queries_needed < found.safe_queries
    assert permutation_power(pilot, found.safe_queries, effect=found.safe_effect, simulations=4000) > 0.77
    assert planned(pilot, comparisons=10).queries_needed > found.queries_needed  # type: ignore[operator]
    assert planned(-pilot).safe_queries == found.safe_queries


def test_a_difference_that_is_given_is_not_uncertain() -> None:
    pilot = np.random.default_rng(4).normal(0.08, 0.1, 30)
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
    assert (planned([0.1] * 8).queries_needed, planned([0.1] * 8).reason) == (None, NO_VARIATION)
    assert planned([0.0] * 8).reason == planned([0.1] * 8, difference=0.2).reason == NO_VARIATION
    assert planned([0.1, 0.2, 0.3], alternative="less").reason == WRONG_WAY
    # One large difference among zeros says nothing of the spread.
    assert planned([0.0] * 9 + [0.9]).safe_queries is None
    assert plan_queries([0.1, float("nan")], [0.0, 0.1]) is None


def test_missing_values_are_counted() -> None:
    found = plan_queries([0.3, 0.4, 0.5, float("nan")], [0.1, 0.3, 0.1, 0.1], simulations=100)
    assert found is not None
    assert (found.queries, found.left_out) == (3, 1)


def test_a_small_pilot_gives_no_safe_number_for_what_it_shows() -> None:
    pilot = np.random.default_rng(4).normal(0.5, 0.1, 19)
    assert (planned(pilot).safe_queries, planned(pilot).reason) == (None, SMALL_PILOT)
    assert planned(pilot, difference=0.5).safe_queries is not None


def test_the_judges_error_makes_plans_longer_or_impossible() -> None:
    pilot = np.random.default_rng(4).normal(0.06, 0.1, 60)
    exact, judged = planned(pilot), planned(pilot, judge_variance=0.0001)
    assert exact.safe_queries is not None
    assert judged.safe_effect < exact.safe_effect
    assert (judged.queries_needed or 0) > (exact.queries_needed or 0)
    hidden = planned(pilot, judge_variance=0.01)
    assert (hidden.queries_needed, hidden.safe_queries, hidden.reason) == (None, None, JUDGE_FLOOR)


@pytest.mark.parametrize("seed", range(4))
def test_a_named_difference_above_the_judges_floor_has_a_safe_number(seed: int) -> None:
    """The floor is a difference, not a number of sds: a larger spread does not raise it."""
    pilot = np.random.default_rng(seed).normal(0.1, 0.25, 12)
    first = planned(pilot, difference=0.1, judge_variance=0.0007)
    floor = first.test.floor(power=0.8) * first.sd
    assert floor == pytest.approx(0.074, abs=0.001)
    assert first.queries_needed is not None
    assert (first.safe_queries or 0) >= first.queries_needed
    assert first.reason is None
    below = planned(pilot, difference=0.07, judge_variance=0.0007)
    assert (below.queries_needed, below.safe_queries, below.reason) == (None, None, JUDGE_FLOOR)


def test_an_observed_difference_that_the_judge_may_hide_is_said_as_such() -> None:
    pilot = np.random.default_rng(4).normal(0.06, 0.1, 60)
    found = planned(pilot, judge_variance=0.00025)
    assert found.queries_needed is not None
    assert (found.safe_queries, found.reason) == (None, JUDGE_MAY_HIDE)


def test_values_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(UsageError, match="same queries"):
        plan_queries([0.1, 0.2], [0.1])
