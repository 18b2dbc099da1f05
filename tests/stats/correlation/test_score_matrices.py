from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from karat.model import UsageError
from karat.stats.correlation.coefficients import coefficients_of_vectors
from karat.stats.correlation.record import COEFFICIENTS, Correlation
from karat.stats.correlation.score_matrices import correlate_scores

RNG = np.random.default_rng(2)
A = np.round(RNG.random((6, 9)), 1)
B = np.round((A + RNG.random((6, 9))) / 2, 1)


def named(found: tuple[Correlation, ...]) -> dict[str, Correlation]:
    return {correlation.name: correlation for correlation in found}


def test_by_run_it_is_the_correlation_of_the_means() -> None:
    by_name = named(correlate_scores(A, B, resamples=20))
    assert by_name["pearson"].value == pytest.approx(scipy.stats.pearsonr(A.mean(1), B.mean(1)).statistic)
    assert by_name["kendall_tau_b"].value == pytest.approx(
        scipy.stats.kendalltau(A.mean(1).round(9), B.mean(1).round(9)).statistic
    )
    assert {correlation.n for correlation in by_name.values()} == {6}


def test_by_query_it_is_the_correlation_of_all_cells() -> None:
    by_name = named(correlate_scores(A, B, level="query", resamples=20))
    assert by_name["spearman"].value == pytest.approx(scipy.stats.spearmanr(A.ravel(), B.ravel()).statistic)
    assert by_name["weighted_tau"].value == pytest.approx(scipy.stats.weightedtau(A.ravel(), B.ravel()).statistic)
    assert {correlation.n for correlation in by_name.values()} == {54}


def test_within_queries_it_is_the_mean_over_queries() -> None:
    by_name = named(correlate_scores(A, B, level="within-query", resamples=20))
    expected = [scipy.stats.kendalltau(A[:, query], B[:, query]).statistic for query in range(9)]
    assert by_name["kendall_tau_b"].value == pytest.approx(np.mean(expected))
    assert (by_name["kendall_tau_b"].n, by_name["kendall_tau_b"].undefined) == (9, 0)


@pytest.mark.parametrize("level", ["run", "query", "within-query"])
@pytest.mark.parametrize("resample", ["queries", "runs"])
def test_every_level_has_intervals_around_its_values(level: str, resample: str) -> None:
    found = correlate_scores(A, B, level=level, resample=resample, resamples=60)
    assert tuple(correlation.name for correlation in found) == COEFFICIENTS
    for correlation in found:
        assert correlation.value is not None
        assert correlation.low is not None
        assert correlation.high is not None
        assert correlation.low <= correlation.value <= correlation.high
        assert correlation.low < correlation.high
        assert correlation.interval == "centred"


def test_resampling_draws_the_same_queries_of_both() -> None:
    # However the queries are drawn, a matrix stays in perfect agreement with itself.
    untied = A + np.arange(54).reshape(6, 9) / 997
    for level in ("run", "query"):
        for correlation in correlate_scores(untied, untied, level=level, resamples=30, method="percentile"):
            expected = 0 if correlation.name == "rmse" else 1
            assert (correlation.low, correlation.value, correlation.high) == pytest.approx((expected,) * 3)


def test_intervals_by_run_hold_what_another_set_of_queries_is_expected_to_say() -> None:
    rng = np.random.default_rng(4)
    true = rng.normal(0, 0.1, (12, 1))
    true_other = true + rng.normal(0, 0.03, (12, 1))

    def scores() -> tuple[np.ndarray, np.ndarray]:
        noise = rng.normal(0, 0.2, (12, 25))
        return true + noise, true_other + 0.7 * noise + rng.normal(0, 0.1, (12, 25))

    sets = [scores() for _ in range(800)]
    expected = {
        name: np.mean(values)
        for name, values in coefficients_of_vectors(
            np.stack([first.mean(axis=1) for first, _ in sets]), np.stack([second.mean(axis=1) for _, second in sets])
        ).items()
    }
    held = dict.fromkeys(COEFFICIENTS, 0)
    for first, second in sets[:150]:
        for found in correlate_scores(first, second, resamples=200):
            assert found.low is not None
            assert found.high is not None
            held[found.name] += found.low <= expected[found.name] <= found.high
    assert all(0.87 <= count / 150 <= 0.99 for count in held.values()), held


@pytest.mark.parametrize("resample", ["queries", "runs"])
def test_the_first_resample_by_cells_is_that_of_whole_queries_or_runs(resample: str) -> None:
    drawn = np.random.default_rng(0)
    size = 9 if resample == "queries" else 6
    taken = drawn.integers(size, size=(1, size))[0]
    a, b = (A[:, taken], B[:, taken]) if resample == "queries" else (A[taken], B[taken])
    expected = scipy.stats.kendalltau(a.ravel(), b.ravel()).statistic
    by_name = named(correlate_scores(A, B, level="query", resample=resample, resamples=1, method="percentile"))
    tau = by_name["kendall_tau_b"]
    assert (tau.low, tau.high) == pytest.approx(tuple(sorted([expected, tau.value])))


def test_undefined_cells_are_left_out_of_both_and_counted() -> None:
    a, b = A.copy(), B.copy()
    a[0, 0], b[0, 1], b[5] = np.nan, np.nan, np.nan
    known = ~np.isnan(a + b)
    by_cell = named(correlate_scores(a, b, level="query", resamples=20))
    assert by_cell["pearson"].value == pytest.approx(scipy.stats.pearsonr(a[known], b[known]).statistic)
    assert (by_cell["pearson"].n, by_cell["pearson"].left_out) == (43, 11)
    by_run = named(correlate_scores(a, b, resamples=20))
    means = [(a[run, known[run]].mean(), b[run, known[run]].mean()) for run in range(5)]
    assert by_run["pearson"].value == pytest.approx(scipy.stats.pearsonr(*zip(*means, strict=True)).statistic)
    assert (by_run["pearson"].n, by_run["pearson"].left_out) == (5, 11)
    assert by_run["pearson"].low is not None
    for resample in ("queries", "runs"):
        within = named(correlate_scores(a, b, level="within-query", resample=resample, resamples=20))
        expected = [scipy.stats.pearsonr(a[known[:, q], q], b[known[:, q], q]).statistic for q in range(9)]
        assert within["pearson"].value == pytest.approx(np.mean(expected))


def test_a_query_with_equal_scores_is_left_out_within_queries_and_counted() -> None:
    a = A.copy()
    a[:, 2] = 0.5
    by_name = named(correlate_scores(a, B, level="within-query", resamples=20))
    expected = [scipy.stats.pearsonr(a[:, query], B[:, query]).statistic for query in range(9) if query != 2]
    assert by_name["pearson"].value == pytest.approx(np.mean(expected))
    assert (by_name["pearson"].n, by_name["pearson"].undefined) == (8, 1)
    assert (by_name["rmse"].n, by_name["rmse"].undefined) == (9, 0)


def test_runs_with_the_same_scores_in_another_order_are_tied() -> None:
    a = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]])
    b = np.array([[0.1, 0.1, 0.1], [0.5, 0.5, 0.5], [0.9, 0.9, 0.9]])
    by_name = named(correlate_scores(a, b, resamples=10))
    assert by_name["kendall_tau_b"].value == pytest.approx(2 / (2 * 3) ** 0.5)


@pytest.mark.parametrize("level", ["run", "query", "within-query"])
@pytest.mark.parametrize("resample", ["queries", "runs"])
@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((0, 0)),
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        np.full((3, 4), np.nan),
        np.full((3, 4), 0.1),
        np.array([[0.1, 0.2]]),
    ],
)
def test_matrices_that_say_nothing_have_reasons_and_no_values(level: str, resample: str, matrix: np.ndarray) -> None:
    for correlation in correlate_scores(matrix, matrix, level=level, resample=resample, resamples=10):
        if correlation.name == "rmse" and not np.isnan(matrix).all():
            assert correlation.value == 0
        elif level == "query" and matrix.shape == (1, 2):
            assert correlation.value == 1
        else:
            assert correlation.value is None
            assert correlation.undefined_reason
            assert correlation.low is None


def test_one_query_says_nothing_about_others() -> None:
    by_name = named(correlate_scores(A[:, :1], B[:, :1], resamples=10))
    assert by_name["spearman"].value is not None
    assert (by_name["spearman"].low, by_name["spearman"].no_interval_reason) == (
        None,
        "with only one query (or run), nothing is known about others",
    )
    assert named(correlate_scores(A[:, :1], B[:, :1], resample="runs", resamples=10))["spearman"].low is not None


def test_fishers_interval_can_be_asked_for() -> None:
    expected = scipy.stats.pearsonr(A.ravel(), B.ravel()).confidence_interval(0.95)
    found = named(correlate_scores(A, B, level="query", pearson="fisher", resamples=10))["pearson"]
    assert (found.low, found.high, found.interval) == (
        pytest.approx(expected.low),
        pytest.approx(expected.high),
        "fisher",
    )
    with pytest.raises(UsageError, match="no Fisher interval"):
        correlate_scores(A, B, level="within-query", pearson="fisher")


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (A, B[:5], {}, "different shapes"),
        (A[0], B[0], {}, r"shape \(runs, queries\)"),
        (A, B, {"level": "cell"}, "level 'cell' is not one of run, query, within-query"),
        (A, B, {"resample": "cells"}, "resample 'cells' is not one of queries, runs"),
        (A, np.full_like(B, np.inf), {}, "finite"),
    ],
)
def test_wrong_requests_are_refused(a, b, options, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=message):
        correlate_scores(a, b, **options)
