from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.model import UsageError
from karat.stats.correlation.coefficients import coefficients_of_resamples, coefficients_of_vectors
from karat.stats.correlation.intervals import resampling_columns
from karat.stats.correlation.ranks import kendall_tau_b
from karat.stats.correlation.record import COEFFICIENTS, Correlation
from stats.correlation.of_vectors import coefficient, correlate

scores = st.floats(-1000, 1000).map(lambda value: round(value, 3))
pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=10).filter(
    lambda found: all(len(set(column)) > 1 for column in zip(*found, strict=True))
)

A = np.array([0.1, 0.5, 0.3, 0.9, 0.7, 0.2, 0.6, 0.4])
B = np.array([0.2, 0.4, 0.3, 0.8, 0.9, 0.1, 0.5, 0.6])


def named(found: tuple[Correlation, ...]) -> dict[str, Correlation]:
    return {correlation.name: correlation for correlation in found}


@given(pairs)
def test_pearson_is_that_of_scipy_and_symmetric(found: list[tuple[float, float]]) -> None:
    a, b = (np.array(column) for column in zip(*found, strict=True))
    value = coefficient("pearson", a, b)
    assert -1 <= value <= 1
    assert value == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-9)
    assert coefficient("pearson", b, a) == pytest.approx(value, abs=1e-12)
    assert coefficient("pearson", a, -b) == pytest.approx(-value, abs=1e-12)
    assert coefficient("pearson", a, 3 * a + 1) == pytest.approx(1)


def test_pearson_keeps_its_digits_far_from_zero() -> None:
    assert coefficient("pearson", [1e9 + 1, 1e9 + 2, 1e9 + 3], [1, 3, 2]) == pytest.approx(0.5, abs=1e-6)


def test_rmse_worked_by_hand() -> None:
    found = named(correlate([0.0, 0.5, np.nan, 1.0], [0.3, 0.1, 0.2, 1.0], resamples=10))["rmse"]
    assert found.value == pytest.approx(((0.3**2 + 0.4**2) / 3) ** 0.5)
    assert (found.n, found.left_out) == (3, 1)
    assert coefficient("rmse", [0.4, 0.4], [0.4, 0.4]) == 0
    assert coefficient("rmse", [1e100, 0], [0, 1e100]) == pytest.approx(1e100)
    undefined = named(correlate([np.nan], [1.0], resamples=10))["rmse"]
    assert (undefined.value, undefined.n, undefined.left_out) == (None, 0, 1)
    assert undefined.undefined_reason == "no point has both values"


def test_fishers_interval_is_that_of_scipy() -> None:
    expected = scipy.stats.pearsonr(A, B).confidence_interval(0.9)
    found = named(correlate(A, B, confidence=0.9, resamples=10))["pearson"]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.interval == "fisher"


def test_all_coefficients_come_with_an_interval() -> None:
    found = correlate(A, B, resamples=200)
    assert tuple(correlation.name for correlation in found) == COEFFICIENTS
    for correlation in found:
        assert correlation.value == pytest.approx(coefficient(correlation.name, A, B))
        assert correlation.value is not None
        assert correlation.low is not None
        assert correlation.high is not None
        assert correlation.low < correlation.value < correlation.high
        assert correlation.n == len(A)
    assert [correlation.interval for correlation in found] == ["fisher"] + ["centred"] * 5


def test_a_resample_is_the_vector_of_its_points() -> None:
    # Of tau-AP copies are no ties, so that it is compared in the next test.
    a, b = np.array([3.0, 1.0, 2.0, 2.0, 5.0]), np.array([1.0, 1.0, 4.0, 2.0, 3.0])
    groups = np.array([0, 0, 1, 2, 1])
    weights = np.array([[1, 2, 0, 1], [1, 1, 3, 0], [1, 0, 1, 3]], dtype=float)
    found = coefficients_of_resamples(a, b, groups=groups, weights=weights)
    for column in range(4):
        copies = weights[groups, column].astype(int)
        drawn_a, drawn_b = np.repeat(a, copies), np.repeat(b, copies)
        for name in ("pearson", "spearman", "kendall_tau_b", "weighted_tau", "rmse"):
            assert found[name][column] == pytest.approx(coefficient(name, drawn_a, drawn_b), abs=1e-12)


def test_copies_of_a_point_take_nothing_from_a_perfect_tau_ap() -> None:
    weights = resampling_columns(6, resamples=50, seed=1)
    vector = np.arange(6.0)
    found = coefficients_of_resamples(vector, vector**2, groups=np.arange(6), weights=weights)["tau_ap"]
    assert found == pytest.approx(np.ones(51))
    assert coefficients_of_resamples(vector, -vector, groups=np.arange(6), weights=weights)["tau_ap"] == pytest.approx(
        -np.ones(51)
    )


def test_many_vectors_at_once_are_each_by_itself() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 5, (4, 9)).astype(float), rng.integers(0, 5, (4, 9)).astype(float)
    a[1, 3], b[1, 4], b[2] = np.nan, np.nan, 3.0
    found = coefficients_of_vectors(a, b)
    for row in range(4):
        for name in COEFFICIENTS:
            assert found[name][row] == pytest.approx(coefficient(name, a[row], b[row]), nan_ok=True)
        tau = kendall_tau_b(a[row], b[row]).value
        assert found["kendall_tau_b"][row] == pytest.approx(np.nan if tau is None else tau, nan_ok=True)


@settings(max_examples=25)
@given(pairs, st.sampled_from(["centred", "percentile"]), st.integers(0, 3))
def test_an_interval_holds_its_value(found: list[tuple[float, float]], method: str, seed: int) -> None:
    a, b = zip(*found, strict=True)
    for correlation in correlate(a, b, method=method, seed=seed, resamples=40, pearson="bootstrap"):
        assert correlation.value is not None
        if correlation.low is None or correlation.high is None:
            assert correlation.no_interval_reason == "the value is undefined in most resamples"
        else:
            assert correlation.low <= correlation.value <= correlation.high
            assert correlation.interval == method


def test_one_sided_intervals_run_to_the_end_of_the_scale() -> None:
    low = named(correlate(A, B, side="low", resamples=100))
    high = named(correlate(A, B, side="high", resamples=100))
    # Five per cent on one side are those of 90 % on both.
    both = named(correlate(A, B, confidence=0.9, resamples=100))
    for name in COEFFICIENTS:
        ends = (0.0, np.inf) if name == "rmse" else (-1.0, 1.0)
        assert (high[name].low, low[name].high) == ends
        assert (low[name].low, high[name].high) == pytest.approx((both[name].low, both[name].high))


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    assert correlate(A, B, seed=1, resamples=50) == correlate(A, B, seed=1, resamples=50)
    assert correlate(A, B, seed=1, resamples=50) != correlate(A, B, seed=2, resamples=50)


def test_intervals_hold_the_expected_tau_about_as_often_as_they_say() -> None:
    # For two normal variables with correlation rho the expectation of tau is 2 / pi asin rho.
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        first = rng.normal(size=40)
        second = 0.6 * first + 0.8 * rng.normal(size=40)
        found = named(correlate(first, second, resamples=200))["kendall_tau_b"]
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 2 / np.pi * np.arcsin(0.6) <= found.high
    assert 0.90 <= held / 200 <= 0.99


def test_what_is_undefined_has_no_interval_and_says_why() -> None:
    by_name = named(correlate([1.0, 1.0, np.nan], [0.0, 2.0, 3.0], resamples=20))
    assert by_name["pearson"].undefined_reason == "the first vector is constant"
    assert by_name["pearson"].no_interval_reason == "the value is undefined"
    assert (by_name["pearson"].n, by_name["pearson"].left_out) == (2, 1)
    assert by_name["rmse"].value == 1
    assert named(correlate([1, 2, 3], [1, 2, 4], resamples=20))["pearson"].no_interval_reason == (
        "Fisher's interval needs at least four points"
    )
    assert all(correlation.value is None for correlation in correlate([], [], resamples=20))
    single = named(correlate([1.0], [3.0], resamples=20))["rmse"]
    assert (single.value, single.low, single.no_interval_reason) == (
        2,
        None,
        "with only one query (or run), nothing is known about others",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "confidence 1.0 is not between 0 and 1"),
        ({"resamples": 0}, "resamples 0 is not 1 or more"),
        ({"side": "up"}, "side 'up' is not one of both, low, high"),
        ({"method": "bca"}, "method 'bca' is not one of centred, percentile"),
        ({"pearson": "exact"}, "pearson 'exact' is not one of fisher, bootstrap"),
    ],
)
def test_wrong_options_are_refused_with_the_choices(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        correlate(A, B, **options)  # type: ignore[arg-type]
