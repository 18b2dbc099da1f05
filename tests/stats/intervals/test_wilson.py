from __future__ import annotations

import pytest
from scipy.stats import binomtest

from karat.stats.intervals.wilson import wilson_interval


@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (0, 40), (3, 7), (40, 40), (123, 999)])
def test_it_is_the_interval_of_scipy(count: int, n: int) -> None:
    expected = binomtest(count, n).proportion_ci(method="wilson")
    assert wilson_interval(count, n) == pytest.approx((expected.low, expected.high), abs=1e-12)
