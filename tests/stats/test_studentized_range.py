from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.studentized_range import (
    scaled_chi,
    smallest,
    studentized_range_cdf,
    studentized_range_quantile,
)


@pytest.mark.parametrize(
    ("groups", "df", "published"),
    [(2, 10, 3.151), (3, 20, 3.578), (10, 30, 4.824), (20, 120, 5.126), (5, math.inf, 3.858)],
)
def test_critical_values_are_those_of_the_printed_tables(groups: int, df: float, published: float) -> None:
    assert studentized_range_quantile(0.95, groups=groups, df=df) == pytest.approx(published, abs=6e-4)


@pytest.mark.parametrize("groups", [2, 7, 60, 300])
@pytest.mark.parametrize("df", [1, 3, 40, 119, 4292, 50_000, math.inf])
@pytest.mark.parametrize("probability", [0.5, 0.95])
def test_the_distribution_is_that_of_scipy(groups: int, df: float, probability: float) -> None:
    from scipy.stats import studentized_range

    q = studentized_range_quantile(probability, groups=groups, df=df)
    assert studentized_range.cdf(q, groups, df) == pytest.approx(probability, abs=1e-8)


def test_very_many_degrees_of_freedom_pass_over_into_infinitely_many() -> None:
    near, there = (studentized_range_quantile(0.95, groups=60, df=df) for df in (1e9, math.inf))
    assert near == pytest.approx(there, abs=1e-7)


@pytest.mark.parametrize("df", [1, 4, 33.5, 1000])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-4])
def test_two_groups_are_the_t_distribution(df: float, alpha: float) -> None:
    from scipy.special import stdtrit

    expected = math.sqrt(2) * stdtrit(df, 1 - alpha / 2)
    assert studentized_range_quantile(1 - alpha, groups=2, df=df) == pytest.approx(expected, rel=1e-7)


def test_the_share_of_simulated_ranges() -> None:
    rng = np.random.default_rng(5)
    ranges = np.ptp(rng.standard_normal((40_000, 6)), axis=1) / np.sqrt(rng.chisquare(8, 40_000) / 8)
    assert studentized_range_cdf(4.0, groups=6, df=8) == pytest.approx((ranges <= 4.0).mean(), abs=0.008)


@given(st.integers(2, 50), st.floats(1, 1e6), st.floats(0, 20), st.floats(0, 20))
@settings(max_examples=40, deadline=None)
def test_the_cdf_rises_from_0_to_1(groups: int, df: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    below, above = (studentized_range_cdf(q, groups=groups, df=df) for q in (low, high))
    assert 0 <= below <= above + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize(("q", "expected"), [(-1.0, 0.0), (0.0, 0.0), (math.inf, 1.0), (1e12, 1.0)])
def test_the_ends(q: float, expected: float) -> None:
    assert studentized_range_cdf(q, groups=5, df=30) == pytest.approx(expected, abs=1e-12)


def test_the_cdf_of_nan_is_nan() -> None:
    assert math.isnan(studentized_range_cdf(math.nan, groups=5, df=30))


@pytest.mark.parametrize("df", [1, 2.5, 30, 1e6])
def test_the_nodes_carry_the_moments_of_the_estimated_deviation(df: float) -> None:
    from scipy.special import gammaln

    spread = scaled_chi(df)
    assert spread.weights @ spread.points**2 == pytest.approx(1, rel=1e-9)
    mean = math.sqrt(2 / df) * math.exp(gammaln((df + 1) / 2) - gammaln(df / 2))
    assert spread.weights @ spread.points == pytest.approx(mean, rel=1e-8)


@pytest.mark.parametrize("border", [3e-7, 0.4, 1.0, 77.7])
def test_the_smallest_number_that_is_enough(border: float) -> None:
    assert smallest(lambda number: number >= border) == pytest.approx(border, rel=1e-9)


@pytest.mark.parametrize(
    ("groups", "df", "message"),
    [
        (1, 10, "at least 2 groups, but groups=1"),
        (3, 0, "degrees of freedom must be above 0, but df=0"),
        (3, math.nan, "degrees of freedom must be above 0, but df=nan"),
    ],
)
def test_what_has_no_range(groups: int, df: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        studentized_range_quantile(0.95, groups=groups, df=df)
    with pytest.raises(UsageError, match=message):
        studentized_range_cdf(3.0, groups=groups, df=df)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, math.nan])
def test_what_is_no_probability(probability: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        studentized_range_quantile(probability, groups=3, df=10)


def test_scipy_stats_is_not_imported() -> None:
    code = (
        "import sys; from karat.stats.significance.tukey import tukey_hsd; tukey_hsd([[1, 2, 3], [2, 2, 5]]);"
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
