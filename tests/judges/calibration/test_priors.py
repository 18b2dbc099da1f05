from __future__ import annotations

import math

import numpy as np
import pytest

from builders.simulated import simulated, unlabelled
from karat.evaluate.compare.compare import compare_collection
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.score.score import score_collection
from karat.evaluate.tables.tabulating import tabulated
from karat.formats import load
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import ExpectedSlope, LogisticCurve, fit_logistic
from karat.judges.calibration.priors import BETWEEN, BETWEEN_FREEDOM, PRIORS, Between, expected_slope
from karat.judges.calibration.uncertainty import prior_sizes, unlabelled_sizes
from karat.judges.judge import judge_collection
from karat.measures.cases.saved_fields import CommonErrors
from karat.model import Collection, Judgement

ONLY_LEVEL, ONLY_SLOPE = Between(0.0, 0.5, 0.0), Between(0.0, 0.0, 0.4)


def judged(chances: np.ndarray) -> list[dict[str, object]]:
    """A program's judgements with these P(full) (runs, queries, nugs)."""
    _, queries, nugs = chances.shape
    rows: list[dict[str, object]] = [
        {"kind": "nug", "query_id": f"q{query}", "nug_id": str(nug), "descriptions": ["it"]}
        for query in range(queries)
        for nug in range(nugs)
    ]
    for (run, query, nug), chance in np.ndenumerate(chances):
        full = float(chance)
        given = {"0": round(1 - full, 4), "0.5": 0.0, "1": round(full, 4)}
        rows.append(
            {
                "kind": "judgement", "query_id": f"q{query}", "run_id": f"r{run}", "nug_id": str(nug),
                "judge": "lexical", "degree": float(full >= 0.5), "probabilities": given,
            }
        )  # fmt: skip
    return rows


def spread_of(between: Between, chances: np.ndarray) -> tuple[float, float]:
    """The standard deviations of the first run's score and of the difference of two runs, by the calibration only."""
    drawn = tabulated(load(judged(chances)), measures="strict_all")
    assert drawn.cases is not None
    common = CommonErrors(calibration=between.covariance(), freedom=50.0)
    error = judge_error(drawn.cases, drawn.tables, seed=0, sigma=0.0, run_sigma=0.0, common=common)
    lasting = JudgeDifferences.of(error, 0, [0, 1]).lasting
    return math.sqrt(lasting[0, 0]), math.sqrt(lasting[0, 0] + lasting[1, 1] - 2 * lasting[0, 1])


def test_the_covariance_is_that_of_level_and_slope() -> None:
    covariance = np.array(BETWEEN.covariance())
    for z in (-2.0, BETWEEN.centre, 1.0):
        expected = BETWEEN.level**2 + BETWEEN.slope**2 * (z - BETWEEN.centre) ** 2
        given = np.array([1.0, z, 0.0])
        assert given @ covariance @ given == pytest.approx(expected, abs=1e-6)
    assert np.linalg.cholesky(covariance).shape == (3, 3)


def test_a_judge_whose_spread_is_not_known_has_that_of_lexical() -> None:
    given = type(PRIORS["lexical"])(LogisticCurve(0.0, (1.0,)), LogisticCurve(0.5, (1.0,)))
    assert given.between == PRIORS["lexical"].between


@pytest.mark.parametrize("name", PRIORS)
def test_without_labels_the_calibration_may_be_wrong(name: str) -> None:
    sizes = prior_sizes(name)
    assert sizes.common.freedom == BETWEEN_FREEDOM
    assert sizes.common.calibration == PRIORS[name].between.covariance()
    assert sizes.run_sigma > unlabelled_sizes(1.0, Between(0.0, 0.0, 0.0), BETWEEN_FREEDOM).run_sigma


def test_an_error_of_the_level_cancels_in_a_difference_and_one_of_the_slope_does_not() -> None:
    random = np.random.default_rng(1)
    good, poor = random.uniform(0.6, 0.95, (12, 6)), random.uniform(0.05, 0.4, (12, 6))
    of_score, of_difference = spread_of(ONLY_LEVEL, np.stack([good, poor]))
    assert of_difference < 0.4 * of_score
    of_score, of_difference = spread_of(ONLY_SLOPE, np.stack([good, poor]))
    assert of_difference > 1.5 * of_score


def test_unlabelled_scores_have_wide_intervals_and_keep_their_values() -> None:
    collection = unlabelled(simulated(queries=12, runs=3, noise=0.3, seed=4))
    judging = judge_collection(collection, judge="lexical")
    others = [record for record in collection if not isinstance(record, Judgement)]
    records = Collection([*others, *judging.judgements])
    sizes = {"sigma": judging.sigma, "run_sigma": judging.run_sigma}
    sure = CommonErrors(nug=judging.common.nug, query=judging.common.query)
    wide, narrow = (
        score_collection(records, measures="strict_all", common=common, **sizes).of_all()
        for common in (judging.common, sure)
    )
    for one, other in zip(wide, narrow, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-9)
        assert one.judge_low is not None
        assert one.judge_high is not None
        assert other.judge_low is not None
        assert other.judge_high is not None
        assert one.judge_high - one.judge_low > 1.5 * (other.judge_high - other.judge_low)
        assert one.low is not None
        assert one.low <= one.judge_low


def test_claims_about_unlabelled_runs_know_that_the_slope_may_be_wrong() -> None:
    random = np.random.default_rng(2)
    near, far = random.uniform(0.35, 0.62, (15, 6)), random.uniform(0.28, 0.52, (15, 6))
    rows = load(judged(np.stack([near, far])))
    p = [
        compare_collection(
            rows, measures="strict_all", sigma=1.0, run_sigma=0.0,
            common=CommonErrors(calibration=between.covariance(), freedom=5.0),
        ).measures[0].differences[0].p
        for between in (Between(0.0, 0.01, 0.01), Between(-0.15, 0.01, 0.9))
    ]  # fmt: skip
    assert (p[0] or 0.0) < (p[1] or 0.0)


def test_what_only_stretches_differences_is_not_in_tests_of_equal_runs() -> None:
    random = np.random.default_rng(1)
    good, poor = random.uniform(0.6, 0.95, (12, 6)), random.uniform(0.05, 0.4, (12, 6))
    drawn = tabulated(load(judged(np.stack([good, poor, np.zeros((12, 6))]))), measures="strict_all")
    assert drawn.cases is not None
    common = CommonErrors(calibration=Between(0.0, 0.1, 0.2).covariance(), freedom=50.0)
    error = judge_error(drawn.cases, drawn.tables, seed=0, sigma=0.5, run_sigma=0.1, common=common)
    whole, equal = (error.lasting(0, equal_runs=equal) for equal in (False, True))
    spread = [np.array([1.0, -1.0, 0.0]) @ each @ np.array([1.0, -1.0, 0.0]) for each in (whole, equal)]
    assert 0 < spread[1] < 0.5 * spread[0]
    # The error of a run stays.
    assert np.diag(equal)[0] > 0


def test_labels_of_one_score_say_nothing_about_the_slope() -> None:
    scores, degrees = [0.1, 0.1, 0.11, 0.1] * 10, [1.0, 0.0, 0.0, 1.0] * 10
    codes = [0] * 40
    expected = ExpectedSlope(1.0, 0.4)
    curve = fit_logistic(Labelled(scores, degrees, codes, codes), expected=expected).full
    assert isinstance(curve, LogisticCurve)
    assert curve.slopes[0] == pytest.approx(1.0, abs=0.2)
    # Many labels of all scores decide by themselves.
    random = np.random.default_rng(0)
    many = random.normal(size=4000)
    contained = (random.random(4000) < 1 / (1 + np.exp(-2.5 * many))).astype(float)
    plain, drawn = (
        fit_logistic(Labelled(many, contained, np.zeros(4000, int), np.zeros(4000, int)), expected=given).full
        for given in (None, expected)
    )
    assert isinstance(plain, LogisticCurve)
    assert isinstance(drawn, LogisticCurve)
    assert drawn.slopes[0] == pytest.approx(plain.slopes[0], abs=0.08)


def test_labels_that_a_judge_is_least_sure_of_do_not_turn_its_curve_around() -> None:
    """Importance is unknown here, so that the score and its product with the importance say the same."""
    scores = np.tile(np.linspace(-0.3, 0.3, 10), 6)
    # By chance, people said "no" a little more often to the higher scores.
    degrees = (np.arange(60) % 10 < 5).astype(float)
    degrees[::7] = 1 - degrees[::7]
    codes = np.zeros(60, int)
    covariates = np.column_stack([np.full(60, 0.5), 0.5 * scores])
    labelled = Labelled(scores, degrees, codes, codes)
    plain, drawn = (
        fit_logistic(labelled, covariates=covariates, expected=given).probabilities(
            [-2.0, 2.0], covariates=[[0.5, -1.0], [0.5, 1.0]]
        )[:, 2]
        for given in (None, ExpectedSlope(1.1, 0.4, (1.0, 0.0, 0.5)))
    )
    assert plain[0] > plain[1]
    assert drawn[0] < 0.4 < 0.6 < drawn[1]


def test_the_expected_slope_is_steeper_than_the_mean_curve() -> None:
    found = expected_slope("lexical")
    assert found.mean > PRIORS["lexical"].full.slopes[0]
    assert 0 < found.sd < found.mean
