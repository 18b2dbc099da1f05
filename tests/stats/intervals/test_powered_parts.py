"""Prediction-powered means where all labels are equal, or some queries need none."""

from __future__ import annotations

import numpy as np
import pytest

from karat.stats.intervals.bounded import UNIT
from karat.stats.intervals.powered_parts import from_equal_labels, is_without_width, with_known_queries
from karat.stats.intervals.prediction_powered import ppi_mean


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
