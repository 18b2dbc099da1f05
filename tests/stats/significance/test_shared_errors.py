"""Errors of very many runs: the same as their covariance, without a matrix of all pairs."""

from __future__ import annotations

import numpy as np

from karat.stats.significance.added_variance import SharedErrors, pair_variances
from karat.stats.significance.max_t import max_t

DRAW = np.random.default_rng(0)
ERRORS = SharedErrors(DRAW.normal(0, 0.03, (6, 3)), np.abs(DRAW.normal(0, 0.03, 6)))
COVARIANCE = ERRORS.slopes @ ERRORS.slopes.T + np.diag(ERRORS.own**2)
PAIRS = np.array([(run, 0) for run in range(1, 6)])


def test_variances_of_pairs_are_those_of_the_covariance() -> None:
    np.testing.assert_allclose(pair_variances(ERRORS, PAIRS), pair_variances(COVARIANCE, PAIRS), rtol=1e-12)
    rows = [4, 1]
    part = pair_variances(ERRORS.of_rows(rows), [[0, 1]])
    np.testing.assert_allclose(part, pair_variances(COVARIANCE[np.ix_(rows, rows)], [[0, 1]]), rtol=1e-12)


def test_draws_have_the_covariance() -> None:
    drawn = ERRORS.drawn(200_000, seed=1)
    assert drawn.shape == (6, 200_000)
    np.testing.assert_allclose(np.cov(drawn), COVARIANCE, atol=3e-5)
    np.testing.assert_array_equal(drawn, ERRORS.drawn(200_000, seed=1))


def test_tests_of_pairs_are_those_with_the_covariance_but_for_chance() -> None:
    values = DRAW.normal(0, 0.1, (6, 20)) + 0.03 * np.arange(6)[:, None]
    exact, found = (max_t(values, PAIRS, covariance=errors) for errors in (COVARIANCE, ERRORS))
    np.testing.assert_allclose(found.errors, exact.errors, rtol=1e-12)
    np.testing.assert_allclose(found.p, exact.p, atol=0.03)
    without = max_t(values, PAIRS)
    assert (found.p > without.p).any()
