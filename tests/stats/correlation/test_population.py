from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.population import SAME_SCORES, TOO_FEW, population_correlations
from karat.stats.correlation.record import ALL_QUERIES, COEFFICIENTS, OTHER_QUERIES, Correlation
from karat.stats.correlation.score_matrices import correlate_scores

Array = npt.NDArray[np.float64]


def named(found: tuple[Correlation, ...]) -> dict[str, Correlation]:
    return {one.name: one for one in found}


def world(rng: np.random.Generator, runs: int, queries: int, r: float) -> tuple[Array, Array, Array]:
    """True run means (runs, 2), and two score matrices with errors that go together."""
    first, second = rng.normal(size=(2, runs))
    true = 0.5 + 0.1 * np.stack([first, r * first + math.sqrt(1 - r * r) * second], axis=1)
    a, b = rng.normal(0, 0.2, (2, runs, queries))
    query = rng.normal(0, 0.15, queries)
    return true, true[:, :1] + query + a, true[:, 1:] + query + 0.5 * a + math.sqrt(0.75) * b


def held(one: Correlation, value: float) -> bool:
    assert one.low is not None
    assert one.high is not None
    return one.low <= value <= one.high


def test_the_interval_holds_what_infinitely_many_queries_would_give() -> None:
    rng = np.random.default_rng(3)
    names = ("pearson", "kendall_tau_b", "rmse")
    population, resampled = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for _ in range(100):
        true, a, b = world(rng, 20, 15, 0.9)
        target = coefficients_of_vectors(true[None, :, 0], true[None, :, 1])
        found, other = named(population_correlations(a, b, draws=300)), named(correlate_scores(a, b, resamples=100))
        for name in names:
            population[name] += held(found[name], target[name][0])
            resampled[name] += held(other[name], target[name][0])
    assert all(times >= 88 for times in population.values())
    # Another target: what as many other queries would give.
    assert all(times < 80 for times in resampled.values())


def test_with_many_queries_it_is_the_correlation_of_the_means() -> None:
    _, a, b = world(np.random.default_rng(1), 12, 20_000, 0.7)
    found, plain = named(population_correlations(a, b)), named(correlate_scores(a, b, resamples=10))
    for name in COEFFICIENTS:
        assert found[name].value == pytest.approx(plain[name].value, abs=0.03)


def test_noise_is_taken_away() -> None:
    true, a, b = world(np.random.default_rng(2), 40, 10, 0.95)
    found, plain = named(population_correlations(a, b)), named(correlate_scores(a, b, resamples=10))
    real = float(np.corrcoef(true.T)[0, 1])
    assert plain["pearson"].value is not None
    assert found["pearson"].value is not None
    assert abs(found["pearson"].value - real) < abs(plain["pearson"].value - real)


def test_each_interval_says_what_it_is_one_of() -> None:
    _, a, b = world(np.random.default_rng(4), 8, 10, 0.5)
    assert {one.target for one in population_correlations(a, b, draws=50)} == {ALL_QUERIES}
    assert {one.target for one in correlate_scores(a, b, resamples=20)} == {OTHER_QUERIES}


def test_one_side() -> None:
    _, a, b = world(np.random.default_rng(4), 8, 10, 0.5)
    found = named(population_correlations(a, b, side="low"))
    assert found["pearson"].high == 1
    assert found["rmse"].low == 0
    assert found["rmse"].high is not None
    assert found["rmse"].high < 1


def test_missing_cells_are_left_out_of_both() -> None:
    rng = np.random.default_rng(6)
    _, a, b = world(rng, 15, 30, 0.8)
    whole = named(population_correlations(a, b))
    a[rng.random(a.shape) < 0.1] = np.nan
    found = named(population_correlations(a, b))
    assert found["pearson"].left_out == int(np.isnan(a).sum())
    assert found["pearson"].value == pytest.approx(whole["pearson"].value, abs=0.15)


def test_the_same_seed_gives_the_same() -> None:
    _, a, b = world(np.random.default_rng(7), 6, 8, 0.5)
    assert population_correlations(a, b, seed=1) == population_correlations(a, b, seed=1)
    assert population_correlations(a, b, seed=1) != population_correlations(a, b, seed=2)


def test_too_little_and_nothing_that_varies() -> None:
    few = population_correlations(np.zeros((3, 9)), np.ones((3, 9)))
    assert [(one.value, one.undefined_reason) for one in few] == [(None, TOO_FEW)] * len(COEFFICIENTS)
    flat = named(population_correlations(np.zeros((5, 9)), np.full((5, 9), 0.5), draws=50))
    assert flat["rmse"].value == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(UsageError, match="different shapes"):
        population_correlations(np.zeros((5, 9)), np.zeros((5, 8)))


@pytest.mark.parametrize("scale", [1.0, 100.0, -2.0])
def test_a_scoring_with_itself_correlates_perfectly(scale: float) -> None:
    """The noise of queries is the same on both sides, so that there is nothing to draw."""
    x = np.random.default_rng(0).normal(size=(6, 5))
    found = {correlation.name: correlation for correlation in population_correlations(x, scale * x)}
    for name in ("pearson", "spearman", "kendall_tau_b"):
        assert found[name].value == pytest.approx(np.sign(scale))
        assert found[name].low is None
        assert found[name].no_interval_reason == SAME_SCORES
    assert found["rmse"].value == pytest.approx(0.0 if scale == 1 else found["rmse"].value)
