from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.judges.errors.run_error import draw_response, draw_run_effect


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
    drawn = draw_response([row], effect, sigma=sigma, run_sigma=run_sigma, seed=(seed, 1))[:, 0]
    assert (drawn == 1).mean() == pytest.approx(full, abs=0.025)
    assert (drawn == 0).mean() == pytest.approx(row[0], abs=0.025)


def test_responses_of_one_run_share_its_effect() -> None:
    effect = draw_run_effect(5000, seed=(3,))
    first, second = (draw_response([[0.5, 0, 0.5]], effect, sigma=0, run_sigma=2, seed=(at,))[:, 0] for at in (1, 2))
    unshared, other = (draw_response([[0.5, 0, 0.5]], effect, sigma=2, run_sigma=0, seed=(at,))[:, 0] for at in (1, 2))
    assert np.corrcoef(first, second)[0, 1] > 0.2
    assert abs(np.corrcoef(unshared, other)[0, 1]) < 0.06
