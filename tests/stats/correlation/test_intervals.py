from __future__ import annotations

import numpy as np
import pytest

from karat.stats.correlation.intervals import bootstrap_interval, distinct_columns, fisher_interval, resampling_columns
from karat.stats.intervals.bootstrap import Interval


def test_the_published_one_sided_intervals_are_fishers() -> None:
    # Dang & Lin (2007): r = 0.987 over the 59 runs, [0.980, 1.00]; r = 0.870 over their 75 questions, [0.863, 1.00].
    by_run = fisher_interval(0.987, n=59, side="low")
    assert by_run is not None
    assert (round(by_run.low, 3), by_run.high) == (0.980, 1.0)
    by_question = [fisher_interval(r, n=59 * 75, side="low") for r in (0.8695, 0.8705)]
    assert by_question[0] is not None
    assert by_question[1] is not None
    assert round(by_question[0].low, 3) <= 0.863 < by_question[1].low


def test_fishers_interval_where_nothing_is_left_to_doubt_or_too_little_is_known() -> None:
    assert fisher_interval(1.0, n=10) == Interval(1.0, 1.0)
    assert fisher_interval(-1.0, n=10, side="low") == Interval(-1.0, 1.0)
    assert fisher_interval(0.5, n=3) is None
    upper = fisher_interval(0.5, n=20, side="high")
    assert upper is not None
    assert upper.low == -1
    assert 0.5 < upper.high < 1


def test_centred_percentiles_move_to_the_value_and_end_with_the_scale() -> None:
    columns = np.concatenate([[0.9], np.linspace(0.5, 0.9, 101)])
    ends = Interval(-1.0, 1.0)
    centred = bootstrap_interval(columns, method="centred", confidence=0.5, side="both", ends=ends)
    plain = bootstrap_interval(columns, method="percentile", confidence=0.5, side="both", ends=ends)
    wide = bootstrap_interval(columns, method="centred", confidence=0.98, side="both", ends=ends)
    assert centred is not None
    assert plain is not None
    assert wide is not None
    assert (centred.low, centred.high) == pytest.approx((0.8, 1.0))
    assert (plain.low, plain.high) == pytest.approx((0.6, 0.9))
    assert wide.high == 1


def test_resamples_without_a_value_are_left_out_and_too_many_of_them_leave_no_interval() -> None:
    ends = Interval(-1.0, 1.0)
    half = np.array([0.5, 0.4, 0.6, np.nan, np.nan])
    found = bootstrap_interval(half, method="percentile", confidence=0.9, side="both", ends=ends)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.41, 0.59))
    most = np.array([0.5, 0.4, np.nan, np.nan])
    assert bootstrap_interval(most, method="percentile", confidence=0.9, side="both", ends=ends) is None


@pytest.mark.parametrize("groups", [0, 1, 3, 6, 20])
def test_distinct_columns_are_all_columns_once_that_of_everything_first(groups: int) -> None:
    columns = resampling_columns(groups, resamples=500, seed=0)
    found = distinct_columns(columns)
    np.testing.assert_array_equal(found.columns[:, found.column_of], columns)
    assert (found.columns[:, 0] == 1).all()
    assert found.columns.shape[1] == {0: 501, 1: 1, 3: 10, 6: found.columns.shape[1], 20: 501}[groups] <= 501
