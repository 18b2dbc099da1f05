from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate.simulated import simulated
from karat.evaluate.validate import draws as validation_draws
from karat.evaluate.validate.cross_validation import labelled_pairs
from karat.evaluate.validate.draws import (
    ErrorSizes,
    draw_run_scores,
    learn_error_sizes,
    round_robin,
    run_intervals,
)
from karat.judges.errors.run_error import draw_response, draw_run_effect
from karat.judges.pairs import Pairs
from karat.judges.registry import parse_judge

JUDGE = parse_judge("rouge(stem=none,unit=response)")


def pairs_of(**more: float) -> Pairs:
    return labelled_pairs(simulated(**more), JUDGE)[0]  # type: ignore[arg-type]


def sizes(pairs: Pairs, sigma: float, run_sigma: float) -> ErrorSizes:
    return ErrorSizes(np.zeros(len(pairs.scores), int), np.array([sigma]), np.array([run_sigma]))


def test_groups_go_to_folds_in_turn() -> None:
    assert round_robin(np.array([7, 7, 2, 9, 4, 2]), folds=3).tolist() == [2, 2, 0, 0, 1, 0]


def test_what_a_fold_is_drawn_with_has_not_seen_its_labels() -> None:
    pairs = pairs_of(queries=6, noise=0.35, seed=1)
    known = np.ones(len(pairs.scores), bool)
    before = learn_error_sizes(pairs, pairs.question, known)
    own = before.fold == 2
    other = pairs.degrees.copy()
    other[own] = 1 - other[own]
    changed = Pairs(pairs.queries, pairs.scores, other, pairs.question, pairs.nug, pairs.cell, pairs.vital)
    after = learn_error_sizes(changed, pairs.question, known)
    assert before.learned
    assert (before.sigma[2], before.run_sigma[2]) == (after.sigma[2], after.run_sigma[2])
    assert (np.delete(before.sigma, 2) != np.delete(after.sigma, 2)).any()


def test_calibrations_of_other_folds_leave_out_the_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of(queries=4, noise=0.3)
    seen: list[set[int]] = []
    plain = validation_draws.learn

    def keep(given: Pairs, use: np.ndarray, *, to_read: np.ndarray) -> object:
        seen.append(set(given.question[use].tolist()))
        assert seen[-1].isdisjoint(given.question[to_read].tolist())
        return plain(given, use, to_read=to_read)

    monkeypatch.setattr(validation_draws, "learn", keep)
    learn_error_sizes(pairs, pairs.question, np.ones(len(pairs.scores), bool))
    assert sorted(map(sorted, seen)) == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_with_two_groups_the_sizes_are_those_of_other_collections() -> None:
    pairs = pairs_of(queries=2, noise=0.3)
    found = learn_error_sizes(pairs, pairs.question, np.ones(len(pairs.scores), bool))
    assert not found.learned
    assert found.sigma.tolist() == [validation_draws.DEFAULT_SIGMA] * 2


def test_drawn_scores_are_the_expected_ones_on_the_mean() -> None:
    pairs = pairs_of(queries=3, runs=3, nugs=4)
    chance = np.tile([0.5, 0.2, 0.3], (len(pairs.scores), 1))
    drawn = draw_run_scores(pairs, chance, sizes(pairs, 1.0, 0.5), np.ones(len(chance), bool), draws=4000, seed=1)
    assert drawn.shape == (4000, 3)
    assert drawn.mean(axis=0) == pytest.approx([0.3] * 3, abs=0.02)
    # Independent: 12 pairs a run. Shared errors are wider.
    alone = draw_run_scores(pairs, chance, sizes(pairs, 0.0, 0.0), np.ones(len(chance), bool), draws=4000, seed=1)
    assert alone.std(axis=0) == pytest.approx([np.sqrt(0.21 / 12)] * 3, rel=0.1)
    assert (drawn.std(axis=0) > 1.2 * alone.std(axis=0)).all()


def test_pairs_out_of_use_and_runs_without_pairs_take_no_part() -> None:
    pairs = pairs_of(queries=2, runs=3, nugs=2)
    chance = np.tile([0.0, 0.0, 1.0], (len(pairs.scores), 1))
    chance[0] = [1.0, 0.0, 0.0]
    use = np.ones(len(chance), bool)
    use[0] = False
    use[np.isin(pairs.cell, [2, 5])] = False
    drawn = draw_run_scores(pairs, chance, sizes(pairs, 1.0, 0.1), use, draws=10, seed=0)
    assert (drawn[:, :2] == 1).all()
    assert np.isnan(drawn[:, 2]).all()
    ends = run_intervals(drawn)
    assert (ends.low[0], ends.high[0]) == (1, 1)


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
    one, two = (draw_response([[0.5, 0, 0.5]], effect, sigma=0, run_sigma=2, seed=(at,))[:, 0] for at in (1, 2))
    alone, other = (draw_response([[0.5, 0, 0.5]], effect, sigma=2, run_sigma=0, seed=(at,))[:, 0] for at in (1, 2))
    assert np.corrcoef(one, two)[0, 1] > 0.2
    assert abs(np.corrcoef(alone, other)[0, 1]) < 0.06
