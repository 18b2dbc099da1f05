from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from karat.model import UsageError
from karat.stats.significance.holm import holm


def test_a_case_worked_by_hand() -> None:
    # 4 x .01, 3 x .02, 2 x .03 = .06, then .04 which may not fall below what came before.
    assert holm([0.03, 0.01, 0.04, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_no_adjusted_value_exceeds_one() -> None:
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]


def test_a_test_that_was_not_made_is_not_counted() -> None:
    np.testing.assert_allclose(holm([np.nan, 0.02, 0.5]), [np.nan, 0.04, 0.5])
    assert np.isnan(holm([np.nan, np.nan])).all()


def test_no_tests() -> None:
    assert holm([]).tolist() == []


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_statsmodels_agrees(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


@pytest.mark.parametrize("p", [[-0.1], [1.1], [[0.5]]])
def test_what_is_no_list_of_p_values(p: list[float]) -> None:
    with pytest.raises(UsageError, match="p-values"):
        holm(p)
