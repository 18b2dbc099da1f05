from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from karat.judges.calibration.best_threshold import best_threshold
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
    threshold = best_threshold(scores, labels)
    assert math.isnan(threshold.threshold)
    assert math.isnan(threshold.value)


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(UsageError, match="not one of kappa, f1, accuracy"):
        best_threshold([0.1], [1], "tau")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="positives must be 0 or 1"):
        best_threshold([0.1], [0.5])
    with pytest.raises(UsageError, match="1 scores but 2 positives"):
        best_threshold([0.1], [0, 1])
