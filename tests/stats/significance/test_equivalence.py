from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from karat.model import UsageError
from karat.stats.significance.equivalence import equivalence, noninferiority

NAN = float("nan")


def two_runs(difference: float, *, queries: int = 30, seed: int = 0) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    base = draw.normal(0.5, 0.2, queries)
    return np.array([base + difference + draw.normal(0, 0.05, queries), base])


def test_not_worse_is_said_only_where_it_is_shown() -> None:
    values = two_runs(0.0)
    assert noninferiority(values, [[0, 1]], margin=0.05).shown.tolist() == [True]
    assert noninferiority(values, [[0, 1]], margin=0.001).shown.tolist() == [False]
    assert noninferiority(two_runs(-0.2), [[0, 1]], margin=0.05).shown.tolist() == [False]
    assert noninferiority(two_runs(0.2), [[0, 1]], margin=0.05).shown.tolist() == [True]


def test_an_error_that_must_not_grow() -> None:
    assert noninferiority(two_runs(-0.2), [[0, 1]], margin=0.05, less_is_better=True).shown.tolist() == [True]
    assert noninferiority(two_runs(0.2), [[0, 1]], margin=0.05, less_is_better=True).shown.tolist() == [False]


def test_equivalence_needs_both_sides() -> None:
    for difference, shown in ((0.0, True), (0.2, False), (-0.2, False)):
        assert equivalence(two_runs(difference), [[0, 1]], margin=0.05).shown.tolist() == [shown]


def test_several_pairs_have_wider_limits_than_one() -> None:
    values = np.concatenate([two_runs(0.0), two_runs(0.0, seed=1)])
    one, several = (equivalence(values, pairs, margin=0.05) for pairs in ([[0, 1]], [[0, 1], [0, 2], [0, 3]]))
    assert several.low[0] < one.low[0]
    assert several.high[0] > one.high[0]


def test_nothing_is_shown_of_an_untested_pair() -> None:
    found = noninferiority([[0.5] * 5 + [NAN] * 5, [NAN] * 5 + [0.5] * 5], [[0, 1]], margin=0.5)
    assert found.shown.tolist() == [False]
    assert found.tested.tolist() == [False]


def test_wrong_margins() -> None:
    for margin in (0.0, -0.1, float("inf"), NAN):
        with pytest.raises(UsageError, match="margin"):
            equivalence(two_runs(0.0), [[0, 1]], margin=margin)
    with pytest.raises(UsageError, match="alpha"):
        noninferiority(two_runs(0.0), [[0, 1]], margin=0.1, alpha=0.5)


def test_a_run_at_the_margin_is_seldom_called_not_worse() -> None:
    trials = 400
    wrong = sum(
        bool(noninferiority(two_runs(-0.05, queries=15, seed=seed), [[0, 1]], margin=0.05, resamples=199).shown[0])
        for seed in range(trials)
    )
    both = sum(
        bool(equivalence(two_runs(0.05, queries=15, seed=seed), [[0, 1]], margin=0.05, resamples=199).shown[0])
        for seed in range(trials)
    )
    # 0.06 and two simulation errors.
    assert wrong / trials <= 0.06 + 2 * (0.06 * 0.94 / trials) ** 0.5
    assert both / trials <= 0.06 + 2 * (0.06 * 0.94 / trials) ** 0.5
