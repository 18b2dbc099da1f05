from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from karat.model import UsageError
from karat.stats.reliability.discriminative_power import (
    PairOutcome,
    discriminative_power,
    drawn_pairs,
    significant_pairs,
)
from karat.stats.run_pairs import run_pairs


def sampled(runs: int, queries: int, *, seed: int = 0, spread: float = 0.15) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0, spread, (runs, 1)) + rng.normal(0, 0.2, (1, queries)) + rng.normal(0, 0.2, (runs, queries))


@pytest.mark.parametrize("seed", range(5))
def test_the_pairs_are_those_of_scipy_and_statsmodels(seed: int) -> None:
    values = sampled(7, 12, seed=seed)
    p_values = [scipy.stats.ttest_rel(values[i], values[j]).pvalue for i, j in combinations(range(7), 2)]
    expected = int(multipletests(p_values, alpha=0.05, method="holm")[0].sum())
    assert significant_pairs(values) == PairOutcome(21, expected)
    assert significant_pairs(values, correction="none") == PairOutcome(21, sum(p <= 0.05 for p in p_values))


def test_undefined_scores_leave_the_questions_both_runs_have() -> None:
    values = sampled(6, 14, seed=3)
    values[0, :5], values[1, 3:9], values[4, 0] = np.nan, np.nan, np.nan
    p_values = [
        scipy.stats.ttest_rel(values[i], values[j], nan_policy="omit").pvalue for i, j in combinations(range(6), 2)
    ]
    assert significant_pairs(values, correction="none") == PairOutcome(15, sum(p <= 0.05 for p in p_values))
    # Every level is met by as many pairs as have a p-value below it.
    for alpha in (0.001, 0.01, 0.2, 0.5, 0.9):
        assert significant_pairs(values, alpha=alpha, correction="none").different == sum(p <= alpha for p in p_values)


def test_the_same_scores_do_not_differ_and_a_constant_difference_has_no_test() -> None:
    row = np.array([0.1, 0.7, 0.3, 0.45])
    assert significant_pairs(np.array([row, row])) == PairOutcome(1, 0)
    assert significant_pairs(np.array([row, row + 0.1])) == PairOutcome(0, 0)
    assert significant_pairs(np.array([[0.1, np.nan, 0.2], [np.nan, 0.3, 0.4]])) == PairOutcome(0, 0)


def test_more_questions_tell_more_runs_apart() -> None:
    few, many, everything = discriminative_power(sampled(10, 60), sizes=[5, 30, 60], trials=30)
    assert few.share is not None
    assert many.share is not None
    assert everything.share is not None
    assert few.share < many.share < everything.share
    assert few.low is not None
    assert few.high is not None
    assert few.low <= few.share <= few.high
    assert (few.pairs, few.trials, few.untested) == (45, 30, 0)
    outcome = significant_pairs(sampled(10, 60))
    assert (everything.trials, everything.share) == (1, outcome.different / outcome.tested)


def test_runs_that_are_alike_are_rarely_distinguished() -> None:
    (found,) = discriminative_power(sampled(8, 40, spread=0.0), sizes=[20], trials=100, correction="none")
    assert found.share is not None
    assert 0.005 < found.share < 0.12


@pytest.mark.parametrize("values", [np.array([[0.1, 0.5]]), np.full((3, 2), np.nan)])
def test_without_a_test_there_is_no_share(values: np.ndarray) -> None:
    (found,) = discriminative_power(values, sizes=[2])
    pairs = len(values) * (len(values) - 1) // 2
    assert (found.share, found.low, found.high, found.pairs, found.untested) == (None, None, None, pairs, pairs)


def test_one_question_tests_nothing() -> None:
    (found,) = discriminative_power(sampled(3, 6), sizes=[1], trials=4)
    assert (found.share, found.untested) == (None, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [2, 7, 9]}, "cannot draw 7, 9 questions: sizes must be from 1 to 6 here"),
        ({"sizes": [2], "alpha": 0.0}, "alpha 0.0 is not between 0 and 1"),
        ({"sizes": [2], "correction": "bonferroni"}, "correction 'bonferroni' is not one of holm, none"),
        ({"sizes": [2], "trials": 0}, "trials 0"),
    ],
)
def test_wrong_requests_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        discriminative_power(sampled(3, 6), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_a_part_that_is_all_pairs_gives_the_same(correction: str) -> None:
    values = sampled(20, 15, seed=3)
    values[2, :4] = values[5, 8] = np.nan
    pairs = run_pairs(20, most=1000)
    assert significant_pairs(values, correction=correction) == significant_pairs(
        values, correction=correction, pairs=pairs
    )


def test_of_very_many_pairs_a_random_part_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    values = sampled(300, 30, spread=0.4)
    values[:150, :29] = np.nan
    values[:75] = np.nan
    (exact,) = discriminative_power(values, sizes=[30])
    monkeypatch.setattr("karat.stats.reliability.discriminative_power.MOST_PAIRS", 9000)
    (found,) = discriminative_power(values, sizes=[30])
    assert (exact.drawn, found.drawn, found.pairs) == (None, 9000, exact.pairs)
    assert exact.share is not None
    # Holm's correction of 9,000 pairs instead of all 44,850 would find many more.
    assert found.share == pytest.approx(exact.share, abs=0.03)
    assert found.untested == pytest.approx(exact.untested, rel=0.03)


def test_the_bound_is_that_of_the_documentation() -> None:
    assert drawn_pairs(447, seed=0) is None
    drawn = drawn_pairs(448, seed=0)
    assert drawn is not None
    assert len(drawn) == 448 * (100_000 // 448)
