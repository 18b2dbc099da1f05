from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.stats.significance.run_groups import run_groups

NAN = float("nan")


def noisy(*means: float, queries: int, seed: int = 0) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    return np.array(means)[:, None] + draw.normal(0, 0.2, queries) + draw.normal(0, 0.1, (len(means), queries))


def test_runs_that_are_clearly_apart_have_letters_of_their_own() -> None:
    found = run_groups(noisy(0.2, 0.8, 0.5, queries=20))
    assert found.letters == ("c", "a", "b")
    assert found.order == (1, 2, 0)
    assert run_groups(noisy(0.2, 0.8, 0.5, queries=20), less_is_better=True).letters == ("a", "c", "b")


def test_a_run_that_answers_easy_queries_only_does_not_lead() -> None:
    values = noisy(0.45, 0.55, queries=40, seed=1)
    hard = np.argsort(values.mean(axis=0))[:20]
    values[0, hard] = NAN
    assert np.nanmean(values[0]) > np.nanmean(values[1])
    found = run_groups(values)
    assert found.order == (1, 0)
    assert found.letters == ("b", "a")


def test_the_best_and_the_worst_without_a_common_query_share_no_letter() -> None:
    draw = np.random.default_rng(2)
    values = np.full((2, 20), NAN)
    values[0, :10] = 0.906 + draw.normal(0, 0.05, 10)
    values[1, 10:] = 0.105 + draw.normal(0, 0.05, 10)
    alone = run_groups(values)
    assert alone.letters == ("", "")
    assert not alone.adjusted.comparable
    assert np.isnan(alone.p).all()
    middle = 0.5 + draw.normal(0, 0.6, 20)
    found = run_groups(np.vstack([values, middle]))
    assert not found.tested[0, 1]
    assert not set(found.letters[0].strip("*")) & set(found.letters[1].strip("*"))
    assert found.letters[0].endswith("*")
    assert found.letters[1].endswith("*")
    assert not found.letters[2].endswith("*")


def test_runs_without_values_have_no_letters() -> None:
    values = noisy(0.2, 0.8, 0.5, queries=20)
    values[0] = NAN
    found = run_groups(values)
    assert found.letters == ("", "a", "b")
    assert found.order == (1, 2, 0)
    assert run_groups(np.full((2, 9), NAN)).letters == ("", "")
    assert run_groups([[0.1] * 9]).letters == ("",)


def test_letters_agree_with_the_p_values() -> None:
    found = run_groups(noisy(*np.linspace(0.3, 0.6, 8), queries=15, seed=3))
    for first in range(8):
        for second in range(first):
            assert bool(set(found.letters[first]) & set(found.letters[second])) == (found.p[first, second] > 0.05)
    assert (found.tests.differences >= 0).all()
