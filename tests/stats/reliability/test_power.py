from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.reliability.power import (
    detectable_difference,
    paired_power,
    queries_needed,
)

NAN = float("nan")
STATSMODELS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("effect", "n"),
    [(0.0, 2), (0.2, 2), (-1.5, 2), (-0.6, 5), (1.5, 5), (0.2, 30), (-0.6, 30), (0.05, 400), (-0.2, 400)],
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_power_is_that_of_statsmodels(alternative: str, effect: float, n: int, alpha: float) -> None:
    from statsmodels.stats.power import TTestPower

    oracle = TTestPower().power(effect, n, alpha, alternative=STATSMODELS[alternative])
    assert paired_power(effect * 0.2, 0.2, n, alpha=alpha, alternative=alternative) == pytest.approx(oracle, abs=1e-9)


def test_power_is_how_often_the_test_finds_it() -> None:
    from scipy.stats import ttest_1samp

    drawn = np.random.default_rng(3).normal(0.05, 0.2, (20_000, 25))
    found = (ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
    assert paired_power(0.05, 0.2, 25) == pytest.approx(found, abs=0.01)


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_without_a_difference_the_test_errs_as_often_as_it_may(n: int) -> None:
    assert paired_power(0.0, 0.3, n, alpha=0.03) == pytest.approx(0.03, abs=1e-10)


@pytest.mark.parametrize(("difference", "n"), [(1e3, 2), (1e6, 50), (1e300, 10**6), (5e-324, 10)])
def test_extreme_differences_have_a_power(difference: float, n: int) -> None:
    power = paired_power(difference, 1.0, n)
    assert power == pytest.approx(0.05 if difference < 1 else 1.0, abs=0.01)
    assert paired_power(-difference, 1.0, n) == pytest.approx(power)
    assert paired_power(-difference, 1.0, n, alternative="greater") <= 0.05 + 1e-9


@pytest.mark.parametrize("effect", [20.0, 70.0, 700.0])
@pytest.mark.parametrize("alpha", [1e-3, 1e-5])
def test_few_queries_and_large_differences(effect: float, alpha: float) -> None:
    from scipy.special import nctdtr, stdtrit

    expected = 1 - nctdtr(1, math.sqrt(2) * effect, stdtrit(1, 1 - alpha))
    assert paired_power(effect, 1.0, 2, alpha=alpha, alternative="greater") == pytest.approx(expected, abs=1e-9)


@given(st.floats(0.01, 2), st.integers(2, 300), st.floats(0.001, 0.3))
@settings(max_examples=40, deadline=None)
def test_power_rises_with_queries_difference_and_alpha(effect: float, n: int, alpha: float) -> None:
    power = paired_power(effect, 1.0, n, alpha=alpha)
    assert alpha - 1e-9 <= power <= 1
    assert paired_power(effect, 1.0, n + 1, alpha=alpha) >= power - 1e-9
    assert paired_power(effect * 1.1, 1.0, n, alpha=alpha) >= power - 1e-9
    assert paired_power(effect, 1.0, n, alpha=alpha * 1.1) >= power - 1e-9
    assert paired_power(effect, 1.0, n, alpha=alpha, alternative="greater") >= power - 1e-9


@pytest.mark.parametrize("n", [-1, 0, 1])
def test_fewer_than_two_queries_make_no_test(n: int) -> None:
    assert math.isnan(paired_power(0.1, 0.2, n))
    assert math.isnan(detectable_difference(0.2, n))


def test_without_spread_every_difference_is_found() -> None:
    assert paired_power(0.01, 0.0, 2) == paired_power(-0.01, 0.0, 2) == 1
    assert paired_power(-0.01, 0.0, 9, alternative="less") == 1
    assert paired_power(-0.01, 0.0, 9, alternative="greater") == 0
    assert math.isnan(paired_power(0.0, 0.0, 9))
    assert queries_needed(0.01, 0.0) == 2
    assert detectable_difference(0.0, 9) == 0


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("effect", "power"), [(0.05, 0.8), (0.3, 0.9), (1.0, 0.8), (3.0, 0.9)])
def test_queries_needed_are_those_of_statsmodels(alternative: str, effect: float, power: float) -> None:
    from statsmodels.stats.power import TTestPower

    signed = -effect if alternative == "less" else effect
    needed = queries_needed(signed * 0.2, 0.2, power=power, alternative=alternative)
    oracle = TTestPower().solve_power(signed, power=power, alpha=0.05, alternative=STATSMODELS[alternative])
    assert needed == max(2, math.ceil(float(np.squeeze(oracle))))


def test_a_published_sample_size() -> None:
    # Cohen 1988: a medium effect (0.5) at power 0.8 and alpha 0.05 asks for 34 pairs.
    assert queries_needed(0.5, 1.0) == 34


@given(st.floats(0.01, 3), st.floats(0.1, 0.99), st.integers(1, 50))
@settings(max_examples=30, deadline=None)
def test_one_query_fewer_is_too_few(effect: float, power: float, comparisons: int) -> None:
    needed = queries_needed(effect, 1.0, power=power, comparisons=comparisons)
    assert needed is not None
    assert paired_power(effect, 1.0, needed, alpha=0.05 / comparisons) >= power
    assert needed == 2 or paired_power(effect, 1.0, needed - 1, alpha=0.05 / comparisons) < power


def test_more_comparisons_need_more_queries() -> None:
    assert queries_needed(0.05, 0.2, comparisons=10) == queries_needed(0.05, 0.2, alpha=0.005) == 217


def test_what_no_number_of_queries_finds() -> None:
    assert queries_needed(0.0, 0.2) is None
    assert queries_needed(0.0, 0.0) is None
    assert queries_needed(-0.1, 0.2, alternative="greater") is None
    assert queries_needed(0.1, 0.0, alternative="less") is None
    assert queries_needed(1e-6, 0.2) is None
    assert queries_needed(0.00057, 0.2) == pytest.approx(966_000, rel=0.01)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [2, 10, 75, 10_000])
def test_the_detectable_difference_is_found_with_that_power(alternative: str, n: int) -> None:
    smallest = detectable_difference(0.2, n, power=0.9, alpha=0.01, alternative=alternative, comparisons=2)
    assert smallest > 0
    signed = -smallest if alternative == "less" else smallest
    assert paired_power(signed, 0.2, n, alpha=0.005, alternative=alternative) == pytest.approx(0.9, abs=1e-7)


def test_what_chance_gives_needs_no_difference() -> None:
    assert detectable_difference(0.2, 20, power=0.04) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sd": -0.1}, "sd=-0.1 is not a finite number of at least 0"),
        ({"sd": NAN}, "sd=nan is not a finite number of at least 0"),
        ({"difference": NAN}, "difference=nan is not a finite number"),
        ({"alpha": 0.0}, "alpha=0.0 is not between 0 and 1"),
        ({"power": 1.0}, "power=1.0 is not between 0 and 1"),
        ({"alternative": "larger"}, "'larger' is not one of two-sided, greater, less"),
        ({"comparisons": 0}, "comparisons must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        queries_needed(**{"difference": 0.1, "sd": 0.2, **options})
