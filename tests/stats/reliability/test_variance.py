from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from karat.model import UsageError
from karat.stats.reliability.unbalanced import symmetric_components
from karat.stats.reliability.variance import VarianceComponents, generalizability, variance_components

NAN = float("nan")


def estimated(values: npt.ArrayLike) -> VarianceComponents:
    found = variance_components(values)
    assert found is not None
    return found


def cube() -> npt.NDArray[np.float64]:
    """4 + 2R + Q + A/2 + RQ/2 + RQA/4 with R, Q, A = ±1: every mean square is 8 times its factor squared."""
    r, q, a = np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")
    return 4 + 2 * r + q + a / 2 + r * q / 2 + r * q * a / 4


def test_runs_and_queries_worked_by_hand() -> None:
    # MS_run 0.135, MS_query 0.065, MS_residual 0.005: run = 0.13 / 3, query = 0.06 / 2.
    estimate = estimated([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    assert [part.name for part in estimate.components] == ["run", "query", "residual"]
    assert [part.df for part in estimate.components] == [1, 2, 2]
    assert [part.mean_square for part in estimate.components] == pytest.approx([0.135, 0.065, 0.005])
    assert [part.variance for part in estimate.components] == pytest.approx([0.13 / 3, 0.03, 0.005])
    total = 0.13 / 3 + 0.035
    assert [part.percent for part in estimate.components] == pytest.approx([13 / 3 / total, 3 / total, 0.5 / total])
    assert (estimate.runs, estimate.queries, estimate.assessors, estimate.queries_left_out) == (2, 3, None, 0)


def test_with_assessors_worked_by_hand() -> None:
    estimate = estimated(cube())
    assert {part.name: (part.mean_square, part.estimate) for part in estimate.components} == {
        "run": (pytest.approx(32), pytest.approx((32 - 2 - 0 + 0.5) / 4)),
        "query": (pytest.approx(8), pytest.approx((8 - 2 - 0 + 0.5) / 4)),
        "assessor": (pytest.approx(2), pytest.approx((2 - 0 - 0 + 0.5) / 4)),
        "run:query": (pytest.approx(2), pytest.approx((2 - 0.5) / 2)),
        "run:assessor": (0, pytest.approx(-0.5 / 2)),
        "query:assessor": (0, pytest.approx(-0.5 / 2)),
        "residual": (pytest.approx(0.5), pytest.approx(0.5)),
    }
    assert [part.name for part in estimate.components if part.negative] == ["run:assessor", "query:assessor"]
    assert estimate.variance("run:assessor") == 0
    assert sum(part.percent for part in estimate.components) == pytest.approx(100)
    assert (estimate.runs, estimate.queries, estimate.assessors) == (2, 2, 2)


def test_mean_squares_are_those_of_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = np.random.default_rng(6).normal(size=(3, 5, 4))
    r, q, a = np.indices(values.shape).reshape(3, -1)
    data = pd.DataFrame({"v": values.ravel(), "r": r, "q": q, "a": a})
    oracle = anova_lm(ols("v ~ C(r)*C(q) + C(r)*C(a) + C(q)*C(a)", data).fit())
    rows = ["C(r)", "C(q)", "C(a)", "C(r):C(q)", "C(r):C(a)", "C(q):C(a)", "Residual"]
    estimate = estimated(values)
    assert [part.df for part in estimate.components] == [oracle["df"][row] for row in rows]
    assert [part.mean_square for part in estimate.components] == pytest.approx([oracle["mean_sq"][row] for row in rows])


def test_known_components_are_found_on_average() -> None:
    rng = np.random.default_rng(9)
    true = {
        "run": 0.04,
        "query": 0.09,
        "assessor": 0.01,
        "run:query": 0.03,
        "run:assessor": 0.005,
        "query:assessor": 0.02,
        "residual": 0.05,
    }
    shapes = [(15, 1, 1), (1, 20, 1), (1, 1, 10), (15, 20, 1), (15, 1, 10), (1, 20, 10), (15, 20, 10)]
    sums = dict.fromkeys(true, 0.0)
    for _ in range(300):
        values = sum(rng.normal(0, math.sqrt(v), shape) for v, shape in zip(true.values(), shapes, strict=True))
        for part in estimated(values).components:
            sums[part.name] += part.estimate / 300
    assert sums == pytest.approx(true, rel=0.1)


def test_more_queries_and_assessors_make_means_more_reliable() -> None:
    # run 7.625, relative error 0.75 / 4 + 0.5 / 8, absolute error + 1.625 / 4 + 0.625 / 2.
    coefficients = generalizability(estimated(cube()), queries=4, assessors=2)
    assert coefficients.relative_error == pytest.approx(math.sqrt(0.25))
    assert coefficients.absolute_error == pytest.approx(math.sqrt(0.96875))
    assert coefficients.relative == pytest.approx(7.625 / 7.875)
    assert coefficients.absolute == pytest.approx(7.625 / 8.59375)
    assert (coefficients.queries, coefficients.assessors) == (4, 2)


def test_without_assessors_the_residual_is_that_of_runs_on_queries() -> None:
    components = estimated([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    coefficients = generalizability(components)
    # With the numbers that were seen, E rho^2 = 1 - MS_residual / MS_run.
    assert coefficients.relative == pytest.approx(1 - 0.005 / 0.135)
    assert coefficients.relative_error == pytest.approx(math.sqrt(0.005 / 3))
    assert coefficients.absolute == pytest.approx((0.13 / 3) / (0.13 / 3 + 0.035 / 3))
    assert (coefficients.queries, coefficients.assessors) == (3, None)
    assert generalizability(components, queries=300).relative > coefficients.relative


def test_the_standard_error_is_what_means_vary_by() -> None:
    rng = np.random.default_rng(4)
    runs, queries = rng.normal(0, 0.2, (40, 1)), rng.normal(0, 0.3, (1, 4000))
    values = runs + queries + rng.normal(0, 0.4, (40, 4000))
    promised = generalizability(estimated(values[:, :400]), queries=25)
    means = values.reshape(40, 160, 25).mean(axis=2)
    assert promised.absolute_error == pytest.approx(np.sqrt(((means - runs) ** 2).mean()), rel=0.1)
    deviations = means - runs - (means - runs).mean(axis=0)
    assert promised.relative_error == pytest.approx(deviations.std(), rel=0.1)


def test_cells_that_are_missing_leave_no_query_out() -> None:
    values = np.random.default_rng(1).normal(size=(3, 6))
    gaps = values.copy()
    gaps[0, 2] = gaps[2, 5] = NAN
    found = estimated(gaps)
    assert (found.runs, found.queries, found.queries_left_out) == (3, 6, 0)
    assert (found.cells, found.method) == (16, "REML")
    assert [part.df for part in found.components] == [2, 5, 8]
    assert all(math.isnan(part.mean_square) for part in found.components)
    assert estimated(values).method == "mean squares"


@pytest.mark.parametrize("shape", [(3, 6), (3, 6, 4)])
def test_queries_and_runs_without_any_value_are_left_out(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    gaps = np.full((shape[0] + 1, shape[1] + 2, *shape[2:]), NAN)
    gaps[1:, 2:] = values
    found = estimated(gaps)
    assert (found.runs, found.queries, found.queries_left_out) == (3, 6, 2)
    assert found.components == estimated(values).components


def test_assessors_who_lack_some_values_leave_no_query_out() -> None:
    values = np.random.default_rng(1).normal(size=(3, 6, 4))
    gaps = values.copy()
    gaps[0, 2, 1] = gaps[2, 5, 0] = NAN
    found = estimated(gaps)
    assert (found.queries, found.assessors, found.cells, found.method) == (6, 4, 70, "symmetric sums")
    whole = [part.estimate for part in estimated(values).components]
    assert [part.estimate for part in found.components] == pytest.approx(whole, abs=0.1)


@pytest.mark.parametrize(
    "values",
    [
        np.empty((0, 0)),
        np.empty((3, 0)),
        np.empty((0, 3, 2)),
        [[0.1, 0.2, 0.3]],
        [[0.1], [0.2]],
        [[0.1, NAN], [0.2, 0.3]],
        [[0.1, NAN, 0.4], [0.2, 0.3, NAN]],
        np.full((3, 4), NAN),
        np.zeros((3, 4, 1)),
    ],
)
def test_too_little_is_undefined(values: npt.ArrayLike) -> None:
    assert variance_components(values) is None


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 2)])
@pytest.mark.parametrize("value", [0.0, 0.1])
@pytest.mark.parametrize("missing", [False, True])
def test_where_nothing_varies_there_are_no_shares(shape: tuple[int, ...], value: float, missing: bool) -> None:
    values = np.full(shape, value)
    if missing:
        values.flat[0] = NAN
    found = estimated(values)
    assert all(part.variance == 0 and math.isnan(part.percent) and not part.negative for part in found.components)
    reliability = generalizability(found)
    assert (reliability.relative_error, reliability.absolute_error) == (0, 0)
    assert math.isnan(reliability.relative)
    assert math.isnan(reliability.absolute)


def test_equal_runs_have_no_reliable_differences() -> None:
    estimate = estimated([[0.1, 0.4, 0.3], [0.4, 0.1, 0.3]])
    assert estimate.components[0].negative
    assert generalizability(estimate).relative == 0


@pytest.mark.parametrize("values", [[], [0.1, 0.2], np.zeros((2, 2, 2, 2))])
def test_another_shape_is_refused(values: npt.ArrayLike) -> None:
    with pytest.raises(UsageError, match=r"shape \(runs, queries\) or \(runs, queries, assessors\), not"):
        variance_components(values)


def test_infinite_values_are_refused() -> None:
    with pytest.raises(UsageError, match="some are infinite"):
        variance_components([[1, 2], [np.inf, 3]])


def test_what_cannot_be_asked_of_components() -> None:
    flat = estimated([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    with pytest.raises(UsageError, match="'assessor' is not one of run, query, residual"):
        flat.variance("assessor")
    with pytest.raises(UsageError, match="these components have no assessors"):
        generalizability(flat, assessors=3)
    with pytest.raises(UsageError, match="queries must be at least 1, not 0"):
        generalizability(flat, queries=0)
    with pytest.raises(UsageError, match="assessors must be at least 1, not -1"):
        generalizability(estimated(cube()), assessors=-1)


def test_very_many_runs_with_missing_values_have_symmetric_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    values = draw.normal(0, 1, (40, 1)) + draw.normal(0, 1, (1, 12)) + draw.normal(0, 1, (40, 12))
    values[draw.random(values.shape) < 0.2] = np.nan
    by_likelihood = variance_components(values)
    monkeypatch.setattr("karat.stats.reliability.variance.MOST_EFFECTS", 51)
    by_sums = variance_components(values)
    assert by_likelihood is not None
    assert by_sums is not None
    assert (by_likelihood.method, by_sums.method) == ("REML", "symmetric sums")
    for name, exact in symmetric_components(values).items():
        named = {(0,): "run", (1,): "query", (0, 1): "residual"}[name]
        assert by_sums.variance(named) == exact
        assert by_sums.variance(named) == pytest.approx(by_likelihood.variance(named), rel=0.2)
    assert [part.df for part in by_sums.components] == [part.df for part in by_likelihood.components]
