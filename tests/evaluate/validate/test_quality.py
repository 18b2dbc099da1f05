from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from karat.evaluate.validate.quality import auc, brier, calibration_table, kappa_f1, log_loss
from karat.model import UsageError

eighths = st.integers(0, 8).map(lambda n: n / 8)
both_kinds = st.lists(st.tuples(eighths, st.integers(0, 1)), min_size=2, max_size=20).filter(
    lambda found: {label for _, label in found} == {0, 1}
)


@given(both_kinds)
def test_probabilities_are_measured_as_sklearn_does(pairs: list[tuple[float, int]]) -> None:
    p, y = np.array(pairs).T
    assert brier(p, y) == pytest.approx(metrics.brier_score_loss(y, p), abs=1e-12)
    assert log_loss(p, y) == pytest.approx(metrics.log_loss(y, np.clip(p, 1e-15, 1 - 1e-15)), rel=1e-9)
    assert auc(p, y) == pytest.approx(metrics.roc_auc_score(y, p), abs=1e-12)


@given(both_kinds)
def test_decisions_are_measured_as_sklearn_does(pairs: list[tuple[float, int]]) -> None:
    p, y = np.array(pairs).T
    said = (p >= 0.5).astype(float)
    found = kappa_f1(said, y)
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(y, said), abs=1e-12)
    assert found.f1 == pytest.approx(metrics.f1_score(y, said), abs=1e-12)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, said), abs=1e-12)
    if said.any():
        assert found.precision == pytest.approx(metrics.precision_score(y, said), abs=1e-12)
    else:
        assert math.isnan(found.precision)
    assert found.recall == pytest.approx(metrics.recall_score(y, said), abs=1e-12)
    counts = [found.true_negative, found.false_positive, found.false_negative, found.true_positive]
    assert counts == metrics.confusion_matrix(y, said, labels=[0, 1]).ravel().tolist()


def test_the_calibration_table_sets_what_was_said_beside_what_was_so() -> None:
    empty, low, high = calibration_table([0.4, 0.5, 0.8, 1.0, 0.9], [1, 0, 1, 1, np.nan], bins=3)
    assert (empty.pairs, math.isnan(empty.probability), math.isnan(empty.share)) == (0, True, True)
    assert (low.pairs, low.probability, low.share) == (2, pytest.approx(0.45), 0.5)
    assert (high.low, high.high, high.pairs, high.share) == (pytest.approx(2 / 3), 1.0, 2, 1.0)
    assert high.probability == pytest.approx(0.9)


def test_pairs_without_a_label_are_left_out() -> None:
    assert brier([0.5, 0.9], [1, np.nan]) == 0.25
    assert auc([0.1, 0.9, np.nan, 0.3], [0, 1, 1, np.nan]) == 1.0


def test_without_pairs_nothing_is_defined() -> None:
    found = kappa_f1([], [])
    assert all(math.isnan(value) for value in (brier([], []), log_loss([], []), auc([], []), found.kappa, found.f1))
    assert math.isnan(auc([0.1, 0.2], [1, 1]))
    assert math.isnan(kappa_f1([1, 1], [1, 1]).kappa)
    assert calibration_table([], [], bins=1)[0].pairs == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: brier([0.5], [1, 0]), "1 probabilities and 2 labels"),
        (lambda: brier([1.5], [1]), "between 0 and 1"),
        (lambda: auc([0.5], [0.5]), "labels must be 0 or 1"),
        (lambda: kappa_f1([0.5], [1]), "decisions must be 0 or 1"),
        (lambda: calibration_table([0.5], [1], bins=0), "bins=0"),
        (lambda: auc([[0.5]], [1]), "a vector is needed"),
        (lambda: auc([math.inf], [1]), "scores must be finite"),
        (lambda: auc(["many"], [1]), "scores must be numbers"),
    ],
)
def test_what_cannot_be_measured_is_refused(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]
