from __future__ import annotations

import numpy as np
import pytest

from karat.stats.adjusted_means import adjusted_means
from karat.stats.significance.anova import two_way

NAN = float("nan")


def test_without_missing_values_they_are_the_means() -> None:
    values = np.random.default_rng(0).random((4, 6))
    found = adjusted_means(values)
    np.testing.assert_array_equal(found.means, values.mean(axis=1))
    assert found.comparable


def test_they_are_those_of_the_two_way_model() -> None:
    draw = np.random.default_rng(1)
    values = draw.random((8, 12))
    values[draw.random(values.shape) < 0.3] = NAN
    model = two_way(values)
    assert model is not None
    np.testing.assert_allclose(adjusted_means(values).means, model.run_means)


def test_a_run_that_answers_easy_queries_only_is_put_in_its_place() -> None:
    easy, hard = [0.8, 0.85, 0.75, 0.8], [0.2, 0.25, 0.15, 0.2]
    first = [value - 0.1 for value in easy] + [NAN] * 4
    found = adjusted_means([first, easy + hard])
    assert np.nanmean(first) > np.mean(easy + hard)
    assert found.means.round(9).tolist() == [0.4, 0.5]


def test_parts_that_share_no_query_are_fitted_by_themselves() -> None:
    values = [[0.9, 0.8, NAN, NAN], [0.7, NAN, NAN, NAN], [NAN, NAN, 0.1, 0.2], [NAN] * 4]
    found = adjusted_means(values)
    assert found.parts.tolist() == [0, 0, 1, -1]
    assert not found.comparable
    np.testing.assert_allclose(found.means, [0.85, 0.65, 0.15, NAN])


def test_empty_tables() -> None:
    assert adjusted_means(np.zeros((0, 3))).means.tolist() == []
    assert np.isnan(adjusted_means(np.full((2, 3), NAN)).means).all()


def test_many_runs_have_the_same_means_by_the_equations_of_the_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    values = draw.random((60, 7))
    values[draw.random(values.shape) < 0.4] = NAN
    values[3, :] = NAN
    by_runs = adjusted_means(values)
    monkeypatch.setattr("karat.stats.adjusted_means.FEW_RUNS", 0)
    by_queries = adjusted_means(values)
    np.testing.assert_allclose(by_queries.means, by_runs.means, rtol=0, atol=1e-12)
    assert not np.array_equal(by_queries.means, by_runs.means, equal_nan=True)  # both ways were taken


def test_very_many_runs_need_no_matrix_of_their_pairs() -> None:
    # 40,000 runs: the equations of the runs would take 12 GB.
    values = np.random.default_rng(3).random((40_000, 3))
    values[::7, 0] = NAN
    assert np.isfinite(adjusted_means(values).means).all()
