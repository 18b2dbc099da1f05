from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.threshold_models import best_model, compare_models, fit_bayesian, fit_noisy_threshold
from karat.model import UsageError

THRESHOLDS = ERRORS = ("dataset", "query", "nug")


def simulated(
    thresholds: np.ndarray, *, a_nug: int, seed: int, fp: float = 0.05, fn: float = 0.15, a_question: int = 10
) -> Labelled:
    """Scores are uniform; a pair is contained with 1 - fn from its nug's threshold on, with fp below."""
    random = np.random.default_rng(seed)
    nug = np.repeat(np.arange(len(thresholds)), a_nug)
    scores = random.random(len(nug))
    chance = np.where(scores >= thresholds[nug], 1 - fn, fp)
    return Labelled(scores, (random.random(len(nug)) < chance).astype(float), nug // a_question, nug)


def evidence(labelled: Labelled) -> dict[str, float]:
    return {row.name: row.log10_evidence for row in compare_models(labelled)}


def test_thresholds_of_nugs_are_found_and_errors_of_nugs_are_one_parameter_too_many() -> None:
    spread = np.random.default_rng(1).uniform(0.1, 0.9, 60)
    result = evidence(simulated(spread, a_nug=30, seed=2))
    assert list(result) == [
        "optimally biased coin",
        "global threshold",
        "per-question thresholds",
        "per-nug thresholds",
        "global threshold, per-question errors",
        "per-question errors and thresholds",
        "per-nug thresholds, per-question errors",
        "per-nug errors and thresholds",
    ]
    assert max(result, key=result.__getitem__) == "per-nug thresholds"
    # The order of Table 4.
    coin, data, question, nug, *_, errors = result.values()
    assert coin < data < question < errors < nug


def test_evidence_is_a_plain_number_that_can_be_written_as_json() -> None:
    rows = compare_models(simulated(np.full(4, 0.4), a_nug=10, seed=3))
    assert {type(value) for row in rows for value in (row.log10_evidence, row.log10_pooled)} == {float}


def test_one_threshold_is_found() -> None:
    result = evidence(simulated(np.full(60, 0.4), a_nug=30, seed=3))
    assert max(result, key=result.__getitem__) == "global threshold"


def test_thresholds_of_questions_are_found() -> None:
    result = evidence(simulated(np.repeat([0.15, 0.3, 0.45, 0.6, 0.75, 0.9], 10), a_nug=20, seed=4))
    assert max(result, key=result.__getitem__) == "per-question thresholds"


def test_error_rates_of_questions_are_found_and_only_where_they_differ() -> None:
    rates = [(0.02, 0.02), (0.3, 0.02), (0.02, 0.4), (0.3, 0.4)] * 2
    parts = [
        simulated(np.random.default_rng(at).uniform(0.2, 0.8, 10), a_nug=40, seed=at, fp=fp, fn=fn)
        for at, (fp, fn) in enumerate(rates)
    ]
    scores, degrees = (np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "degrees"))
    nug = np.concatenate([part.nug + 10 * at for at, part in enumerate(parts)])
    labelled = Labelled(scores, degrees, nug // 10, nug)
    best = best_model(labelled)
    assert (best.thresholds, best.errors) == ("nug", "query")
    of_full = fit_bayesian(labelled, thresholds="nug", errors="query")
    low = of_full.probabilities(np.full(8, -1.0), question=np.arange(8), nug=np.arange(8) * 10)[:, 2]
    assert low.tolist() == pytest.approx([fp for fp, _ in rates], abs=0.09)
    alike = best_model(simulated(np.random.default_rng(1).uniform(0.1, 0.9, 60), a_nug=30, seed=2))
    assert (alike.thresholds, alike.errors) == ("nug", "dataset")


def test_with_errors_of_their_own_questions_are_independent() -> None:
    random = np.random.default_rng(14)
    # The same scores in both questions: both have the same candidate thresholds.
    scores = np.tile(np.repeat(np.arange(12) / 12, 3), 2)
    nug = np.tile(np.arange(3), 24) + np.repeat([0, 3], 36)
    degrees = (random.random(72) < 0.2 + 0.6 * (scores > 0.5)).astype(float)
    both = evidence(Labelled(scores, degrees, nug // 3, nug))
    first, second = (
        evidence(Labelled(scores[part], degrees[part], nug[part] // 3, nug[part]))
        for part in (slice(0, 36), slice(36, 72))
    )
    for joint, alone in (
        ("per-nug thresholds, per-question errors", "per-nug thresholds"),
        ("per-question errors and thresholds", "global threshold"),
        ("per-nug errors and thresholds", "per-nug errors and thresholds"),
    ):
        assert both[joint] == pytest.approx(first[alone] + second[alone], abs=1e-3)


def test_scores_that_say_nothing_leave_the_coin() -> None:
    random = np.random.default_rng(5)
    nug = np.arange(600) % 20
    result = evidence(Labelled(random.random(600), (random.random(600) < 0.3).astype(float), nug // 5, nug))
    assert max(result, key=result.__getitem__) == "optimally biased coin"


def test_the_coin_has_the_share_as_its_bias() -> None:
    row = compare_models(Labelled([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0.5], [0] * 4, [0] * 4))[0]
    assert row.log10_evidence == pytest.approx(np.log10(0.25 * 0.75**3))
    assert str(row) == "optimally biased coin -1"
    half = compare_models(Labelled([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0.5], [0] * 4, [0] * 4), cut=0.5)[0]
    assert half.log10_evidence == pytest.approx(4 * np.log10(0.5))


def test_predictions_of_one_threshold_are_those_of_bayes_rule() -> None:
    labelled = Labelled([0.2, 0.8], [0, 1], [0, 0], [0, 0])
    # Candidates: 0.2, 0.8, never. P(labels | t) = B B / B(1, 2)^2, by hand: 1/6, 4/9, 1/6; posterior 3/14, 8/14, 3/14.
    found = fit_bayesian(labelled, thresholds="dataset").probabilities([0.2, 0.8])[:, 2]
    # t = 0.2: E(1 - fn) with one hit, one alarm is 3/5; t = 0.8: fp 1/4, 1 - fn 3/4; never: fp 2/5.
    low = 3 / 14 * 3 / 5 + 8 / 14 * 1 / 4 + 3 / 14 * 2 / 5
    high = 3 / 14 * 3 / 5 + 8 / 14 * 3 / 4 + 3 / 14 * 2 / 5
    assert found.tolist() == pytest.approx([low, high])


def test_a_nug_with_little_evidence_leans_on_the_others() -> None:
    thresholds = np.append(np.random.default_rng(6).normal(0.6, 0.03, 80), 0.6)
    labelled = simulated(thresholds, a_nug=40, seed=7)
    # Of the last nug only one pair is known: a stray that, taken alone, would speak for a low threshold.
    last = labelled.nug == 80
    first = np.flatnonzero(last)[0]
    scores, degrees = labelled.scores.copy(), labelled.degrees.copy()
    degrees[last] = np.nan
    scores[first], degrees[first] = 0.3, 1.0
    few = Labelled(scores, degrees, labelled.question, labelled.nug)
    fit = fit_bayesian(few, thresholds="nug")
    low, high = fit.probabilities([0.4, 0.8], nug=[80, 80])[:, 2]
    assert low < 0.2
    assert high > 0.75
    new = fit.probabilities([0.4, 0.8], nug=[999, 999])
    assert new == pytest.approx(fit.probabilities([0.4, 0.8]))
    assert fit_noisy_threshold(few.to_fit(), few.to_fit().degrees, thresholds="nug", errors="dataset").pooling > 0.8


def test_a_nug_with_much_evidence_keeps_its_own_threshold() -> None:
    thresholds = np.append(np.random.default_rng(6).normal(0.6, 0.03, 40), 0.2)
    fit = fit_bayesian(simulated(thresholds, a_nug=60, seed=8), thresholds="nug")
    of_full = fit.probabilities([0.3, 0.3], nug=[40, 3])[:, 2]
    assert (of_full >= 0.5).tolist() == [True, False]


def test_where_thresholds_differ_an_unseen_nug_has_a_smooth_curve() -> None:
    labelled = simulated(np.linspace(0.1, 0.9, 60), a_nug=40, seed=9)
    curve = fit_bayesian(labelled, thresholds="nug").probabilities(np.linspace(0, 1, 101))[:, 2]
    assert np.diff(curve).max() < 0.1
    assert curve[0] < 0.1
    assert curve[-1] > 0.8


def test_probabilities_hold_on_new_pairs() -> None:
    thresholds = np.random.default_rng(10).uniform(0.2, 0.8, 50)
    train, test = (simulated(thresholds, a_nug=40, seed=seed) for seed in (11, 12))
    chance = np.where(test.scores >= thresholds[test.nug], 0.85, 0.05)
    ideal = log_loss(test.degrees, chance)
    losses = [
        log_loss(
            test.degrees,
            fit_bayesian(train, thresholds=by).probabilities(test.scores, question=test.question, nug=test.nug)[:, 2],
        )
        for by in THRESHOLDS
    ]
    assert losses[2] < losses[1] < losses[0]
    assert losses[2] < ideal + 0.06


@pytest.mark.parametrize(("thresholds", "errors"), [*product(THRESHOLDS, ERRORS)])
@settings(max_examples=15, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(
            st.sampled_from([-2.0, 0.0, 0.1, 0.5, 0.50001, 7e5]), st.sampled_from([0, 0.5, 1]), st.integers(0, 3)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_labels_give_probabilities_that_rise_with_the_score(
    thresholds: str, errors: str, pairs: list[tuple[float, float, int]]
) -> None:
    scores, degrees, nug = (np.array(column) for column in zip(*pairs, strict=True))
    fit = fit_bayesian(Labelled(scores, degrees, nug // 2, nug), thresholds=thresholds, errors=errors)
    assert fit.settings() == {"thr": thresholds, "err": errors}
    asked = np.array([-5, -2, 0, 0.05, 0.1, 0.3, 0.5, 0.50001, 1, 7e5, 1e9])
    for code in (0, 1, 3, 8):
        codes = np.full(len(asked), code)
        rows = fit.probabilities(asked, question=codes // 2, nug=codes)
        assert (rows >= 0).all()
        assert rows.sum(axis=1) == pytest.approx(np.ones(len(asked)))
        assert (np.diff(rows[:, 0]) <= 1e-9).all()
        assert (np.diff(rows[:, 2]) >= -1e-9).all()


def test_with_one_threshold_a_new_nug_has_it() -> None:
    labelled = simulated(np.full(20, 0.5), a_nug=40, seed=13)
    found = fit_bayesian(labelled, thresholds="dataset", errors="nug").probabilities([0.4, 0.6], nug=[77, 77])[:, 2]
    assert found.tolist() == pytest.approx([0.05, 0.85], abs=0.05)


def test_unknown_degrees_change_nothing() -> None:
    labelled = Labelled([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 2, 2])
    more = Labelled([0.1, 0.4, 0.6, 0.9, 0.95, np.nan], [0, 1, 0, 1, np.nan, 1], [0, 0, 1, 1, 3, 3], [1, 1, 2, 2, 4, 5])
    assert evidence(more) == evidence(labelled)


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(UsageError, match="no labelled pair"):
        fit_bayesian(Labelled([0.1], [np.nan], [0], [0]))
    with pytest.raises(UsageError, match="thresholds='run' is not one of dataset, query, nug"):
        fit_bayesian(Labelled([0.1], [1], [0], [0]), thresholds="run")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="errors='run' is not one of dataset, query, nug"):
        fit_bayesian(Labelled([0.1], [1], [0], [0]), errors="run")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is not one of"):
        compare_models(Labelled([0.1], [1], [0], [0]), cut=0.3)
    with pytest.raises(UsageError, match="appears in two questions"):
        fit_bayesian(Labelled([0.1, 0.2], [0, 1], [0, 1], [4, 4]), thresholds="query", errors="nug")
