"""The prior of the judge llm, by benchmarks/judges/llm_prior.py, on labels of our own and on SummHay."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.special import ndtri

import karat
from karat.judges.calibration.priors import BETWEEN_FREEDOM, PRIORS, Between

FOLDER = Path(__file__).parents[2] / "benchmarks" / "judges"
NOTHING = Between(0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def benchmark() -> Iterator[ModuleType]:
    """The module of the benchmark, which is found only here."""
    before, path = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(FOLDER))
    try:
        import llm_prior

        yield llm_prior
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            if not name.startswith("karat"):
                file = getattr(sys.modules[name], "__file__", None) or ""
                if "benchmarks" in file:
                    del sys.modules[name]


def made_set(benchmark: ModuleType, shares: tuple[float, float, float], seed: int) -> object:
    """An LLM whose labels none, partial and full people call full so often."""
    random = np.random.default_rng(seed)
    count = 3000
    label = random.integers(0, 3, count)
    degrees = (random.random(count) < np.array(shares)[label]).astype(float)
    query = np.arange(count) % 30
    ones = np.ones(count, int)
    return benchmark.ScoredSet(label / 2, degrees, query, np.arange(count), query, query % 3, 0.5 * ones, ones)


def test_llms_that_agree_give_their_own_curve_and_no_spread(benchmark: ModuleType) -> None:
    sets = {name: made_set(benchmark, (0.1, 0.3, 0.6), seed) for seed, name in enumerate("abcd")}
    prior = benchmark.llm_prior(sets, collections=NOTHING)
    assert prior.curves.probabilities([0.0, 0.5, 1.0])[:, 2] == pytest.approx([0.1, 0.3, 0.6], abs=0.04)
    assert prior.between.level < 0.12


def test_another_collection_makes_the_curve_flatter_so_that_draws_are_as_steep_as_the_one_at_hand(
    benchmark: ModuleType,
) -> None:
    sets = {name: made_set(benchmark, (0.1, 0.3, 0.6), seed) for seed, name in enumerate("abcd")}
    own = benchmark.llm_prior(sets, collections=NOTHING).curves.probabilities([0.0, 0.5, 1.0])[:, 2]
    prior = benchmark.llm_prior(sets, collections=Between(0.0, 0.8, 0.0))
    flat = prior.curves.probabilities([0.0, 0.5, 1.0])[:, 2]
    assert flat[0] > own[0]
    assert flat[2] < own[2]
    assert ndtri(flat) * prior.between.steeper(BETWEEN_FREEDOM) == pytest.approx(ndtri(own), abs=0.1)


def test_llms_that_differ_are_spread(benchmark: ModuleType) -> None:
    shares = [(0.1, 0.3, 0.6), (0.05, 0.15, 0.4), (0.2, 0.5, 0.8)]
    sets = {str(at): made_set(benchmark, each, at) for at, each in enumerate(shares)}
    assert benchmark.llm_prior(sets, collections=NOTHING).between.level > 0.3


@pytest.mark.real_data
def test_the_prior_that_comes_with_karat_is_that_of_summhay(benchmark: ModuleType, real_data: Path) -> None:
    sets = benchmark.rated_sets(karat.load(real_data / "summhay" / "eval_benchmark_data.json"))
    assert len(sets) == 6
    prior, shipped = benchmark.llm_prior(sets, collections=PRIORS["semantic"].between), PRIORS["llm"]
    assert prior.between == shipped.between
    assert prior.curves.full.intercept == pytest.approx(shipped.full.intercept, abs=1e-3)
    assert prior.curves.full.slopes == pytest.approx(shipped.full.slopes, abs=1e-3)
    assert prior.curves.partial.intercept == pytest.approx(shipped.partial.intercept, abs=1e-3)
    assert benchmark.run_sigma(sets) == pytest.approx(shipped.run_sigma, abs=0.005)
