from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.model import UsageError
from karat.stats.significance.added_variance import (
    added_variance_p,
    jackknife_errors,
    mean_errors,
    pair_variances,
)

VALUES = np.random.default_rng(3).normal(0.5, 0.2, (3, 12))
PAIRS = [[0, 1], [2, 1]]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_with_nothing_added_it_is_the_paired_t_test(alternative: str) -> None:
    found = added_variance_p(mean_errors(VALUES, PAIRS), [0.0, 0.0], alternative=alternative)
    expected = [stats.ttest_rel(VALUES[a], VALUES[b], alternative=alternative).pvalue for a, b in PAIRS]
    assert found == pytest.approx(expected)


def test_the_more_is_added_the_less_is_certain_and_the_degrees_of_freedom_are_welchs() -> None:
    exact = mean_errors(VALUES, PAIRS)
    p = [added_variance_p(exact, [variance] * 2)[0] for variance in (0.0, 0.01, 0.1, 1e6)]
    assert p == sorted(p)
    assert p[-1] == pytest.approx(1.0, abs=1e-3)
    own, added = exact.errors[0] ** 2, 0.02
    degrees = (own + added) ** 2 / (own**2 / 11 + added**2 / 7)
    expected = 2 * stats.t.sf(abs(exact.differences[0]) / np.sqrt(own + added), degrees)
    assert added_variance_p(exact, [added, added], freedom=7.0)[0] == pytest.approx(expected)


def test_the_jackknife_of_means_is_the_standard_error() -> None:
    without = (VALUES.sum(axis=1, keepdims=True) - VALUES) / 11
    found = jackknife_errors(VALUES.mean(axis=1), without, PAIRS)
    expected = mean_errors(VALUES, PAIRS)
    assert found.errors == pytest.approx(expected.errors)
    assert found.differences == pytest.approx(expected.differences)
    assert (found.n == 12).all()


def test_missing_queries_are_left_out_and_one_query_tells_nothing() -> None:
    values = VALUES.copy()
    values[0, :11] = np.nan
    errors = mean_errors(values, PAIRS)
    assert errors.n.tolist() == [1, 12]
    assert np.isnan(added_variance_p(errors, [0.0, 0.0])).tolist() == [True, False]


def test_runs_that_never_differ_have_p_1_and_those_that_always_do_need_the_added_variance() -> None:
    values = np.array([[0.5] * 6, [0.5] * 6, [0.7] * 6])
    errors = mean_errors(values, [[0, 1], [2, 0]])
    assert added_variance_p(errors, [0.0, 0.0]) == pytest.approx([1.0, 0.0])
    assert added_variance_p(errors, [0.01, 0.01]) == pytest.approx([1.0, 2 * stats.norm.sf(2.0)], abs=1e-6)


def test_the_variance_of_a_difference() -> None:
    covariance = np.array([[0.4, 0.1, 0.0], [0.1, 0.3, 0.0], [0.0, 0.0, 0.2]])
    assert pair_variances(covariance, PAIRS) == pytest.approx([0.5, 0.5])
    with pytest.raises(UsageError, match=r"\(runs, runs\)"):
        pair_variances([[1.0, 2.0]], PAIRS)


def test_false_alarms_with_an_error_that_all_queries_share() -> None:
    """Differences 0 in truth, each with an error of its own that does not average out over queries."""
    random = np.random.default_rng(1)
    lasting = 0.04
    shared = random.normal(0.0, lasting / np.sqrt(2), (4000, 1))
    values = 0.5 + shared + random.normal(0.0, 0.1, (4000, 50))
    pairs = np.arange(4000).reshape(2000, 2)
    exact = mean_errors(values, pairs)
    without, added = (added_variance_p(exact, np.full(2000, variance)) for variance in (0.0, lasting**2))
    assert (without <= 0.05).mean() > 0.25
    assert (added <= 0.05).mean() == pytest.approx(0.05, abs=0.015)
