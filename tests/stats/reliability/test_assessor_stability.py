from __future__ import annotations

import numpy as np
import pytest

from karat.model import UsageError
from karat.stats.reliability.assessor_stability import AssessorStability, by_assessors

# Three assessors score two runs on two questions; the last one prefers the second run, all together the first.
VOTES = np.array([[[0.9, 0.8], [0.1, 0.3]], [[0.9, 0.7], [0.2, 0.3]], [[0.4, 0.5], [0.6, 0.8]]])


def panel_mean(panel: np.ndarray) -> np.ndarray:
    return np.asarray(VOTES[panel].mean(axis=0))


def test_every_panel_is_taken_once_where_they_are_few() -> None:
    seen: list[tuple[int, ...]] = []

    def recorded(panel: np.ndarray) -> np.ndarray:
        seen.append(tuple(panel.tolist()))
        return panel_mean(panel)

    one, two, three = by_assessors(recorded, 3, sizes=[1, 2, 3])
    assert seen == [(0, 1, 2), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert (one.swapped, one.tied, one.panels, one.pairs) == (pytest.approx(1 / 3), 0, 3, 1)
    assert (two.swapped, two.panels) == (0, 3)
    assert (three.swapped, three.panels) == (0, 1)


def test_panels_are_drawn_where_they_are_many() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(0, 0.2, (8, 1))
    votes = true + rng.normal(0, 0.5, (9, 8, 20)) + rng.normal(0, 0.3, (9, 8, 1))
    found = by_assessors(lambda panel: votes[panel].mean(axis=0), 9, sizes=[1, 4, 8], trials=12, seed=3)
    assert [part.panels for part in found] == [9, 12, 9]
    swapped = [part.swapped for part in found]
    assert swapped == sorted(swapped, reverse=True)  # type: ignore[type-var]
    assert found == by_assessors(lambda panel: votes[panel].mean(axis=0), 9, sizes=[1, 4, 8], trials=12, seed=3)


def test_larger_panels_with_less_noise_tell_more_runs_apart() -> None:
    rng = np.random.default_rng(1)
    votes = rng.normal(0, 0.2, (6, 1)) + rng.normal(0, 1.0, (9, 6, 30))
    one, nine = by_assessors(lambda panel: votes[panel].mean(axis=0), 9, sizes=[1, 9])
    assert one.share_different is not None
    assert nine.share_different is not None
    assert one.share_different < nine.share_different


def test_one_run_has_no_order() -> None:
    (found,) = by_assessors(lambda panel: np.ones((1, 4)), 2, sizes=[1])
    assert found == AssessorStability(
        size=1, panels=2, pairs=0, swapped=None, tied=None, low=None, high=None, share_different=None
    )


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot draw 4 assessors: sizes must be from 1 to 3 here"):
        by_assessors(panel_mean, 3, sizes=[4])
    with pytest.raises(UsageError, match=r"shape \(runs, queries\)"):
        by_assessors(lambda panel: np.ones(4), 3, sizes=[1])
    with pytest.raises(UsageError, match="a panel has scores of 1 runs, but the full panel of 2"):
        by_assessors(lambda panel: np.ones((2 if len(panel) == 3 else 1, 4)), 3, sizes=[1])
