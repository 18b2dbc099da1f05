from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from karat.judges.calibration.labelled import Labelled
from karat.judges.errors.run_error import draw_response
from karat.judges.errors.shared_error import fit_cell_effect, shifted_logits
from karat.model import UsageError

ROWS = np.array([[0.7, 0.1, 0.2], [0.2, 0.3, 0.5], [0.05, 0.0, 0.95], [1, 0, 0], [0, 0, 1], [0.5, 0.5, 0]])


def with_degrees(degrees: np.ndarray) -> Labelled:
    zeros = np.zeros(len(degrees), dtype=int)
    return Labelled(zeros, degrees, zeros, zeros)


def draw_degrees(rows: object, cell: object, *, sigma: float, draws: int, seed: int) -> np.ndarray:
    """Degrees (draws x pairs) as scores draw them, response by response."""
    rows, cell = np.asarray(rows, float), np.asarray(cell)
    drawn = np.empty((draws, len(rows)))
    for number in np.unique(cell):
        own = cell == number
        drawn[:, own] = draw_response(rows[own], np.zeros(draws), sigma=sigma, run_sigma=0, seed=(seed, int(number)))
    return drawn


@pytest.mark.parametrize("sigma", [0.0, 0.3, 1.0, 3.0])
def test_the_mean_over_the_effect_is_the_probability(sigma: float) -> None:
    wanted = np.array([1e-3, 0.2, 0.5, 0.97])
    for probability, logit in zip(wanted, shifted_logits(wanted, sigma=sigma), strict=True):
        mean = quad(lambda z, a=logit: expit(a + sigma * z) * math.exp(-z * z / 2), -10, 10, points=[-3, 0, 3])[0]
        assert mean / math.sqrt(2 * math.pi) == pytest.approx(probability, rel=1e-5)
    assert shifted_logits([0.0, 1.0], sigma=sigma).tolist() == [-math.inf, math.inf]


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


@pytest.mark.parametrize("sigma", [0.0, 0.6, 1.5])
def test_sigma_is_recovered(sigma: float) -> None:
    random = np.random.default_rng(7)
    rows = random.dirichlet([1.0, 0.3, 0.8], 12_000)
    cell = np.arange(12_000) % 800
    degrees = draw_degrees(rows, cell, sigma=sigma, draws=1, seed=8)[0]
    assert fit_cell_effect(with_degrees(degrees), rows, cell) == pytest.approx(sigma, abs=0.2)


def test_without_two_pairs_in_a_cell_sigma_is_undefined() -> None:
    rows = np.tile([[0.5, 0.2, 0.3]], (3, 1))
    assert math.isnan(fit_cell_effect(with_degrees(np.array([0, 1, 0.5])), rows, [0, 1, 2]))
    assert math.isnan(fit_cell_effect(with_degrees(np.array([0, np.nan, 0.5])), rows, [0, 0, 1]))
    assert math.isnan(fit_cell_effect(with_degrees(np.array([])), np.empty((0, 3)), np.empty(0, dtype=int)))


def test_certain_and_impossible_degrees_have_no_part_in_sigma() -> None:
    certain = np.tile([[1.0, 0.0, 0.0]], (4, 1))
    assert math.isnan(fit_cell_effect(with_degrees(np.array([0, 0, 1, 1])), certain, [0, 0, 0, 0]))


def test_cells_that_are_all_of_one_kind_have_the_largest_sigma() -> None:
    rows = np.tile([[0.5, 0.0, 0.5]], (400, 1))
    cell = np.arange(400) // 20
    assert fit_cell_effect(with_degrees((cell % 2).astype(float)), rows, cell) == 5.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shifted_logits([1.5], sigma=1), "between 0 and 1"),
        (lambda: shifted_logits([0.5], sigma=math.nan), "sigma=nan"),
        (lambda: shifted_logits([0.5], sigma=9), "between 0 and 5"),
        (lambda: fit_cell_effect(with_degrees(np.array([1.0])), [0.5], [0]), "rows of"),
        (lambda: fit_cell_effect(with_degrees(np.array([1.0])), [[0.5, 0.5, 0.5]], [0]), "sum 1"),
        (
            lambda: fit_cell_effect(with_degrees(np.array([1.0])), ROWS, [0] * 6),
            "1 labelled pairs, but 6 probabilities",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]
