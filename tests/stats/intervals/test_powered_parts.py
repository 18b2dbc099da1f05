"""Prediction-powered means where all labels are equal, or some queries need none."""

from __future__ import annotations

import numpy as np
import pytest

from karat.stats.intervals.bounded import UNIT, Bounds
from karat.stats.intervals.powered_parts import (
    from_equal_labels,
    is_within,
    is_without_width,
    labels_alone,
    with_known_queries,
    within_bounds,
)
from karat.stats.intervals.prediction_powered import ppi_difference, ppi_mean


def labelled(people: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    chosen = rng.choice(len(people), count, replace=False)
    some = np.full(len(people), np.nan)
    some[chosen] = people[chosen]
    return some


def test_equal_labels_leave_room_for_what_was_not_labelled() -> None:
    judge = np.linspace(0, 1, 60)
    people = np.where(np.arange(60) < 15, 1.0, np.nan)
    mean = ppi_mean(judge, people)
    assert mean is not None
    assert is_without_width(mean)
    wide = from_equal_labels(mean, UNIT)
    reach = 1 - 0.025 ** (1 / 15)
    assert (wide.low, wide.high) == (pytest.approx(1 - reach), 1.0)
    assert (wide.same_low, wide.same_high) == (wide.low, 1.0)
    whole = ppi_mean(judge, np.ones(60))
    assert whole is not None
    # All queries are labelled: nothing is open about these, but about others.
    of_all = from_equal_labels(whole, UNIT)
    assert (of_all.same_low, of_all.same_high) == (1.0, 1.0)
    assert of_all.low < 1.0


@pytest.mark.parametrize("rare", [0.02, 0.1, 0.2])
def test_intervals_hold_where_failures_are_rare(rare: float) -> None:
    rng = np.random.default_rng(7)
    same = other = equal = 0
    for _ in range(300):
        people = 1.0 - (rng.random(50) < rare)
        mean = ppi_mean(rng.random(50), labelled(people, 15, rng))
        assert mean is not None
        if is_without_width(mean):
            equal += 1
            mean = from_equal_labels(mean, UNIT)
            same += mean.same_low <= people.mean() <= mean.same_high
            other += mean.low <= 1 - rare <= mean.high
    assert equal > 5
    # Without width, the interval missed whenever a failure was left: in .35 of the samples and more for .02.
    assert (equal - same) / 300 <= 0.04
    assert (equal - other) / 300 <= 0.04


def test_queries_that_need_no_label_are_counted_as_what_they_are() -> None:
    """Half of the queries have no answer: these scores are known, and labels exist only of the others."""
    rng = np.random.default_rng(5)
    same = other = 0
    for _ in range(300):
        silent = rng.random(60) < 0.5
        people = np.where(silent, 0.0, rng.integers(0, 3, 60) / 3)
        judge = np.where(silent, 0.0, 1.0 - 0.1 * rng.random(60))
        asked = np.flatnonzero(~silent)
        some = np.full(60, np.nan)
        some[rng.choice(asked, 12, replace=False)] = 1
        mean = ppi_mean(judge[asked], np.where(np.isnan(some), np.nan, people)[asked])
        assert mean is not None
        whole = with_known_queries(mean, judge[silent])
        assert whole.queries == 60
        same += whole.same_low <= people.mean() <= whole.same_high
        other += whole.low <= 1 / 6 <= whole.high
    assert same >= 0.92 * 300
    assert other >= 0.92 * 300


def test_no_known_queries_change_nothing() -> None:
    mean = ppi_mean(np.linspace(0, 1, 9), [0.1, 0.4, 0.3, 0.9] + [np.nan] * 5)
    assert mean is not None
    assert with_known_queries(mean, np.array([np.nan])) == mean


def test_the_p_value_of_equal_differences_is_the_level_at_which_the_interval_holds_0() -> None:
    judge = np.linspace(0, 1, 60), np.linspace(1, 0, 60)
    people = np.where(np.arange(60) < 15, 0.9, np.nan), np.where(np.arange(60) < 15, 0.4, np.nan)
    found = ppi_difference(judge, people)
    assert found is not None
    assert is_without_width(found)
    equal = from_equal_labels(found, Bounds(-1, 1))
    for whole in (equal, with_known_queries(equal, np.zeros(20))):
        p = whole.p()
        assert whole.interval(1 - p * 0.99).low < 0 < whole.interval(1 - p * 1.01).low
        assert whole.p("greater") == pytest.approx(p / 2)
        assert whole.p("less") == 1.0
    # u (c + 1) = c with u = 1 - t^(1/n)
    assert equal.p("greater") == pytest.approx((1 / 1.5) ** 15)


def test_the_interval_of_a_mean_with_known_queries_is_that_of_its_error() -> None:
    mean = ppi_mean(np.linspace(0, 1, 9), [0.1, 0.4, 0.3, 0.9] + [np.nan] * 5)
    assert mean is not None
    whole = with_known_queries(mean, np.zeros(4))
    ends = whole.interval(0.95)
    assert (whole.low, whole.high) == (ends.low, ends.high)
    assert whole.p() < 1


def test_bounded_means_stay_within_their_bounds_and_hold_with_few_labels() -> None:
    """A poor judge and 4 labels lead out of [0, 1]: then the labels count alone, and no interval is without width."""
    rng = np.random.default_rng(11)
    outside = held = 0
    for _ in range(400):
        people = np.minimum(1, rng.integers(2, 5, 60) / 3)
        some = labelled(people, 4, rng)
        mean = ppi_mean(rng.random(60), some)
        assert mean is not None
        if not is_within(mean, UNIT):
            outside += 1
            mean = labels_alone(mean, [some])
        mean = within_bounds(from_equal_labels(mean, UNIT) if is_without_width(mean) else mean, UNIT)
        assert 0 <= mean.low <= mean.estimate <= mean.high <= 1
        assert mean.high - mean.low > 1e-6
        assert 0 <= mean.interval(0.999).low <= mean.interval(0.999).high <= 1
        held += mean.low <= 8 / 9 <= mean.high
    assert outside > 5
    assert held >= 0.93 * 400
