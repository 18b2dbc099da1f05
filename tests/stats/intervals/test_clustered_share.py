from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from karat.model import UsageError
from karat.stats.intervals.clustered_share import clustered_share_interval


def test_one_group_is_clopper_and_pearson() -> None:
    expected = binomtest(3, 20).proportion_ci(0.95, method="exact")
    found = clustered_share_interval([3], [20])
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_none_and_all() -> None:
    assert clustered_share_interval([0, 0], [10, 10]).low == 0
    assert clustered_share_interval([0, 0], [10, 10]).high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert clustered_share_interval([10, 10], [10, 10]).high == 1


def test_groups_that_differ_make_it_wider() -> None:
    alike = clustered_share_interval([5] * 10, [10] * 10)
    apart = clustered_share_interval([10, 0] * 5, [10] * 10)
    assert apart.high - apart.low > 2 * (alike.high - alike.low)


@pytest.mark.parametrize("rho", [0.1, 0.3])
def test_it_holds_the_share_in_simulations(rho: float) -> None:
    rng, share, trials = np.random.default_rng(3), 0.3, 400
    held = 0
    for _ in range(trials):
        sizes = rng.poisson(9, 12) + 1
        own = rng.beta(share * (1 / rho - 1), (1 - share) * (1 / rho - 1), len(sizes))
        found = clustered_share_interval(rng.binomial(sizes, own), sizes)
        held += found.low <= share <= found.high
    # Three simulation errors below 95 %; without groups it holds about 80 and 60 %.
    assert held / trials >= 0.95 - 3 * (0.95 * 0.05 / trials) ** 0.5


def test_a_share_needs_units() -> None:
    for marked, sizes in (([0], [0]), ([3], [2]), ([-1], [2]), ([1, 1], [2])):
        with pytest.raises(UsageError, match="a share needs at least one unit"):
            clustered_share_interval(marked, sizes)
