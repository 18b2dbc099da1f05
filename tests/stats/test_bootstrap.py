from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.bootstrap import Interval, mean_interval


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_queries_say_nothing_about_others(values: list[float]) -> None:
    assert mean_interval(values) is None


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval([0.25] * 5) == Interval(0.25, 0.25)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = [0.03, 0.14, 0.15, 0.31, 0.5, 0.59, 0.65, 0.92]
    assert mean_interval(values, seed=7) == mean_interval(values, seed=7)
    assert mean_interval(values, seed=7) != mean_interval(values, seed=8)


def test_the_interval_is_that_of_all_resamples() -> None:
    values = [0.0, 0.25, 0.5, 1.0]
    means = sorted(sum(drawn) / 4 for drawn in product(values, repeat=4))
    exact = Interval(means[round(0.025 * 255)], means[round(0.975 * 255)])
    found = mean_interval(values, resamples=20_000)
    assert found is not None
    # The means of four such values lie 1/16 apart.
    assert abs(found.low - exact.low) <= 1 / 16
    assert abs(found.high - exact.high) <= 1 / 16


def test_more_confidence_asks_for_a_wider_interval() -> None:
    values = [index / 20 for index in range(20)]
    narrow, wide = mean_interval(values, confidence=0.5), mean_interval(values, confidence=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.integers(0, 3))
def test_the_interval_lies_between_the_smallest_and_the_largest_value(values: list[float], seed: int) -> None:
    found = mean_interval(values, resamples=50, seed=seed)
    assert found is not None
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12
