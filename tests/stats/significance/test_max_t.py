from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from karat.model import UsageError
from karat.stats.intervals import bootstrap
from karat.stats.intervals.bootstrap import resample_weights
from karat.stats.significance import max_t as module
from karat.stats.significance.holm import holm
from karat.stats.significance.max_t import max_t
from karat.stats.significance.permutation import pair_pvalues
from karat.stats.significance.t_test import Alternative

Array = NDArray[np.float64]


def all_pairs(runs: int) -> NDArray[np.int64]:
    return np.array(list(combinations(range(runs), 2)))


def scores(runs: int, queries: int, *, seed: int, step: float = 0.0) -> Array:
    draw = np.random.default_rng(seed)
    table: Array = draw.normal(0.5, 0.2, queries) + draw.normal(0, 0.1, (runs, queries))
    return table + step * np.arange(runs)[:, None]


def by_hand(values: Array, pairs: NDArray[np.int64], *, resamples: int, seed: int) -> tuple[list[float], list[float]]:
    """Step-down and single-step p-values, resample by resample, as the docstring has them."""
    differences = [values[first] - values[second] for first, second in pairs]
    rows = [row[~np.isnan(row)] for row in differences]

    def statistics(samples: list[Array]) -> list[float]:
        pool = sum(len(d) * d.var() for d in samples) / sum(len(d) for d in samples)
        return [abs(d.mean()) / np.sqrt((d.var() / 3 + 2 * pool / 3) / len(d)) for d in samples]

    observed = statistics(rows)
    weights = resample_weights(values.shape[1], resamples=resamples, seed=seed).astype(int)
    drawn = []
    for weight in weights:
        centred = [(d - np.nanmean(d)).repeat(weight) for d in differences]
        drawn.append(statistics([d[~np.isnan(d)] for d in centred]))
    single, stepped, least = [], {}, 0.0
    for place in np.argsort(observed)[::-1]:
        left = [other for other in range(len(pairs)) if observed[other] <= observed[place]]
        reached = sum(max(resample[other] for other in left) >= observed[place] for resample in drawn)
        least = max(least, (1 + reached) / (1 + resamples))
        stepped[int(place)] = least
    for t in observed:
        single.append((1 + sum(max(resample) >= t for resample in drawn)) / (1 + resamples))
    return [stepped[place] for place in range(len(pairs))], single


@pytest.mark.parametrize("missing", [False, True])
def test_the_formula_in_plain_loops(missing: bool) -> None:
    values, pairs = scores(4, 14, seed=1, step=0.04), all_pairs(4)
    if missing:
        values[0, 3] = values[2, 5] = values[2, 6] = np.nan
    found = max_t(values, pairs, resamples=200, seed=3)
    stepped, single = by_hand(values, pairs, resamples=200, seed=3)
    np.testing.assert_allclose(found.p, stepped)
    np.testing.assert_allclose(found.p_single_step, single)
    np.testing.assert_allclose(found.statistics, found.differences / found.errors)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_an_interval_excludes_zero_exactly_where_the_single_step_separates(alternative: Alternative) -> None:
    values, pairs = scores(8, 15, seed=2, step=0.03), all_pairs(8)
    for confidence in (0.95, 0.9):
        found = max_t(values, pairs, alternative=alternative, confidence=confidence, resamples=499, seed=1)
        excluded = (found.low > 0) | (found.high < 0)
        assert (excluded == (found.p_single_step <= 1 - confidence + 1e-12)).all()
        assert (found.p <= found.p_single_step).all()
    assert 0 < excluded.sum() < len(pairs) or alternative == "greater"


def test_one_sided_tests_look_one_way() -> None:
    values = scores(2, 20, seed=4, step=0.15)
    p = {side: float(max_t(values, [[0, 1]], alternative=side).p[0]) for side in ("less", "greater", "two-sided")}
    assert p["less"] < 0.01
    assert p["greater"] > 0.9
    assert p["two-sided"] < 0.05
    less = max_t(values, [[0, 1]], alternative="less")
    assert less.low[0] == -np.inf
    assert less.high[0] < 0


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    values, pairs = scores(7, 12, seed=5, step=0.02), all_pairs(7)
    values[1, 2] = np.nan
    whole = max_t(values, pairs, resamples=100)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 400)
    parts = max_t(values, pairs, resamples=100)
    np.testing.assert_allclose(whole.p, parts.p)
    np.testing.assert_allclose(whole.high, parts.high)


@pytest.mark.parametrize("covariance", [None, np.diag([0.01, 0.02, 0.0, 0.0, 0.0, 0.01, 0.03])])
def test_blocks_of_resamples_do_not_matter(monkeypatch: pytest.MonkeyPatch, covariance: np.ndarray | None) -> None:
    values, pairs = scores(7, 12, seed=5, step=0.02), all_pairs(7)
    values[1, 2] = np.nan
    whole = max_t(values, pairs, resamples=100, covariance=covariance)
    monkeypatch.setattr(bootstrap, "CELLS_AT_ONCE", 12 * 7)
    parts = max_t(values, pairs, resamples=100, covariance=covariance)
    np.testing.assert_allclose(whole.p, parts.p)
    np.testing.assert_allclose(whole.high, parts.high)


def test_a_pair_with_too_few_common_queries_is_untested() -> None:
    values = scores(3, 20, seed=6)
    values[0, :10] = np.nan
    values[1, 10:] = np.nan
    found = max_t(values, all_pairs(3))
    assert found.tested.tolist() == [False, True, True]
    assert np.isnan([found.p[0], found.low[0], found.high[0], found.p_single_step[0]]).all()
    assert not np.isnan(found.p[1:]).any()
    assert found.n.tolist() == [0, 10, 10]


def test_untested_pairs_leave_the_others_as_they_are() -> None:
    values = scores(4, 15, seed=7, step=0.03)
    values[3, 5:] = np.nan
    some = max_t(values, all_pairs(4))
    alone = max_t(values[:3], all_pairs(3))
    np.testing.assert_array_equal(some.p[some.tested], alone.p)


def test_families_that_do_not_vary() -> None:
    same = max_t(np.full((2, 10), 0.3), [[0, 1]])
    assert same.p.tolist() == [1.0]
    assert same.tested.all()
    shifted = max_t(np.arange(10) * 0.1 + np.array([[0.0], [0.2]]), [[0, 1]])
    assert shifted.p.tolist() == [2 / 2**10]
    assert np.isnan(shifted.low).all()


def test_no_pairs_and_wrong_input() -> None:
    assert len(max_t(scores(2, 10, seed=8), []).p) == 0
    with pytest.raises(UsageError, match="confidence"):
        max_t(scores(2, 10, seed=8), [[0, 1]], confidence=95)
    with pytest.raises(UsageError, match="alternative"):
        max_t(scores(2, 10, seed=8), [[0, 1]], alternative="both")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least 2"):
        max_t(scores(2, 10, seed=8), [[0, 1]], least=1)


def test_a_shift_of_all_runs_by_query_changes_nothing() -> None:
    values, pairs = scores(5, 12, seed=9, step=0.05), all_pairs(5)
    harder = values + np.linspace(-3, 3, 12)
    np.testing.assert_allclose(max_t(values, pairs).p, max_t(harder, pairs).p)
    np.testing.assert_allclose(max_t(values, pairs).p, max_t(values * 7, pairs).p)


# What is promised, in small; benchmarks/honesty/tests_of_runs.py has the whole table.


def skewed(draw: np.random.Generator, runs: int, queries: int) -> Array:
    table = draw.exponential(1, (runs, queries)) - 1
    table[::2] *= -1
    return 0.5 + 0.15 * table


def unequal(draw: np.random.Generator, runs: int, queries: int) -> Array:
    table: Array = np.linspace(0.03, 0.3, runs)[:, None] * draw.normal(size=(runs, queries))
    return table


def zeros(draw: np.random.Generator, runs: int, queries: int) -> Array:
    return np.where(draw.random((runs, queries)) < 0.6, 0.0, draw.beta(2, 3, (runs, queries)))


def rare(draw: np.random.Generator, runs: int, queries: int) -> Array:
    """Every other run has 1 on a tenth of the queries and else 0, the others are close to .1."""
    table = draw.normal(0.1, 0.02, (runs, queries))
    table[::2] = (draw.random((runs, queries)) < 0.1)[::2]
    return table


@pytest.mark.parametrize("made", [skewed, unequal, zeros, rare])
def test_false_alarms_where_no_run_differs(made: Callable[[np.random.Generator, int, int], Array]) -> None:
    draw, pairs, alarms, trials = np.random.default_rng(11), all_pairs(8), 0, 250
    for trial in range(trials):
        alarms += bool((max_t(made(draw, 8, 15), pairs, resamples=199, seed=trial).p <= 0.05).any())
    # 0.06 and two simulation errors.
    assert alarms / trials <= 0.06 + 2 * (0.06 * 0.94 / trials) ** 0.5


def test_holm_after_permutation_has_false_alarms_where_the_skew_differs() -> None:
    draw, pairs, alarms, trials = np.random.default_rng(12), all_pairs(8), 0, 30
    for trial in range(trials):
        p = pair_pvalues(rare(draw, 8, 15), pairs, resamples=1000, resolution=0.002, seed=trial).p
        alarms += bool((holm(p) <= 0.05).any())
    assert alarms / trials > 0.3


def test_null_pairs_stay_null_beside_large_differences() -> None:
    draw, pairs, alarms, trials = np.random.default_rng(13), all_pairs(8), 0, 250
    null = (pairs < 4).all(axis=1) | (pairs >= 4).all(axis=1)
    for trial in range(trials):
        values = draw.normal(0, 0.15, (8, 15)) + 0.4 * (np.arange(8) < 4)[:, None]
        found = max_t(values, pairs, resamples=199, seed=trial)
        alarms += bool((found.p[null] <= 0.05).any())
    assert alarms / trials <= 0.06 + 2 * (0.06 * 0.94 / trials) ** 0.5


def test_more_pairs_are_separated_than_by_holm() -> None:
    draw, pairs = np.random.default_rng(14), all_pairs(10)
    separated = {"max-T": 0, "Holm": 0}
    for trial in range(40):
        values = draw.normal(0, 0.15, (10, 20)) + np.linspace(0, 0.25, 10)[:, None]
        separated["max-T"] += int((max_t(values, pairs, resamples=399, seed=trial).p <= 0.05).sum())
        p = pair_pvalues(values, pairs, resamples=1000, resolution=0.002, seed=trial).p
        separated["Holm"] += int((holm(p) <= 0.05).sum())
    assert separated["max-T"] > 1.2 * separated["Holm"]


def test_errors_that_all_runs_share_cancel_and_no_error_changes_nothing() -> None:
    values, pairs = scores(4, 20, seed=3, step=0.03), all_pairs(4)
    plain = max_t(values, pairs)
    for covariance in (np.zeros((4, 4)), np.full((4, 4), 0.01)):
        found = max_t(values, pairs, covariance=covariance)
        assert found.p == pytest.approx(plain.p, abs=1e-12)
        assert found.low == pytest.approx(plain.low, abs=1e-6)


def test_the_variance_of_the_runs_own_errors_is_added_to_that_over_queries() -> None:
    values, pairs = scores(4, 20, seed=3, step=0.03), all_pairs(4)
    own = np.diag([0.0, 0.01, 0.02, 0.0])
    plain, found = max_t(values, pairs), max_t(values, pairs, covariance=own)
    added = own.diagonal()[pairs[:, 0]] + own.diagonal()[pairs[:, 1]]
    assert found.errors**2 - plain.errors**2 == pytest.approx(added)
    assert found.statistics == pytest.approx(found.differences / found.errors)
    assert (found.high - found.low > plain.high - plain.low)[added > 0].all()


def test_a_family_without_variation_still_has_the_errors_of_its_runs() -> None:
    values = np.array([[0.5] * 12, [0.4] * 12, [0.4] * 12])
    found = max_t(values, all_pairs(3), covariance=np.diag([0.01, 0.0, 0.0]))
    assert found.p[:2].min() > 0.05  # 0.1 is one standard error
    assert np.isfinite(found.low[:2]).all()


def test_shared_errors_of_runs_give_no_false_differences() -> None:
    """Ten equal runs, each with an error of its own that all its queries share.

    Left out of the test it gives .30 false alarms here.
    """
    runs, queries, trials, sd = 10, 15, 300, 0.03
    pairs, draw = all_pairs(runs), np.random.default_rng(5)
    false, false_without, held = 0, 0, 0
    for seed in range(trials):
        values = scores(runs, queries, seed=seed) + draw.normal(0, sd, (runs, 1))
        found = max_t(values, pairs, covariance=np.eye(runs) * sd**2, resamples=500, seed=seed)
        false += bool((found.p <= 0.05).any())
        held += bool(((found.low <= 0) & (found.high >= 0)).all())
        false_without += bool((max_t(values, pairs, resamples=500, seed=seed).p <= 0.05).any())
    error = 2 * (0.06 * 0.94 / trials) ** 0.5
    assert false / trials <= 0.06 + error
    assert held / trials >= 0.94 - error
    assert false_without / trials > 0.15


def test_intervals_for_all_pairs_hold_all_true_differences() -> None:
    runs, queries, trials, step = 6, 15, 300, 0.05
    pairs = all_pairs(runs)
    truth = step * (pairs[:, 0] - pairs[:, 1])
    held = 0
    for seed in range(trials):
        found = max_t(scores(runs, queries, seed=1000 + seed, step=step), pairs, resamples=500, seed=seed)
        held += bool(((found.low <= truth) & (truth <= found.high)).all())
    assert held / trials >= 0.94 - 2 * (0.06 * 0.94 / trials) ** 0.5
