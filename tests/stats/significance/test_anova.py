from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from karat.model import UsageError
from karat.stats.significance.anova import TwoWay, obstacle, two_way

NAN = float("nan")


def fitted(values: npt.ArrayLike) -> TwoWay:
    table = two_way(values)
    assert table is not None
    return table


def scores(runs: int, queries: int, *, undefined: float = 0.0, seed: int = 0) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 0.1, (runs, 1)) + rng.normal(0, 0.3, (1, queries)) + rng.normal(0, 0.1, (runs, queries))
    values[rng.random(values.shape) < undefined] = NAN
    return values


def test_worked_by_hand() -> None:
    # Means 0.7 and 0.4 around 0.55: SS_run = 3 * 2 * 0.15^2. Differences 0.3, 0.2, 0.4: SS_residual = 0.02 / 2.
    table = fitted([[0.5, 0.7, 0.9], [0.2, 0.5, 0.5]])
    assert table.run_means == pytest.approx([0.7, 0.4])
    assert (table.run.sum_of_squares, table.run.df) == (pytest.approx(0.135), 1)
    # Query means 0.35, 0.6, 0.7 around 0.55: SS_query = 2 (0.2^2 + 0.05^2 + 0.15^2).
    assert (table.query.sum_of_squares, table.query.df) == (pytest.approx(0.13), 2)
    assert (table.residual.sum_of_squares, table.residual.df) == (pytest.approx(0.01), 2)
    assert (table.run.mean_square, table.query.mean_square) == (pytest.approx(0.135), pytest.approx(0.065))
    assert (table.run.f, table.query.f) == (pytest.approx(27), pytest.approx(13))
    assert np.isnan([table.residual.f, table.residual.p]).all()
    assert table.difference_variance == pytest.approx(np.array([[0, 1], [1, 0]]) * 2 * 0.005 / 3)
    assert (table.runs, table.queries, table.left_out) == (2, 3, 0)


@pytest.mark.parametrize("undefined", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(("runs", "queries"), [(2, 9), (5, 8), (12, 20)])
def test_the_table_is_that_of_statsmodels(runs: int, queries: int, undefined: float) -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values = scores(runs, queries, undefined=undefined, seed=runs)
    run, query = np.nonzero(~np.isnan(values))
    model = ols("v ~ C(run) + C(query)", pd.DataFrame({"v": values[run, query], "run": run, "query": query})).fit()
    oracle = anova_lm(model, typ=2)
    table = fitted(values)
    for source, row in ((table.run, "C(run)"), (table.query, "C(query)")):
        assert source.sum_of_squares == pytest.approx(oracle["sum_sq"][row])
        assert source.df == oracle["df"][row]
        assert source.f == pytest.approx(oracle["F"][row])
        assert source.p == pytest.approx(oracle["PR(>F)"][row], rel=1e-6)
    assert table.residual.sum_of_squares == pytest.approx(oracle["sum_sq"]["Residual"])
    assert table.residual.df == oracle["df"]["Residual"]
    assert table.residual.mean_square == pytest.approx(model.mse_resid)
    effects = [0.0, *(model.params[f"C(run)[T.{other}]"] for other in range(1, runs))]
    assert table.run_means - table.run_means[0] == pytest.approx(effects)
    standard_errors = [0.0, *(model.bse[f"C(run)[T.{other}]"] for other in range(1, runs))]
    assert np.sqrt(table.difference_variance[0]) == pytest.approx(standard_errors)


def test_adjusted_means_are_what_the_runs_would_score_on_all_queries() -> None:
    # The second run has no value for the hard query; its plain mean would flatter it.
    values = [[0.2, 0.8, 0.6], [NAN, 0.7, 0.5], [0.25, 0.85, 0.66]]
    table = fitted(values)
    assert np.nanmean(values[1]) > np.mean(values[0])
    assert table.run_means[1] < table.run_means[0] < table.run_means[2]
    assert table.run_means[0] == pytest.approx(np.mean(values[0]))
    assert table.left_out == 1


def test_runs_and_queries_without_any_value_take_no_part() -> None:
    values = scores(4, 6)
    padded = np.full((5, 7), NAN)
    padded[np.ix_([0, 1, 3, 4], [0, 1, 2, 4, 5, 6])] = values
    plain, table = fitted(values), fitted(padded)
    assert table.run.f == pytest.approx(plain.run.f)
    assert table.run_means[[0, 1, 3, 4]] == pytest.approx(plain.run_means)
    assert np.isnan(table.run_means[2])
    assert np.isnan(table.difference_variance[2]).all()
    assert np.isnan(table.difference_variance[:, 2]).all()
    assert (table.runs, table.queries, table.left_out) == (4, 6, 11)


def test_a_query_with_one_value_says_nothing_about_the_runs() -> None:
    values = scores(3, 6)
    alone = np.full((3, 1), NAN)
    alone[1] = 0.9
    plain, table = fitted(values), fitted(np.hstack([values, alone]))
    assert table.run.sum_of_squares == pytest.approx(plain.run.sum_of_squares)
    assert table.residual.df == plain.residual.df


@given(arrays(np.float64, (3, 5), elements=st.floats(-1, 1)), st.floats(-5, 5), st.floats(0.1, 10))
@settings(max_examples=60, deadline=None)
def test_the_parts_add_up_and_shift_and_scale_do_not_change_f(
    values: npt.NDArray[np.float64], shift: float, scale: float
) -> None:
    table = fitted(values)
    total = ((values - values.mean()) ** 2).sum()
    parts = table.run.sum_of_squares + table.query.sum_of_squares + table.residual.sum_of_squares
    assert parts == pytest.approx(total, abs=1e-12)
    if table.residual.mean_square > 1e-6:
        moved = fitted(scale * values + shift)
        assert moved.run.f == pytest.approx(table.run.f, rel=1e-6, abs=1e-6)
        assert moved.query.p == pytest.approx(table.query.p, rel=1e-5, abs=1e-9)


def test_the_order_of_runs_and_queries_makes_no_difference() -> None:
    values = scores(6, 9, undefined=0.3, seed=4)
    table, turned = fitted(values), fitted(values[::-1, ::-1])
    assert turned.run.f == pytest.approx(table.run.f)
    assert turned.run_means[::-1] == pytest.approx(table.run_means)
    sides = fitted(values.T)
    assert (sides.run.f, sides.query.f) == (pytest.approx(table.query.f), pytest.approx(table.run.f))


def test_small_differences_between_large_values_keep_their_digits() -> None:
    values = scores(4, 9)
    assert fitted(values + 1e6).run.f == pytest.approx(fitted(values).run.f, rel=1e-6)


@pytest.mark.parametrize("undefined", [False, True])
def test_without_residual_what_varies_is_certain_and_what_does_not_is_undefined(undefined: bool) -> None:
    runs, queries = np.array([[0.1], [0.3], [0.7]]), np.array([[0.0, 0.1, 0.2, 0.15]])
    corner = np.zeros((3, 4))
    corner[1, 2] = NAN if undefined else 0.0
    both, only_queries = fitted(runs + queries + corner), fitted(0 * runs + queries + corner)
    assert (both.residual.sum_of_squares, both.run.f, both.run.p, both.query.p) == (0, np.inf, 0, 0)
    assert both.run_means - both.run_means[0] == pytest.approx([0, 0.2, 0.6])
    assert (both.difference_variance == 0).all()
    assert (only_queries.run.sum_of_squares, only_queries.query.f) == (0, np.inf)
    assert np.isnan([only_queries.run.f, only_queries.run.p]).all()


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_where_nothing_varies_there_is_nothing_to_test(value: float) -> None:
    table = fitted(np.full((3, 4), value))
    assert np.isnan([table.run.f, table.run.p, table.query.f, table.query.p]).all()
    assert table.run_means == pytest.approx([value] * 3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.empty((0, 0)), "at least 2 runs must have values, not 0"),
        (np.empty((0, 5)), "at least 2 runs must have values, not 0"),
        (np.empty((5, 0)), "at least 2 runs must have values, not 0"),
        ([[NAN, NAN], [NAN, NAN]], "at least 2 runs must have values, not 0"),
        ([[0.1, 0.2, 0.3]], "at least 2 runs must have values, not 1"),
        ([[0.1, 0.2], [NAN, NAN]], "at least 2 runs must have values, not 1"),
        ([[0.1], [0.2]], "at least 2 queries must have values, not 1"),
        ([[0.1, NAN], [0.2, NAN]], "at least 2 queries must have values, not 1"),
        ([[0.1, 0.2], [0.3, NAN]], "3 values of 2 runs and 2 queries are too few: nothing is left for the residual"),
        (
            [[0.1, 0.2, NAN, NAN], [0.2, 0.1, NAN, NAN], [NAN, NAN, 0.2, 0.3], [NAN, NAN, 0.1, 0.3]],
            "no chain of shared queries connects run 2 (counted from 0) with run 0",
        ),
    ],
)
def test_what_cannot_be_fitted_has_a_reason(values: npt.ArrayLike, reason: str) -> None:
    assert two_way(values) is None
    assert obstacle(values) == reason


def test_runs_may_be_joined_through_others() -> None:
    values = np.array([[1, 2, 3, NAN, NAN, NAN], [NAN, 1, 2, 2, 3, NAN], [NAN, NAN, NAN, 2, 1, 5]])
    assert obstacle(values) is None
    # By shared queries run 1 lies 1 below run 0 and run 2 lies 1 below run 1.
    assert np.diff(fitted(values).run_means) == pytest.approx([-1, -1])


@pytest.mark.parametrize("values", [[], [0.1, 0.2], np.zeros((2, 2, 2))])
def test_another_shape_is_refused(values: npt.ArrayLike) -> None:
    with pytest.raises(UsageError, match=r"shape \(runs, queries\), not"):
        two_way(values)


def test_infinite_values_are_refused() -> None:
    with pytest.raises(UsageError, match="some are infinite"):
        obstacle([[1, 2], [np.inf, 3]])
