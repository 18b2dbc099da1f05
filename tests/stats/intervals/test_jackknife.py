from __future__ import annotations

import numpy as np
import pytest

from karat.stats.agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from karat.stats.intervals.bca import Interval
from karat.stats.intervals.jackknife import jackknife_interval


def test_worked_by_hand() -> None:
    # z = 0.2, 0.4, 0.6 around atanh 0.4: s^2 = 2/3 * 0.08, t(0.975; 2) = 4.302653.
    found = jackknife_interval(float(np.tanh(0.4)), np.tanh([0.2, 0.4, 0.6]))
    reach = 4.302653 * np.sqrt(2 / 3 * 0.08)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(np.tanh(0.4 - reach)), pytest.approx(np.tanh(0.4 + reach)))


def test_equal_values_are_not_certain() -> None:
    found = jackknife_interval(1.0, np.ones(20))
    assert found == Interval(pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 20))), 1.0)


def test_undefined_values_are_left_out() -> None:
    assert jackknife_interval(0.5, [0.4, np.nan, 0.6]) == jackknife_interval(0.5, [0.4, 0.6])
    assert jackknife_interval(0.5, [0.4, np.nan]) is None


def test_one_group_that_holds_every_difference() -> None:
    found = jackknife_interval(0.9, [1.0, 1.0, 1.0, 0.86])
    assert found is not None
    assert found.low < 0
    assert found.high == pytest.approx(1)


def test_five_queries_hold_the_true_kappa_as_often_as_promised() -> None:
    rng = np.random.default_rng(12)

    def rated(queries: int) -> np.ndarray:
        """Labels of two raters, 10 a query; in some queries they err more often than in others."""
        right = 1 / (1 + np.exp(-rng.normal(2, 0.6, (queries, 1))))
        truth = rng.random((queries, 10)) < np.clip(rng.normal(0.5, 0.15, (queries, 1)), 0.05, 0.95)
        return np.stack([np.where(rng.random(truth.shape) < right, truth, ~truth) for _ in range(2)], axis=-1)

    large = rated(20_000).reshape(-1, 2)
    for coefficient in (cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement):
        true = coefficient(large).value
        assert true is not None
        held = 0
        for _ in range(250):
            found = coefficient(rated(5).reshape(-1, 2), groups=np.repeat(np.arange(5), 10))
            held += found.low is not None and found.high is not None and found.low <= true <= found.high
        assert held >= 0.92 * 250
