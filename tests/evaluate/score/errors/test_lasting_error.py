from __future__ import annotations

import numpy as np
import pytest

from karat.evaluate.score.errors.lasting_error import (
    MOST_FACTOR,
    common_factors,
    means_of_known,
    slopes_of,
    slopes_of_cells,
)

RANDOM = np.random.default_rng(0)
EFFECTS = RANDOM.standard_normal((500, 2))


def test_slopes_are_those_that_were_put_in() -> None:
    totals = 0.5 + 0.1 * EFFECTS[:, 0] - 0.03 * EFFECTS[:, 1]
    assert slopes_of(totals, EFFECTS) == pytest.approx([0.1, -0.03], rel=0.1)
    cells = np.column_stack([totals, 2 * totals, np.full(500, np.nan)])
    found = slopes_of_cells(cells, EFFECTS)
    assert found[1] == pytest.approx(2 * found[0])
    assert found[2].tolist() == [0.0, 0.0]


def test_certain_scores_do_not_move() -> None:
    assert slopes_of(np.array([0.5]), EFFECTS[:1]).tolist() == [0.0, 0.0]
    assert slopes_of_cells(np.array([[0.5, 0.6]]), EFFECTS[:1]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert slopes_of(np.full(500, np.nan), EFFECTS).tolist() == [0.0, 0.0]


def test_a_factor_is_what_all_differences_share() -> None:
    values = RANDOM.random(200)
    slopes = np.column_stack([0.3 * values, 0.07 + 0.2 * values, np.full(200, 0.1)])
    # The first effect is that of a run.
    assert common_factors(values, slopes) == pytest.approx([0.0, 0.2, 0.0], abs=1e-9)
    assert common_factors(values, 10 * slopes)[1] == MOST_FACTOR
    assert common_factors(np.full(3, 0.5), slopes[:3]).tolist() == [0.0, 0.0, 0.0]
    assert common_factors(np.full(3, np.nan), slopes[:3]).tolist() == [0.0, 0.0, 0.0]


def test_a_run_without_usable_scores_counts_as_nothing() -> None:
    assert means_of_known([np.array([0.2, 0.4]), np.full(2, np.nan)]).tolist() == pytest.approx([0.3, 0.0])
