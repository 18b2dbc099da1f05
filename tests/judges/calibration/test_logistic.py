from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel

from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import LogisticCurve, fit_logistic
from karat.judges.calibration.priors import PRIORS, prior_calibration
from karat.judges.registry import JUDGES
from karat.model import UsageError


def labelled_pairs(n: int, seed: int) -> tuple[Labelled, np.ndarray]:
    random = np.random.default_rng(seed)
    scores, vital = random.normal(3, 2, n), random.integers(0, 2, n)
    noise = random.logistic(size=n)
    degrees = np.select([scores - 4 + vital + noise > 0, scores - 2 + vital + noise > 0], [1.0, 0.5], 0.0)
    zeros = np.zeros(n, dtype=int)
    return Labelled(scores, degrees, zeros, zeros), vital.astype(float)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 50.0])
def test_the_cut_of_full_is_that_of_sklearn(ridge: float) -> None:
    labelled, vital = labelled_pairs(300, seed=3)
    found = fit_logistic(labelled, covariates=vital, ridge=ridge).probabilities(labelled.scores, covariates=vital)
    features = np.column_stack([labelled.scores, vital])
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    oracle = LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=1000).fit(features, labelled.degrees == 1)
    assert found[:, 2] == pytest.approx(oracle.predict_proba(features)[:, 1], abs=1e-5)


def test_both_cuts_are_those_of_statsmodels_where_one_scale_has_them() -> None:
    labelled, vital = labelled_pairs(20_000, seed=3)
    found = fit_logistic(labelled, covariates=vital, ridge=1e-9).probabilities([0.0, 3.0, 6.0], covariates=[0, 1, 0])
    model = OrderedModel(labelled.degrees, np.column_stack([labelled.scores, vital]), distr="logit")
    oracle = model.fit(method="bfgs", disp=False)
    assert found == pytest.approx(oracle.predict([[0.0, 0], [3, 1], [6, 0]]), abs=0.01)


def test_at_least_partial_has_the_slopes_of_full_and_as_many_pairs_as_there_are() -> None:
    labelled, vital = labelled_pairs(300, seed=3)
    fit = fit_logistic(labelled, covariates=vital)
    assert isinstance(fit.full, LogisticCurve)
    assert isinstance(fit.partial, LogisticCurve)
    assert fit.partial.slopes == fit.full.slopes
    expected = 1 - fit.probabilities(labelled.scores, covariates=vital)[:, 0]
    assert expected.sum() == pytest.approx((labelled.degrees >= 0.5).sum())


def test_few_partial_labels_promise_nothing_where_nothing_matches() -> None:
    scores = np.concatenate([np.linspace(-2, -1, 20), np.linspace(1, 3, 40)])
    degrees = np.concatenate([[0.0] * 12, [0.5] * 8, [0.0] * 2, [0.5] * 2, [1.0] * 36])
    zeros = np.zeros(len(scores), dtype=int)
    found = fit_logistic(Labelled(scores, degrees, zeros, zeros)).probabilities([-6.0])[0]
    assert found[1] < 0.05


def test_partial_labels_without_full_ones_have_their_own_slope() -> None:
    found = fit_logistic(Labelled([0, 1, 2, 3], [0, 0, 0.5, 0.5], [0] * 4, [0] * 4)).probabilities([0.0, 3.0])
    assert found[0, 0] > 0.5 > found[1, 0]


def test_it_is_named() -> None:
    labelled, vital = labelled_pairs(30, seed=3)
    assert fit_logistic(labelled).settings() == {"cal": "logistic", "ridge": "1"}
    assert fit_logistic(labelled, covariates=vital, ridge=0.5).settings() == {
        "cal": "logistic",
        "ridge": "0.5",
        "covariates": "1",
    }


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.sampled_from([0, 0.5, 1, np.nan])), min_size=1, max_size=12).filter(
        lambda pairs: any(degree == degree for _, degree in pairs)
    )
)
def test_any_labels_give_probabilities(pairs: list[tuple[float, float]]) -> None:
    scores, degrees = np.array(pairs).T
    zeros = np.zeros(len(scores), dtype=int)
    found = fit_logistic(Labelled(scores, degrees, zeros, zeros)).probabilities(scores)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(len(scores)))


def test_perfect_separation_stays_finite() -> None:
    zeros = np.zeros(4, dtype=int)
    found = fit_logistic(Labelled([0, 0.1, 0.9, 1], [0, 0, 1, 1], zeros, zeros)).probabilities([0.0, 0.5, 1.0])[:, 2]
    assert found[0] < 0.35
    assert found[1] == pytest.approx(0.5)
    assert found[2] > 0.65


def test_one_label_gives_a_flat_curve() -> None:
    fit = fit_logistic(Labelled([0, 1], [0, 0], [0, 0], [0, 0]))
    assert fit.probabilities([0.0, 5.0])[:, 2].tolist() == pytest.approx([0.25, 0.25])


def test_a_constant_score_gives_the_share() -> None:
    fit = fit_logistic(Labelled([2, 2, 2, 2], [0, 0, 0, 1], [0] * 4, [0] * 4))
    assert fit.probabilities([2.0])[0, 2] == pytest.approx(0.25)


def test_what_cannot_be_fitted_is_refused() -> None:
    labelled, vital = labelled_pairs(30, seed=3)
    with pytest.raises(UsageError, match="ridge=0"):
        fit_logistic(labelled, ridge=0)
    with pytest.raises(UsageError, match="no labelled pair"):
        fit_logistic(Labelled([], [], [], []))
    with pytest.raises(UsageError, match="fitted with 1 covariates, but 0 are given"):
        fit_logistic(labelled, covariates=vital).probabilities([0.5])


def test_without_judgements_there_is_a_prior_for_every_judge() -> None:
    assert set(PRIORS) == set(JUDGES)
    for name in PRIORS:
        found = prior_calibration(name)
        assert found.settings() == {"cal": f"prior-{name}"}
        # Judges that were learned give log-odds, the others shares.
        full = found.probabilities(
            np.linspace(-3, 3, 11)
            if name in ("cascade", "lexical", "neighbours", "semantic")
            else np.linspace(0, 1, 11)
        )[:, 2]
        assert (np.diff(full) > 0).all()
        # What an LLM's label means is known from one collection, and may be far off in another.
        least, most = (0.15, 0.55) if name == "llm" else (0.1, 0.7)
        assert full[0] < least
        assert full[-1] > most
