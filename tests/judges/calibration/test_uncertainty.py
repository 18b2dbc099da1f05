from __future__ import annotations

import math

import numpy as np
import pytest

from builders.simulated import simulated, with_judgements
from karat.judges.calibration.priors import PRIOR_CORRELATIONS, PRIOR_QUERIES
from karat.judges.calibration.uncertainty import FEW_QUERIES, shrunk_shares
from karat.judges.errors.correlations import ErrorCorrelations
from karat.judges.judge import Judging, judge_collection

JUDGE = "nuggeteer(n=2,stem=none,stop=keep,unit=snippet)"


def judging_of(queries: int) -> Judging:
    truth = simulated(queries=14, runs=12, noise=0.3, seed=2)
    names = {f"q{at}" for at in range(queries)}
    return judge_collection(
        with_judgements(truth, [one for one in truth.judgements if one.query_id in names]), judge=JUDGE
    )


def test_the_fewer_queries_are_labelled_the_less_sure_is_the_calibration() -> None:
    few, more = judging_of(3), judging_of(12)
    assert few.common.calibration[0][0] > 1.5 * more.common.calibration[0][0]
    assert few.common.freedom == 3 - 1 + PRIOR_QUERIES
    assert more.common.freedom == 12 - 1 + PRIOR_QUERIES


def test_few_labelled_queries_are_told() -> None:
    told = f"label {FEW_QUERIES} queries or more"
    assert any("calibrated on labels of 3 queries" in note and told in note for note in judging_of(3).notes)
    assert not any(told in note for note in judging_of(8).notes)


def test_correlations_lean_on_other_collections() -> None:
    none = shrunk_shares(ErrorCorrelations(math.nan, math.nan, math.nan, math.nan), queries=4, runs=9)
    assert none.nug + none.query == pytest.approx(PRIOR_CORRELATIONS.nug)
    assert none.response + none.query + none.run == pytest.approx(PRIOR_CORRELATIONS.response)
    fitted = ErrorCorrelations(nug=0.5, query=0.1, response=0.3, run=-0.1)
    few, many = (shrunk_shares(fitted, queries=size, runs=size) for size in (3, 3000))
    assert few.query == pytest.approx((0.1 + PRIOR_CORRELATIONS.query) / 2)
    assert (many.nug, many.query, many.response) == pytest.approx((0.4, 0.1, 0.2), abs=0.002)
    assert 0 <= many.run < few.run  # a negative correlation counts as none
    assert np.isfinite([few.own, many.own]).all()
