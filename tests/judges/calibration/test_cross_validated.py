from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from karat.judges.calibration.cross_validated import best_threshold, fit_cross_validated
from karat.judges.calibration.labelled import Labelled
from karat.model import UsageError

SKLEARN = {"kappa": metrics.cohen_kappa_score, "f1": metrics.f1_score, "accuracy": metrics.accuracy_score}
both_kinds = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 1)), min_size=2, max_size=12).filter(
    lambda found: {label for _, label in found} == {0, 1}
)


@pytest.mark.parametrize("criterion", SKLEARN)
@given(pairs=both_kinds)
def test_no_cut_is_better(criterion: str, pairs: list[tuple[int, int]]) -> None:
    scores, positives = np.array(pairs, dtype=float).T
    found = best_threshold(scores, positives, criterion)

    def quality(threshold: float) -> float:
        return SKLEARN[criterion](positives, (scores >= threshold).astype(float))

    every = [quality(cut) for cut in (*np.unique(scores), math.inf)]
    assert found.value == pytest.approx(max(every), abs=1e-12)
    assert quality(found.threshold) == pytest.approx(found.value, abs=1e-12)


def test_the_middle_of_a_plateau_is_taken() -> None:
    # Any threshold in (0.2, 0.6] is right for all four.
    assert best_threshold([0.0, 0.2, 0.6, 0.8], [0, 0, 1, 1], "accuracy").threshold == pytest.approx(0.4)
    # Any threshold in (0.2, 0.8] is right for three of four.
    assert best_threshold([0.2, 0.4, 0.4, 0.8], [0, 1, 0, 1], "accuracy").threshold == pytest.approx(0.5)


def test_between_neighbouring_floats_the_upper_one_is_the_threshold() -> None:
    low = 0.3
    high = np.nextafter(low, 1)
    assert best_threshold([low, high], [0, 1]).threshold == high


def test_never_is_a_threshold() -> None:
    assert best_threshold([0.1, 0.9, 0.9], [0, 0, 1], "accuracy").threshold > 0.1
    assert best_threshold([0.9, 0.9, 0.9], [0, 0, 1], "accuracy").threshold == math.inf


@pytest.mark.parametrize(("scores", "labels"), [([], []), ([0.1, 0.2], [1, 1]), ([0.1], [0]), ([np.nan, 0.1], [1, 0])])
def test_one_kind_of_label_has_no_best_kappa(scores: list[float], labels: list[float]) -> None:
    found = best_threshold(scores, labels)
    assert math.isnan(found.threshold)
    assert math.isnan(found.value)


def pairs_of(groups: int, *, seed: int, three_way: bool = False) -> tuple[Labelled, np.ndarray]:
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups) * 3, 20)
    scores = random.random(len(group)).round(2)
    noisy = scores + 0.1 * random.normal(size=len(group))
    degrees = np.where(noisy > 0.7, 1.0, np.where(three_way & (noisy > 0.4), 0.5, 0.0))
    return Labelled(scores, degrees, group, np.arange(len(group)) % 5), group


@pytest.mark.parametrize("criterion", SKLEARN)
def test_a_group_is_judged_by_the_others(criterion: str) -> None:
    labelled, group = pairs_of(6, seed=1, three_way=True)
    found = fit_cross_validated(labelled, groups=group, criterion=criterion)
    assert found.groups.tolist() == [0, 3, 6, 9, 12, 15]
    for place, code in enumerate(found.groups):
        others = group != code
        full = best_threshold(labelled.scores[others], labelled.degrees[others] == 1, criterion).threshold
        partial = best_threshold(labelled.scores[others], labelled.degrees[others] >= 0.5, criterion).threshold
        assert found.thresholds[place] == full
        assert found.partial_thresholds[place] == min(partial, full)
        own = found.decisions[~others]
        assert ((own == 1) == (labelled.scores[~others] >= full)).all()
        assert ((own > 0) == (labelled.scores[~others] >= min(partial, full))).all()
    threshold = best_threshold(labelled.scores, labelled.degrees == 1, criterion).threshold
    assert found.calibration.decide([threshold, threshold - 0.01]).tolist() == [1, 0.5]
    assert found.calibration.settings() == {"thr": "cv", "crit": criterion, "cut": f"{threshold:.6g}"}


def test_a_groups_own_labels_have_no_say() -> None:
    labelled, group = pairs_of(4, seed=2)
    turned = Labelled(
        labelled.scores, np.where(group == 3, 1 - labelled.degrees, labelled.degrees), labelled.question, labelled.nug
    )
    before, after = (fit_cross_validated(of, groups=group) for of in (labelled, turned))
    assert before.thresholds[1] == after.thresholds[1]
    assert before.partial_thresholds is None


def test_where_the_others_say_nothing_the_decision_is_undefined() -> None:
    labelled = Labelled([0.1, 0.9, 0.5, np.nan], [0, 1, np.nan, 1], [0, 0, 0, 0], [0, 1, 2, 3])
    alone = fit_cross_validated(labelled, groups=[0, 0, 0, 0])
    assert np.isnan(alone.thresholds).all()
    assert np.isnan(alone.decisions).all()
    two = fit_cross_validated(labelled, groups=[0, 0, 1, 1])
    assert two.decisions.tolist()[2] == 1.0
    assert np.isnan(two.decisions[[0, 1, 3]]).all()


def test_without_a_zero_partial_has_no_threshold_of_its_own() -> None:
    found = fit_cross_validated(Labelled([0.1, 0.9], [0.5, 1], [0, 1], [0, 1]), groups=[0, 1])
    assert found.calibration.decide([0.1, 0.9]).tolist() == [0, 1]


def test_what_cannot_be_fitted_is_refused() -> None:
    empty = Labelled([], [], [], [])
    one_kind = Labelled([0.1, 0.2], [1, 1], [0, 0], [0, 1])
    with pytest.raises(UsageError, match="no labelled pair"):
        fit_cross_validated(empty, groups=[])
    with pytest.raises(UsageError, match="both nugs found and nugs missed"):
        fit_cross_validated(one_kind, groups=[0, 1])
    with pytest.raises(UsageError, match="1 groups for 2"):
        fit_cross_validated(one_kind, groups=[0])
    with pytest.raises(UsageError, match="not one of kappa, f1, accuracy"):
        best_threshold([0.1], [1], "tau")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="positives must be 0 or 1"):
        best_threshold([0.1], [0.5])
    with pytest.raises(UsageError, match="1 scores and 2 positives"):
        best_threshold([0.1], [0, 1])
