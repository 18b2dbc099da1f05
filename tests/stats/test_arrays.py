from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from karat.model import UsageError
from karat.stats.arrays import checked_scores
from karat.stats.correlation.score_matrices import correlate_scores
from karat.stats.intervals.bootstrap import mean_intervals, median_intervals, statistic_interval
from karat.stats.reliability.discriminative_power import discriminative_power
from karat.stats.reliability.rank_stability import swap_rates
from karat.stats.reliability.safe_plan import plan_queries
from karat.stats.reliability.variance import variance_components
from karat.stats.significance.anova import two_way
from karat.stats.significance.permutation import pair_pvalues, statistic_pair_pvalues
from karat.stats.significance.t_test import paired_t
from karat.stats.significance.tukey import tukey_hsd
from stats.correlation.of_vectors import correlate

SCORES = np.random.default_rng(0).random((3, 6))


def ratio(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def counts(scores: np.ndarray) -> np.ndarray:
    return np.stack([scores, np.ones_like(scores)], axis=-1)


ALL: dict[str, Callable[[np.ndarray], object]] = {
    "anova": two_way,
    "bootstrap": mean_intervals,
    "medians": median_intervals,
    "pooled interval": lambda scores: statistic_interval(counts(scores)[0], ratio),
    "correlate": lambda scores: correlate(scores[0], scores[1], resamples=20),
    "correlate scores": lambda scores: correlate_scores(scores, scores[::-1], resamples=20),
    "discriminative power": lambda scores: discriminative_power(scores, sizes=[3], trials=3),
    "permutation": lambda scores: pair_pvalues(scores, [[0, 1]], resamples=20),
    "pooled permutation": lambda scores: statistic_pair_pvalues(counts(scores), ratio, [[0, 1]], resamples=20),
    "pilot": lambda scores: plan_queries(scores[0], scores[1]),
    "stability": lambda scores: swap_rates(scores, sizes=[3], trials=3),
    "t test": lambda scores: paired_t(scores, [[0, 1]]),
    "tukey": tukey_hsd,
    "variance": variance_components,
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("scale", [1e101, 1e308])
def test_scores_that_are_too_large_are_refused(name: str, scale: float) -> None:
    with pytest.raises(UsageError, match="scores beyond 1e100 cannot be compared"):
        ALL[name](SCORES / SCORES.max() * scale)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("scale", [1e99, 1e-99, 1e-160, 1e-310])
def test_large_and_small_scores_give_no_warnings(name: str, scale: float) -> None:
    # Warnings are errors in these tests.
    assert ALL[name](SCORES * scale) is not None


@pytest.mark.parametrize("scale", [1e99, 1e-95])
def test_the_scale_of_scores_makes_no_difference(scale: float) -> None:
    np.testing.assert_allclose(paired_t(SCORES * scale, [[0, 1]]).p, paired_t(SCORES, [[0, 1]]).p)
    np.testing.assert_allclose(pair_pvalues(SCORES * scale, [[0, 1]]).p, pair_pvalues(SCORES, [[0, 1]]).p)


def test_scores_next_to_zero_are_zero_and_nan_stays() -> None:
    found = checked_scores(np.array([1e-310, -1e-101, 1e-99, np.nan, 1e100]), infinite="")
    np.testing.assert_array_equal(found, [0.0, 0.0, 1e-99, np.nan, 1e100])


def test_infinite_scores_have_the_message_of_the_caller() -> None:
    with pytest.raises(UsageError, match="no infinite scores here"):
        checked_scores(np.array([-np.inf]), infinite="no infinite scores here")
