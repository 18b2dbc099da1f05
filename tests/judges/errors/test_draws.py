from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.judges.errors.correlations import ErrorShares
from karat.judges.errors.draws import (
    draw_calibration,
    draw_common,
    draw_response,
    draw_run_effect,
    shares_of,
    sizes_of,
)
from karat.measures.cases.saved_fields import CommonErrors, Sigmas

ROWS = np.array([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5], [0.05, 0.0, 0.95], [1, 0, 0], [0, 0, 1], [0.5, 0.5, 0]])
UNSURE = ((0.09, 0.02, 0.0), (0.02, 0.04, 0.0), (0.0, 0.0, 0.01))


def draw_degrees(rows: object, cell: object, *, sigma: float, draws: int, seed: int) -> np.ndarray:
    """Degrees (draws x pairs) as scores draw them, response by response."""
    rows, cell = np.asarray(rows, float), np.asarray(cell)
    drawn = np.empty((draws, len(rows)))
    for number in np.unique(cell):
        own = cell == number
        drawn[:, own] = draw_response(rows[own], np.zeros(draws), sizes=Sigmas(sigma, 0.0), seed=(seed, int(number)))
    return drawn


@settings(max_examples=25, deadline=None)
@given(
    full=st.floats(0, 1),
    partial=st.floats(0, 1),
    sigma=st.floats(0, 2),
    run_sigma=st.floats(0, 1),
    seed=st.integers(0, 9),
)
def test_shared_errors_leave_probabilities_as_they_are(
    full: float, partial: float, sigma: float, run_sigma: float, seed: int
) -> None:
    row = [(1 - full) * (1 - partial), (1 - full) * partial, full]
    effect = draw_run_effect(20_000, seed=(seed, 0))
    sizes = Sigmas(sigma, run_sigma, CommonErrors(nug=0.4, query=0.1, calibration=UNSURE, freedom=40))
    calibration = draw_calibration(20_000, freedom=40, seed=(seed, 2))
    common = draw_common(20_000, [0], of_query=3, calibration=calibration, seed=(seed, 3))
    drawn = draw_response([row], effect, sizes=sizes, common=common, vital=[1.0], seed=(seed, 1))[:, 0]
    assert (drawn == 1).mean() == pytest.approx(full, abs=0.025)
    assert (drawn == 0).mean() == pytest.approx(row[0], abs=0.025)


@pytest.mark.parametrize("sigma", [0.0, 1.0, 2.5])
def test_draws_keep_the_probabilities(sigma: float) -> None:
    drawn = draw_degrees(ROWS, [0, 0, 0, 1, 1, 1], sigma=sigma, draws=20_000, seed=5)
    assert drawn.shape == (20_000, 6)
    for column, degree in enumerate((0, 0.5, 1)):
        assert (drawn == degree).mean(axis=0) == pytest.approx(ROWS[:, column], abs=0.015)


def test_within_a_cell_draws_go_together_the_more_the_larger_sigma() -> None:
    rows = np.tile([[0.5, 0.0, 0.5]], (3, 1))
    together, apart = [], []
    for sigma in (0.0, 0.7, 1.5, 4.0):
        drawn = draw_degrees(rows, [7, 7, 2], sigma=sigma, draws=10_000, seed=6)
        correlations = np.corrcoef(drawn.T)
        together.append(correlations[0, 1])
        apart.append(correlations[0, 2])
    assert (np.diff(together) > 0.05).all()
    assert together[0] == pytest.approx(0, abs=0.04)
    assert apart == pytest.approx([0] * 4, abs=0.04)


def test_a_seed_repeats_the_draws() -> None:
    first, again, other = (draw_degrees(ROWS, np.arange(6), sigma=1, draws=50, seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_responses_of_one_run_share_its_effect() -> None:
    effect = draw_run_effect(5000, seed=(3,))

    def two(sigma: float, run_sigma: float) -> float:
        sizes = Sigmas(sigma, run_sigma)
        first, second = (draw_response([[0.5, 0, 0.5]], effect, sizes=sizes, seed=(at,))[:, 0] for at in (1, 2))
        return float(np.corrcoef(first, second)[0, 1])

    assert two(0.0, 2.0) > 0.2
    assert abs(two(2.0, 0.0)) < 0.06


@pytest.mark.parametrize("common", [CommonErrors(nug=0.6), CommonErrors(query=0.3), CommonErrors(calibration=UNSURE)])
def test_what_all_runs_share_goes_together_in_two_runs_and_cancels_in_their_difference(common: CommonErrors) -> None:
    drawn = []
    for run in (1, 2):
        calibration = draw_calibration(20_000, freedom=math.inf, seed=(4,))
        shared = draw_common(20_000, [1], of_query=2, calibration=calibration, seed=(5,))
        effect = draw_run_effect(20_000, seed=(run, 0))
        sizes = Sigmas(1.5, 0.0, common)
        row = [[0.5, 0, 0.5]]
        drawn.append(draw_response(row, effect, sizes=sizes, common=shared, vital=[0.0], seed=(run, 1))[:, 0])
    assert np.corrcoef(*drawn)[0, 1] > 0.04
    assert np.var(drawn[0] - drawn[1]) < 0.96 * 2 * np.var(drawn[0])


def test_the_effects_of_nugs_do_not_depend_on_which_of_them_are_uncertain() -> None:
    none = np.zeros((5, 3))
    whole = draw_common(5, [0, 1, 2], of_query=3, calibration=none, seed=(1,))
    some = draw_common(5, [2, 0], of_query=3, calibration=none, seed=(1,))
    assert (some.nugs == whole.nugs[:, [2, 0]]).all()
    assert (some.query == whole.query).all()


def test_a_calibration_of_few_queries_has_long_tails() -> None:
    few, many = (draw_calibration(50_000, freedom=freedom, seed=(1,)).std() for freedom in (5.0, 200.0))
    assert many == pytest.approx(1.0, abs=0.02)
    assert few == pytest.approx(math.sqrt(5 / 3), rel=0.05)


@given(st.floats(0, 0.3), st.floats(0, 0.2), st.floats(0, 0.2), st.floats(0, 0.1))
def test_shares_and_sizes_say_the_same(nug: float, query: float, response: float, run: float) -> None:
    shares = ErrorShares(nug=nug, query=query, response=response, run=run)
    again = shares_of(sizes_of(shares, CommonErrors()))
    for name in ("nug", "query", "response", "run"):
        assert getattr(again, name) == pytest.approx(getattr(shares, name), abs=1e-9)
    assert again.own == pytest.approx(1 - nug - query - response - run)
