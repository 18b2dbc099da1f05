from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.intervals.bca import Interval
from karat.stats.intervals.bootstrap import mean_intervals
from karat.stats.intervals.bounded import (
    Bounds,
    bounded_mean_intervals,
    equal_values_interval,
    interval_trust,
    score_intervals,
)

NAN = float("nan")
Array = npt.NDArray[np.float64]


def bounded(values: npt.ArrayLike, **options: object) -> Interval:
    found = bounded_mean_intervals([values], **options)[0]  # type: ignore[arg-type]
    assert found is not None
    return found


def test_twenty_zeros_do_not_say_that_the_mean_is_zero() -> None:
    assert mean_intervals([np.zeros(20)]) == [Interval(0.0, 0.0)]
    found = score_intervals([np.zeros(20)])[0]
    assert found is not None
    assert (found.low, found.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert (found.method, found.n) == ("equal values", 20)


def test_all_ones_mirror_all_zeros_and_others_lie_between() -> None:
    zeros, ones, halves = (equal_values_interval(value, 8) for value in (0.0, 1.0, 0.5))
    assert (ones.low, ones.high) == (pytest.approx(1 - zeros.high), 1.0)
    assert (halves.low, halves.high) == (pytest.approx(0.5 - zeros.high / 2), pytest.approx(0.5 + zeros.high / 2))


def test_differences_have_bounds_of_their_own() -> None:
    found = equal_values_interval(0.0, 10, bounds=Bounds(-1, 1))
    assert found.high == pytest.approx(1 - 0.025**0.1)
    assert found.low == -found.high


def test_one_side_at_the_full_confidence() -> None:
    assert equal_values_interval(0.0, 20, side="high") == Interval(-math.inf, pytest.approx(1 - 0.05 ** (1 / 20)))
    assert bounded([0.1, 0.4, 0.2], side="low").high == math.inf


@pytest.mark.parametrize(("ones", "n"), [(1, 5), (3, 7), (6, 7)])
def test_of_shares_it_is_the_interval_of_clopper_and_pearson(ones: int, n: int) -> None:
    from scipy.stats import binomtest

    oracle = binomtest(ones, n).proportion_ci(0.95, method="exact")
    found = bounded([1.0] * ones + [0.0] * (n - ones), draws=50_000)
    assert (found.low, found.high) == (pytest.approx(oracle.low, abs=0.004), pytest.approx(oracle.high, abs=0.004))


def zeros(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape) < 0.85, 0.0, rng.beta(2, 3, shape))


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.beta(0.5, 3, shape)


@pytest.mark.parametrize("n", [3, 5, 8])
@pytest.mark.parametrize(("draw", "mean"), [(zeros, 0.06), (skewed, 1 / 7)])
def test_few_queries_hold_the_mean_as_often_as_promised(draw: object, mean: float, n: int) -> None:
    values = draw(np.random.default_rng(n), (600, n))  # type: ignore[operator]
    found = [one for one in score_intervals(values) if one]
    held = np.mean([one.low <= mean <= one.high for one in found])
    assert held >= 0.95
    assert all(one.method != "BCa" and one.least_coverage >= 0.95 for one in found)


@pytest.mark.parametrize("n", [3, 5, 10, 15])
def test_bca_holds_the_mean_as_often_as_its_trust_says(n: int) -> None:
    values = skewed(np.random.default_rng(n), (1000, n))
    held = np.mean([one.low <= 1 / 7 <= one.high for one in mean_intervals(values) if one])
    assert held == pytest.approx(interval_trust(n).bca, abs=0.05)
    assert held >= interval_trust(n).bca - 2 * math.sqrt(0.1 / 1000)


def test_from_ten_queries_on_it_is_bca() -> None:
    values = np.random.default_rng(3).random((2, 12))
    values[1, 3:] = NAN
    first, second = score_intervals(values)
    usual = mean_intervals(values)[0]
    assert first is not None
    assert second is not None
    assert usual == Interval(first.low, first.high)
    assert (first.method, first.n, second.method, second.n) == ("BCa", 12, "bounded", 3)


def test_trust_grows_with_the_number_of_queries() -> None:
    trusts = [interval_trust(n) for n in range(1, 60)]
    assert math.isnan(trusts[0].bca)
    assert all(a.bca <= b.bca for a, b in pairwise(trusts[1:]))
    assert next(one.n for one in trusts if one.full) == 10


def test_too_little_is_undefined() -> None:
    assert bounded_mean_intervals([[NAN, NAN]]) == [None]
    assert score_intervals([[NAN, 0.3], [0.2, 0.4]])[0] is None
    assert score_intervals(np.zeros((0, 4))) == []


def test_values_outside_the_bounds_are_refused() -> None:
    with pytest.raises(UsageError, match=r"values from 0.5 to 1.2 leave the bounds 0.0 and 1.0"):
        score_intervals([[0.5, 1.2]])
    with pytest.raises(UsageError, match="1 is not below 0"):
        Bounds(1, 0)
    with pytest.raises(UsageError, match="n 0 is not 1 or more"):
        equal_values_interval(0.0, 0)
