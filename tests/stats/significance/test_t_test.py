from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sem, ttest_rel
from scipy.stats import t as student

from karat.model import UsageError
from karat.stats.significance.t_test import Alternative, mean_t_interval, paired_differences, paired_t

ALTERNATIVES: list[Alternative] = ["two-sided", "less", "greater"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_scipy_agrees(alternative: Alternative) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((5, 12)) + np.arange(5)[:, None] / 10
    values[rng.random((5, 12)) < 0.2] = np.nan
    pairs = [(first, second) for first in range(5) for second in range(5) if first != second]
    test = paired_t(values, pairs, alternative=alternative)
    for index, (first, second) in enumerate(pairs):
        expected = ttest_rel(values[first], values[second], nan_policy="omit", alternative=alternative)
        assert test.t[index] == pytest.approx(expected.statistic)
        assert test.p[index] == pytest.approx(expected.pvalue)
        assert test.n[index] == expected.df + 1


def test_the_sleep_data_of_student() -> None:
    # Student (1908): hours of sleep gained with two drugs, ten patients; t = 4.06.
    first = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    second = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    test = paired_t([first, second], [[0, 1]])
    assert test.differences[0] == pytest.approx(1.58)
    assert test.t[0] == pytest.approx(4.0621, abs=1e-4)
    assert test.p[0] == pytest.approx(0.002833, abs=1e-6)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_runs_that_never_differ(alternative: Alternative) -> None:
    test = paired_t([[0.3, 0.5], [0.1 + 0.2, 0.5]], [[0, 1]], alternative=alternative)
    assert (test.p[0], test.t[0]) == (1.0, 0.0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_differences_that_are_all_equal_give_no_p(alternative: Alternative) -> None:
    # The differences are 0.1 but for rounding.
    test = paired_t([[0.3, 0.5, 0.9], [0.2, 0.4, 0.8]], [[0, 1], [1, 0]], alternative=alternative)
    assert np.isnan(test.p).all()
    assert test.t.tolist() == [np.inf, -np.inf]


def test_one_paired_query_and_none() -> None:
    test = paired_t([[0.5, 0.7, np.nan], [0.4, np.nan, 0.2], [np.nan] * 3], [[0, 1], [0, 2]])
    assert test.n.tolist() == [1, 0]
    assert np.isnan(test.p).all()
    assert np.isnan(test.t).all()
    np.testing.assert_allclose(test.differences, [0.1, np.nan])


def test_no_pairs() -> None:
    assert paired_t([[0.5, 0.7]], []).p.tolist() == []


def test_a_difference_by_rounding_is_none() -> None:
    found = paired_differences([[0.1 + 0.2, np.nan, 0.5], [0.3, 0.1, 0.25]], [[0, 1]])
    np.testing.assert_array_equal(found.by_query, [[0.0, np.nan, 0.25]])


@pytest.mark.parametrize(
    ("values", "pairs", "message"),
    [
        ([0.5, 0.7], [[0, 1]], "shape"),
        ([[0.5, np.inf]], [[0, 0]], "finite"),
        ([[0.5], [0.7]], [[0, 2]], "rows 0 to 1"),
        ([[0.5], [0.7]], [[-1, 0]], "rows 0 to 1"),
        ([[0.5], [0.7]], [0, 1], "two row numbers"),
        ([[0.5], [0.7]], [[0.0, 1.0]], "two row numbers"),
    ],
)
def test_what_cannot_be_tested(values: list[list[float]], pairs: list[list[int]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        paired_t(values, pairs)


def test_an_unknown_alternative() -> None:
    with pytest.raises(UsageError, match="'both' is not one of two-sided, less, greater"):
        paired_t([[0.5]], [], alternative="both")  # type: ignore[arg-type]


@pytest.mark.parametrize("differences", [[1.0, 2.0, 4.0], [0.0, 0.0, 1.0, -1.0], [2.0, 2.0]])
def test_the_interval_of_a_mean_is_students(differences: list[float]) -> None:
    found = mean_t_interval(differences)
    assert found is not None
    n = len(differences)
    low, high = student.interval(0.95, n - 1, loc=np.mean(differences), scale=max(sem(differences), 1e-300))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_one_number_has_no_interval_and_nonsense_is_refused() -> None:
    assert mean_t_interval([1.0]) is None
    with pytest.raises(UsageError, match="one row of finite numbers"):
        mean_t_interval([1.0, np.nan])
    with pytest.raises(UsageError, match="confidence 1 is not between 0 and 1"):
        mean_t_interval([1.0, 2.0], confidence=1)
