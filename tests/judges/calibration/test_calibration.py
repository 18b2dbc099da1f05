from __future__ import annotations

import numpy as np
import pytest

from karat.judges.calibration.calibration import Calibration, StepCurve, fixed
from karat.judges.calibration.labelled import Labelled
from karat.model import UsageError


def test_a_fixed_threshold_is_certain() -> None:
    calibration = fixed(0.6)
    assert calibration.probabilities([0.2, 0.6]).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert np.isnan(calibration.probabilities([np.nan])).all()
    assert calibration.settings() == {"thr": "0.6"}


def test_between_its_two_cuts_a_score_is_partial() -> None:
    calibration = Calibration(partial=StepCurve(0.3), full=StepCurve(0.6), described=())
    assert calibration.probabilities([0.2, 0.3, 0.6]).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_full_gives_way_where_the_curves_cross() -> None:
    crossing = Calibration(partial=StepCurve(0.5), full=StepCurve(0.2), described=())
    assert crossing.probabilities([0.3]).tolist() == [[1, 0, 0]]


def test_no_scores_give_no_rows() -> None:
    assert fixed(0.5).probabilities([]).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fixed(float("nan")), "threshold=nan is not a number"),
        (lambda: fixed(0.5).probabilities([[0.5]]), "a vector is needed"),
        (lambda: fixed(0.5).probabilities([0.5], nug=[1, 2]), "nug has 2 codes for 1 scores"),
        (lambda: fixed(0.5).probabilities([0.5], question=[0.5]), "integer codes"),
        (lambda: fixed(0.5).probabilities([0.5], covariates=[[1], [2]]), "1 rows are needed"),
        (lambda: fixed(0.5).probabilities([0.5], covariates=[np.nan]), "covariates must be finite"),
        (lambda: Labelled([0.5], [0.7], [0], [0]), "degree 0.7 is not one of 0, 0.5, 1"),
        (lambda: Labelled([0.5], [1, 0], [0], [0]), "vectors of one length"),
        (lambda: Labelled([0.5], [1], [[0]], [0]), "question has the shape"),
    ],
)
def test_what_cannot_be_is_refused(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]


def test_pairs_without_score_or_degree_are_unknown() -> None:
    labelled = Labelled([0.1, np.nan, 0.3], [1, 0, np.nan], [0, 0, 1], [0, 1, 2])
    assert labelled.known.tolist() == [True, False, False]
    assert labelled.only_known().nug.tolist() == [0]
