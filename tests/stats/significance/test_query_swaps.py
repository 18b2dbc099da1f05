from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.significance.query_swaps import bound_of_signed_sums
from karat.stats.significance.t_test import Alternative

ALTERNATIVES: list[Alternative] = ["two-sided", "less", "greater"]


@given(st.lists(st.floats(-3, 3).map(lambda d: round(d, 2)), min_size=1, max_size=8), st.sampled_from(ALTERNATIVES))
def test_no_p_value_exceeds_its_bound(differences: list[float], alternative: Alternative) -> None:
    d = np.array(differences)
    sums = np.array([np.dot(signs, d) for signs in product((1, -1), repeat=len(d))])
    extreme = {
        "two-sided": np.abs(sums) >= abs(d.sum()) - 1e-9,
        "less": sums <= d.sum() + 1e-9,
        "greater": sums >= d.sum() - 1e-9,
    }[alternative]
    assert extreme.mean() <= bound_of_signed_sums(d[None], alternative=alternative)[0] * (1 + 1e-6)


def test_the_bound_is_below_that_of_hoeffding() -> None:
    d = np.random.default_rng(0).normal(0.5, 1.0, (20, 30))
    hoeffding = 2 * np.exp(-(d.sum(axis=1) ** 2) / (2 * (d**2).sum(axis=1)))
    found = bound_of_signed_sums(d, alternative="two-sided")
    assert (found <= np.minimum(hoeffding, 1) * (1 + 1e-6)).all()
    assert found.min() < 0.9 * hoeffding.min()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_differences_are_bounded_by_one(alternative: Alternative) -> None:
    assert bound_of_signed_sums(np.zeros((2, 3)), alternative=alternative).tolist() == [1.0, 1.0]
    assert bound_of_signed_sums(np.zeros((0, 3)), alternative=alternative).tolist() == []
