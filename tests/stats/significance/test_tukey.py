from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import studentized_range

from karat.model import UsageError
from karat.stats.significance.anova import two_way
from karat.stats.significance.tukey import SideBySide, Tukey, separated_side_by_side, tukey_hsd

NAN = float("nan")


def decided(values: npt.ArrayLike, *, alpha: float = 0.05) -> Tukey:
    test = tukey_hsd(values, alpha=alpha)
    assert test is not None
    return test


def scores(
    rng: np.random.Generator, *, effects: list[float], queries: int, undefined: float = 0.0
) -> npt.NDArray[np.float64]:
    """Queries differ three times as much as the runs vary on a query."""
    values = np.array(effects)[:, None] + rng.normal(0, 0.3, queries) + rng.normal(0, 0.1, (len(effects), queries))
    values[rng.random(values.shape) < undefined] = NAN
    return values


def test_worked_by_hand() -> None:
    # Means 5, 4 and 2; residuals ±1/3 and ±2/3 with SS 4/3 and 4 degrees of freedom: MS 1/3.
    # The printed table has q(0.95; 3, 4) = 5.040: the critical difference is 5.040 * sqrt(MS / 3) = 1.680.
    found = decided([[4, 5, 6], [3, 5, 4], [1, 2, 3]])
    assert found.means == pytest.approx([5, 4, 2])
    assert found.model.residual.mean_square == pytest.approx(1 / 3)
    assert found.q == pytest.approx(5.040, abs=6e-4)
    assert found.critical_difference == pytest.approx(1.680, abs=6e-4)
    assert found.margins == pytest.approx(found.critical_difference * (1 - np.eye(3)))
    assert found.different.tolist() == [[False, False, True], [False, False, True], [True, True, False]]
    assert (found.pairs, found.pairs_separated, found.alpha) == (3, 2, 0.05)


@pytest.mark.parametrize("undefined", [False, True])
def test_two_runs_are_the_paired_t_test(undefined: bool) -> None:
    from scipy.stats import ttest_rel

    values = scores(np.random.default_rng(3), effects=[0.0, 0.06], queries=15)
    if undefined:
        values[0, 2] = values[1, 7] = NAN
    expected = ttest_rel(values[0], values[1], nan_policy="omit").pvalue
    assert decided(values, alpha=expected * 1.001).pairs_separated == 1
    assert decided(values, alpha=expected * 0.999).pairs_separated == 0


@pytest.mark.parametrize("undefined", [0.0, 0.2])
def test_equal_runs_are_seldom_distinguished(undefined: float) -> None:
    """Of 1,500 families without any difference 5 % may have one separated pair or more (standard error 0.6 %)."""
    rng = np.random.default_rng(17)
    wrong = 0
    for _ in range(1500):
        test = tukey_hsd(scores(rng, effects=[0.5] * 5, queries=12, undefined=undefined))
        assert test is not None
        wrong += test.pairs_separated > 0
    assert 0.035 < wrong / 1500 < 0.065


def test_far_more_is_found_than_by_the_one_way_test() -> None:
    from scipy.stats import tukey_hsd as one_way

    values = scores(np.random.default_rng(2), effects=[0.04 * run for run in range(8)], queries=40)
    libraries = int((one_way(*values).pvalue[np.triu_indices(8, 1)] < 0.05).sum())
    assert libraries == 4
    assert decided(values).pairs_separated == 18


@pytest.mark.parametrize("undefined", [0.0, 0.25])
def test_decisions_are_those_of_the_studentized_range_of_scipy(undefined: float) -> None:
    values = scores(np.random.default_rng(8), effects=[0, 0.05, 0.1, 0.12], queries=20, undefined=undefined)
    found = decided(values)
    differences = np.abs(found.means[:, None] - found.means[None, :])
    errors = np.sqrt(found.model.difference_variance) + np.eye(4)
    pvalues = studentized_range.sf(np.sqrt(2) * differences / errors, 4, found.model.residual.df)
    assert ((pvalues < 0.05) == found.different).all()
    assert found.different.any()
    assert not found.different.all()
    assert (found.different == found.different.T).all()


def test_pairs_that_share_fewer_queries_need_more() -> None:
    values = scores(np.random.default_rng(1), effects=[0.1, 0.2, 0.3], queries=12)
    values[2, :6] = NAN
    found = decided(values)
    assert found.margins[0, 1] < found.margins[0, 2] == found.critical_difference
    assert found.margins[0, 2] == pytest.approx(found.margins[1, 2])


def test_a_run_without_values_is_in_no_pair() -> None:
    values = scores(np.random.default_rng(1), effects=[0.1, 0.5, 0.3], queries=9)
    with_gap = np.insert(values, 1, NAN, axis=0)
    plain, found = decided(values), decided(with_gap)
    assert (found.pairs, found.pairs_separated, found.q) == (3, plain.pairs_separated, plain.q)
    assert np.isnan(found.means[1])
    assert not found.different[1].any()
    assert not found.different[:, 1].any()


def test_a_smaller_alpha_asks_for_more() -> None:
    values = scores(np.random.default_rng(1), effects=[0.1, 0.5, 0.3], queries=9)
    assert decided(values, alpha=0.01).critical_difference > decided(values, alpha=0.05).critical_difference


def test_without_residual_any_difference_separates_and_rounding_does_not() -> None:
    queries = np.array([0.1, 0.2, 0.7])
    found = decided(np.array([queries + 0.1, queries + 0.7 - 0.6, queries + 0.2]))
    assert 0 < abs(found.means[0] - found.means[1]) < 1e-15
    assert found.critical_difference == 0
    assert found.different.tolist() == [[False, False, True], [False, False, True], [True, True, False]]


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_where_nothing_varies_nothing_is_separated(value: float) -> None:
    found = decided(np.full((3, 4), value))
    assert (found.pairs, found.pairs_separated, found.critical_difference) == (3, 0, 0)


@pytest.mark.parametrize("values", [[[0.1, 0.2]], [[0.1], [0.2]], [[NAN, NAN], [NAN, NAN]], np.empty((0, 0))])
def test_too_little_is_undefined(values: npt.ArrayLike) -> None:
    assert tukey_hsd(values) is None
    assert separated_side_by_side(values, values) is None


@pytest.mark.parametrize("alpha", [0.0, 1.0, NAN])
def test_alpha_must_be_a_probability(alpha: float) -> None:
    with pytest.raises(UsageError, match="is not between 0 and 1"):
        tukey_hsd([[1, 2, 3], [2, 2, 5]], alpha=alpha)


def test_two_scorings_side_by_side() -> None:
    # The rows' means lie far apart against the residual: 1, 1, 3, 5 for a and 1, 4, 3, 1 for b.
    wobble = np.array([[0, 0.1, -0.1, 0], [0.1, 0, 0, -0.1], [-0.1, 0, 0.1, 0], [0, -0.1, 0, 0.1]])
    a = wobble + np.array([[1], [1], [3], [5]])
    b = wobble + np.array([[1], [4], [3], [1]])
    assert separated_side_by_side(a, b) == SideBySide(
        pairs=6,
        separated_a=5,
        separated_b=5,
        both=1,  # 0 and 2
        only_a=1,  # 0 and 3
        only_b=1,  # 0 and 1
        contradictions=3,  # 1 and 2, 1 and 3, 2 and 3
    )


def test_only_pairs_with_values_in_both_scorings_count() -> None:
    a = scores(np.random.default_rng(1), effects=[0.1, 0.9, 0.5], queries=9)
    b = a.copy()
    b[1] = NAN
    assert separated_side_by_side(a, b) == SideBySide(1, 1, 1, 1, 0, 0, 0)


def test_two_scorings_have_one_shape() -> None:
    with pytest.raises(UsageError, match=r"the shapes are \(2, 3\) and \(3, 2\)"):
        separated_side_by_side(np.zeros((2, 3)), np.zeros((3, 2)))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_beyond_the_bound_there_is_an_analysis_of_variance_but_no_test(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(4)
    values = draw.random((30, 6))
    values[draw.random(values.shape) < missing] = np.nan
    exact = two_way(values)
    monkeypatch.setattr("karat.stats.significance.anova.MOST_PAIRED_RUNS", 29)
    monkeypatch.setattr("karat.stats.adjusted_means.FEW_RUNS", 0)
    model = two_way(values)
    assert exact is not None
    assert model is not None
    assert model.difference_variance is None
    np.testing.assert_allclose(model.run_means, exact.run_means, rtol=0, atol=1e-12)
    for name in ("run", "query", "residual"):
        found, expected = getattr(model, name), getattr(exact, name)
        assert (found.df, found.sum_of_squares) == (expected.df, pytest.approx(expected.sum_of_squares, abs=1e-12))
    assert tukey_hsd(values) is None
    assert separated_side_by_side(values, values) is None
