from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest

from karat.stats.reliability.unbalanced import RandomEffects, error_df, reml_components, symmetric_components
from karat.stats.reliability.variance import variance_components

NAN = float("nan")
Array = npt.NDArray[np.float64]


def table(seed: int, *, runs: int = 6, queries: int = 12, missing: float = 0.0, run: float = 0.3) -> Array:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, run, (runs, 1)) + rng.normal(0, 0.5, (1, queries)) + rng.normal(0, 0.4, (runs, queries))
    return np.where(rng.random(values.shape) < missing, NAN, values)


def fitted(values: Array) -> RandomEffects:
    found = reml_components(values)
    assert found is not None
    return found


def variances(found: RandomEffects) -> list[float]:
    return [found.run, found.query, found.error]


@pytest.mark.parametrize("seed", range(4))
def test_a_complete_table_has_the_estimates_of_the_mean_squares(seed: int) -> None:
    values = table(seed)
    balanced = variance_components(values)
    assert balanced is not None
    assert not any(part.negative for part in balanced.components)
    assert variances(fitted(values)) == pytest.approx([part.estimate for part in balanced.components], rel=1e-8)


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 4), (2, 2, 2)])
def test_symmetric_sums_of_a_complete_table_are_the_mean_squares_also_below_zero(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(2).normal(10, 1, size=shape)
    balanced = variance_components(values)
    assert balanced is not None
    assert any(part.negative for part in balanced.components)
    found = list(symmetric_components(values).values())
    assert found == pytest.approx([part.estimate for part in balanced.components], abs=1e-10)


@pytest.mark.parametrize(("seed", "missing"), [(1, 0.1), (2, 0.3), (3, 0.5)])
def test_reml_is_that_of_statsmodels(seed: int, missing: float) -> None:
    import pandas as pd
    import statsmodels.api as sm

    values = table(seed, missing=missing)
    run, query = np.nonzero(~np.isnan(values))
    data = pd.DataFrame({"value": values[run, query], "run": run, "query": query, "all": 0})
    parts = {"run": "0 + C(run)", "query": "0 + C(query)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = sm.MixedLM.from_formula("value ~ 1", data, groups="all", vc_formula=parts).fit(reml=True)
    by_name = dict(zip(oracle.model.exog_vc.names, oracle.vcomp, strict=True))
    expected = [by_name["run"], by_name["query"], oracle.scale]
    assert variances(fitted(values)) == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_a_component_at_zero_stays_there_and_the_rest_is_refitted() -> None:
    values = table(4, runs=5, queries=15, missing=0.2, run=0.0)
    assert symmetric_components(values)[(0,)] < 0
    found = fitted(values)
    assert found.run == 0
    assert found.query > 0
    assert found.error > 0


def test_moving_and_stretching_the_scale() -> None:
    values = table(4, missing=0.3)
    once, moved = variances(fitted(values)), variances(fitted(1000 + 50 * values))
    assert moved == pytest.approx([2500 * part for part in once], rel=1e-6)


def test_known_components_are_found_on_average_where_a_third_is_missing() -> None:
    true = [0.09, 0.25, 0.16]
    tables = [table(seed, runs=10, queries=15, missing=1 / 3) for seed in range(200)]
    assert np.mean([variances(fitted(one)) for one in tables], axis=0) == pytest.approx(true, rel=0.1)
    sums = [list(symmetric_components(one).values()) for one in tables]
    assert np.mean(sums, axis=0) == pytest.approx(true, rel=0.1)


def test_missing_cells_cost_little_and_whole_queries_much() -> None:
    def run_component(values: Array) -> float:
        found = variance_components(values)
        return NAN if found is None else found.components[0].estimate

    tables = [table(seed, runs=10, queries=40, missing=0.2) for seed in range(100)]
    complete = np.var([run_component(table(seed, runs=10, queries=40)) for seed in range(100)])
    every_value = np.var([run_component(one) for one in tables])
    whole = np.nanvar([run_component(one[:, ~np.isnan(one).any(axis=0)]) for one in tables])
    assert every_value < 1.3 * complete
    assert whole > 1.5 * complete


@pytest.mark.parametrize(
    ("cells", "df"),
    [([[1, 1], [1, 1]], 1), ([[1, 1, 0], [0, 1, 1]], 0), ([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]], 2)],
)
def test_degrees_of_freedom_of_the_error(cells: list[list[int]], df: int) -> None:
    given = np.array(cells, dtype=bool)
    assert error_df(given) == df
    assert (reml_components(np.where(given, table(1)[: len(given), : given.shape[1]], NAN)) is None) == (df == 0)


def test_runs_that_share_no_query_are_fitted_too() -> None:
    values = np.full((4, 12), NAN)
    values[:2, :6], values[2:, 6:] = table(1)[:2, :6], table(1)[2:4, 6:]
    found = fitted(values)
    assert all(np.isfinite(part) for part in variances(found))


def test_cells_that_cannot_tell_sources_apart() -> None:
    values = np.full((3, 3), NAN)
    np.fill_diagonal(values, [0.1, 0.5, 0.2])
    assert all(np.isnan(part) for part in symmetric_components(values).values())
    assert reml_components(values) is None
