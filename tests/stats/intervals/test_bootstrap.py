from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from karat.model import UsageError
from karat.stats.intervals import bootstrap
from karat.stats.intervals.bootstrap import (
    Interval,
    mean_intervals,
    median_intervals,
    resample_weights,
    statistic_interval,
)

SCORES = [0.03, 0.14, 0.15, 0.31, 0.5, 0.59, 0.65, 0.92]


def mean_interval(values: ArrayLike, **options: Any) -> Interval | None:
    """The interval of one run."""
    return mean_intervals(np.asarray(values, dtype=float)[None], **options)[0]


def ratio(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def widened(confidence: float, n: int) -> float:
    """The confidence at which the normal quantile is the widened one."""
    z = stats.t.ppf((1 + confidence) / 2, n - 1) * sqrt(n / (n - 1))
    return float(2 * stats.norm.cdf(z) - 1)


def test_weights_count_draws() -> None:
    weights = resample_weights(4, resamples=3000, seed=1)
    assert weights.shape == (3000, 4)
    assert (weights.sum(axis=1) == 4).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.1)
    np.testing.assert_allclose(weights.var(axis=0), 3 / 4, atol=0.1)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, np.nan], [np.nan, np.nan]])
def test_fewer_than_two_queries_say_nothing_about_others(values: list[float]) -> None:
    assert mean_interval(values) is None
    assert median_intervals([values]) == [None]
    assert statistic_interval([[value, 1.0] for value in values] or np.zeros((0, 2)), ratio) is None


@pytest.mark.parametrize("value", [0.0, 0.1, 0.25, -3.0])
def test_equal_values_leave_no_doubt(value: float) -> None:
    assert mean_interval([value] * 7) == Interval(value, value)
    assert mean_interval([value, np.nan, value, value]) == Interval(value, value)
    assert mean_interval([value] * 3, side="low") == Interval(value, inf)
    assert median_intervals([[value] * 7]) == [Interval(value, value)]
    interval = statistic_interval([[value, 1.0]] * 7, ratio)
    assert interval is not None
    assert interval.low == interval.high == pytest.approx(value)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    assert mean_interval(SCORES, seed=7) == mean_interval(SCORES, seed=7)
    assert mean_interval(SCORES, seed=7) != mean_interval(SCORES, seed=8)


@pytest.mark.parametrize("values", [SCORES, [0.0, 0.0, 0.1, 0.0, 0.2, 0.0, 0.9, 0.1, 0.0, 0.3, 0.1, 0.05]])
def test_scipy_agrees_once_its_confidence_is_widened(values: list[float]) -> None:
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=widened(0.95, len(values)), method="BCa",
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    interval = mean_interval(values, resamples=20_000)
    assert interval is not None
    assert interval.low == pytest.approx(expected.low, abs=0.01)
    assert interval.high == pytest.approx(expected.high, abs=0.01)


def test_scipy_agrees_on_a_ratio_of_sums() -> None:
    rng = np.random.default_rng(2)
    found_nugs = rng.integers(0, 6, 25)
    nugs = found_nugs + rng.integers(1, 8, 25)
    expected = stats.bootstrap(
        (found_nugs, nugs), lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis), paired=True, vectorized=True,
        n_resamples=20_000, confidence_level=widened(0.95, 25), method="BCa", rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    interval = statistic_interval(np.stack([found_nugs, nugs], axis=1), ratio, resamples=20_000)
    assert interval is not None
    assert interval.low == pytest.approx(expected.low, abs=0.005)
    assert interval.high == pytest.approx(expected.high, abs=0.005)


def test_one_sided_bounds_are_the_ends_of_a_wider_two_sided_interval() -> None:
    both = mean_interval(SCORES, confidence=0.9)
    assert both is not None
    assert mean_interval(SCORES, confidence=0.95, side="low") == Interval(pytest.approx(both.low), inf)
    assert mean_interval(SCORES, confidence=0.95, side="high") == Interval(-inf, pytest.approx(both.high))
    assert median_intervals([SCORES], side="high")[0].low == -inf  # type: ignore[union-attr]


def test_more_confidence_asks_for_a_wider_interval() -> None:
    values = [index / 20 for index in range(20)]
    narrow, wide = mean_interval(values, confidence=0.5), mean_interval(values, confidence=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_several_runs_are_as_one_at_a_time() -> None:
    values = np.random.default_rng(3).random((300, 6))
    values[::3, 2] = np.nan
    values[5] = np.nan
    together = mean_intervals(values, resamples=200)
    assert together[5] is None
    for run in (0, 1, 256, 299):
        alone, among = mean_interval(values[run], resamples=200), together[run]
        assert alone is not None
        assert among is not None
        assert (among.low, among.high) == pytest.approx((alone.low, alone.high))


def test_an_undefined_query_is_left_out_and_not_a_zero() -> None:
    interval = mean_interval([0.6, 0.7, np.nan, 0.8, 0.9, 0.75, 0.65])
    assert interval is not None
    assert interval.low >= 0.6


def test_resamples_that_miss_every_defined_query_are_left_out() -> None:
    # One resample in eight draws neither of the two.
    interval = mean_interval([0.1, 0.2, *[np.nan] * 40])
    assert interval is not None
    assert 0.1 <= interval.low < interval.high <= 0.2 + 1e-12


def test_a_statistic_of_counts_agrees_with_the_mean() -> None:
    values = np.array([*SCORES, np.nan])
    interval = statistic_interval(np.stack([values, np.ones(9)], axis=1), ratio)
    expected = mean_interval(values)
    assert interval is not None
    assert expected is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_resamples_without_a_denominator_are_left_out() -> None:
    # Two of six queries have a denominator: 9 % of the resamples miss both.
    interval = statistic_interval([[1, 2], [1, 4], [0, 0], [0, 0], [0, 0], [0, 0]], ratio)
    assert interval is not None
    assert 0.25 <= interval.low < 1 / 3 < interval.high <= 0.5


def test_a_statistic_that_is_mostly_undefined_has_no_interval() -> None:
    only_one = [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert statistic_interval(only_one, lambda sums: np.where(sums[..., 1] == 1, sums[..., 0], np.nan)) is None
    assert statistic_interval([[1.0, 0.0], [2.0, 0.0]], ratio) is None


def test_replicates_all_on_one_side_still_give_an_interval() -> None:
    # The largest total can be reached by the whole sample alone.
    interval = statistic_interval(
        [[1.0], [1.0], [2.0]], lambda sums: np.where(sums[..., 0] == 4.0, 9.0, sums[..., 0] / 10)
    )
    assert interval is not None
    assert np.isfinite([interval.low, interval.high]).all()
    assert interval.low <= 9.0 <= interval.high


def test_equal_jackknife_values_have_no_acceleration() -> None:
    interval = mean_interval([0.2, 0.8, 0.2, 0.8])
    assert interval is not None
    assert interval.low == pytest.approx(1 - interval.high, abs=0.08)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.integers(0, 3))
def test_the_interval_lies_between_the_smallest_and_the_largest_value(values: list[float], seed: int) -> None:
    for found in (mean_interval(values, resamples=50, seed=seed), *median_intervals([values], resamples=50, seed=seed)):
        assert found is not None
        assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


@given(st.lists(st.one_of(st.floats(-5, 5), st.just(np.nan)), max_size=6), st.sampled_from([1, 2, 40]))
def test_the_interval_contains_the_mean_and_is_never_nan(values: list[float], resamples: int) -> None:
    known = [value for value in values if not np.isnan(value)]
    interval = mean_interval(values, resamples=resamples)
    if interval is not None:
        assert interval.low - 1e-12 <= sum(known) / len(known) <= interval.high + 1e-12


def test_medians_are_those_of_the_drawn_values() -> None:
    values = np.array([0.9, 0.1, np.nan, 0.4, 0.3, 0.8, np.nan])
    medians = [
        np.median(drawn)
        for row in resample_weights(7, resamples=500).astype(int)
        if len(drawn := np.repeat(np.nan_to_num(values), row * ~np.isnan(values)))
    ]
    low, high = np.quantile(medians, [0.025, 0.975])
    assert median_intervals([values], resamples=500) == [Interval(pytest.approx(low), pytest.approx(high))]


SHAPES = {
    "normal": (lambda rng, shape: rng.normal(0.5, 0.15, shape), 0.5),
    "skewed": (lambda rng, shape: rng.beta(0.5, 2, shape), 0.2),
    "nugs found of ten": (lambda rng, shape: rng.binomial(10, rng.beta(2, 4, shape)) / 10, 1 / 3),
}


@pytest.mark.parametrize("n", [10, 15, 30, 75])
@pytest.mark.parametrize("shape", SHAPES)
def test_95_percent_intervals_cover_93_to_97_percent(shape: str, n: int) -> None:
    draw, mean = SHAPES[shape]
    samples = draw(np.random.default_rng(n), (1200, n))
    intervals = mean_intervals(samples, resamples=500, seed=1)
    covered = np.mean([interval is not None and interval.low <= mean <= interval.high for interval in intervals])
    assert 0.93 <= covered <= 0.97


def test_five_queries_are_too_few_but_better_served_than_by_percentiles() -> None:
    samples = np.random.default_rng(5).beta(2, 5, (1200, 5))
    means = resample_weights(5, resamples=500, seed=1) @ samples.T / 5
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    plain = np.mean((low <= 2 / 7) & (high >= 2 / 7))
    intervals = mean_intervals(samples, resamples=500, seed=1)
    widened = np.mean([interval is not None and interval.low <= 2 / 7 <= interval.high for interval in intervals])
    assert plain < 0.85 < 0.88 < widened


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_intervals([0.5, 0.6]), r"values \(runs, queries\) cannot have the shape \(2,\)"),
        (lambda: mean_interval([0.5, inf]), "must be finite"),
        (lambda: mean_interval([0.5, 0.6], confidence=1.0), "confidence 1.0"),
        (lambda: mean_interval([0.5, 0.6], side="left"), "'left' is not one of both, low, high"),
        (lambda: mean_interval([0.5, 0.6], resamples=0), "resamples=0"),
        (lambda: statistic_interval([0.5, 0.6], ratio), r"counts \(queries, k\)"),
        (lambda: statistic_interval([[1, 2], [3, 4]], lambda sums: sums), "one value per row"),
    ],
)
def test_what_cannot_be_asked(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("cells", [1, 30, 64, 10**6])
def test_blocks_of_resamples_do_not_matter(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    """Where queries are many, weights are drawn some at a time: always the same ones."""
    draw = np.random.default_rng(5)
    values = draw.random((3, 30))
    values[1, :20] = np.nan
    values[2, 1:] = np.nan
    counts = draw.integers(0, 5, (30, 2)).astype(float)

    def found() -> list[object]:
        return [
            *mean_intervals(values, resamples=101),
            *median_intervals(values, resamples=101),
            statistic_interval(counts, lambda sums: sums[..., 0] / sums[..., 1], resamples=101),
        ]

    weights, whole = resample_weights(30, resamples=101, seed=3), found()
    monkeypatch.setattr(bootstrap, "CELLS_AT_ONCE", cells)
    assert np.array_equal(resample_weights(30, resamples=101, seed=3), weights)
    blocks = [len(block) for block in bootstrap.Resamples(30, resamples=101)]
    assert sum(blocks) == 101
    assert max(blocks) * 30 <= max(cells, 30)
    for before, now in zip(whole, found(), strict=True):
        assert (before is None) == (now is None)
        if isinstance(before, Interval) and isinstance(now, Interval):
            assert (now.low, now.high) == pytest.approx((before.low, before.high), abs=1e-12)
