from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from karat.evaluate.validate.figures import FIGURES, Told, figures

LABELS = np.array([1, 0, 1, 1, 0, 0, 1, 0.0])
SCORES = np.array([0.9, 0.8, 0.7, 0.4, 0.4, 0.3, 0.6, 0.1])
DECISIONS = (SCORES >= 0.5).astype(float)
CHANCES = np.array([0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.7, 0.1])
QUESTION = np.array([0, 0, 0, 0, 1, 1, 1, 1])
OFFICIAL = np.array([[0.2, 0.4, 0.1], [0.5, 0.3, 0.6], [0.9, 0.8, np.nan], [0.4, np.nan, np.nan]])
EXPECTED = np.array([[0.3, 0.4, 0.2], [0.4, 0.5, 0.5], [0.7, 0.4, np.nan], [0.1, np.nan, np.nan]])
MEANS = np.array([0.7 / 3, 1.4 / 3, 1.7 / 2]), np.array([0.9 / 3, 1.4 / 3, 1.1 / 2])
"""Of people and judge; the last run lacks more than one query."""


def told(**more: object) -> Told:
    given = {"labels": LABELS, "scores": SCORES, "decisions": DECISIONS, "probabilities": CHANCES}
    return Told(**given | {"question": QUESTION, "official": OFFICIAL, "expected": EXPECTED} | more)  # type: ignore[arg-type]


def test_figures_of_pairs_are_those_of_scikit_learn() -> None:
    found = figures(told())
    assert found["pairs"] == 8
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(LABELS, SCORES))
    assert found["precision"] == pytest.approx(3 / 4)
    assert found["recall"] == pytest.approx(3 / 4)
    assert found["f1"] == pytest.approx(metrics.f1_score(LABELS, DECISIONS))
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(LABELS, DECISIONS)) == pytest.approx(0.5)
    assert found["brier"] == pytest.approx(metrics.brier_score_loss(LABELS, CHANCES))


def test_figures_of_runs_are_those_of_scipy() -> None:
    found = figures(told())
    people, judge = MEANS
    assert found["tau_runs"] == pytest.approx(stats.kendalltau(people, judge).statistic) == pytest.approx(1)
    r = stats.pearsonr(people, judge).statistic
    assert found["pearson"] == pytest.approx(r)
    assert found["r2"] == pytest.approx(r**2)
    assert found["rmse"] == pytest.approx(np.sqrt((0.2**2 / 9 + 0 + 0.3**2) / 3))
    # Cells and topics are of all runs.
    both = ~np.isnan(OFFICIAL)
    assert found["tau_cells"] == pytest.approx(stats.kendalltau(OFFICIAL[both], EXPECTED[both]).statistic)
    topics = [stats.kendalltau(OFFICIAL[both[:, at], at], EXPECTED[both[:, at], at]).statistic for at in range(3)]
    assert found["tau_topic"] == pytest.approx(np.mean(topics))
    topics = [stats.pearsonr(OFFICIAL[both[:, at], at], EXPECTED[both[:, at], at]).statistic for at in range(3)]
    assert found["pearson_topic"] == pytest.approx(np.mean(topics))


def test_coverage_and_width_are_of_the_runs_that_count() -> None:
    low, high = np.array([0.2, 0.5, 0.8, 0.9]), np.array([0.3, 0.6, 1.0, 1.9])
    found = figures(told(low=low, high=high))
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["width"] == pytest.approx(0.4 / 3)
    assert list(found) == list(FIGURES)


def test_an_interval_of_no_width_covers_what_is_equal() -> None:
    people, _ = MEANS
    ends = np.append(people, np.nan)
    assert figures(told(low=ends, high=ends))["coverage"] == 1


def test_a_judge_that_says_what_people_say_is_perfect() -> None:
    truth = told(scores=LABELS, decisions=LABELS, probabilities=LABELS, expected=OFFICIAL)
    found = figures(truth)
    for name in ("auc", "precision", "recall", "f1", "kappa", "tau_runs", "tau_topic", "tau_cells", "pearson", "r2"):
        assert found[name] == pytest.approx(1), name
    assert (found["brier"], found["rmse"]) == (0, 0)


def test_queries_may_be_drawn_several_times() -> None:
    found = figures(told(low=np.zeros(4), high=np.ones(4)), queries=[1, 1, 1])
    own = QUESTION == 1
    assert found["pairs"] == 12
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(LABELS[own], SCORES[own]))
    assert found["rmse"] == pytest.approx(np.sqrt((0 + 0.2**2 + 0.4**2) / 3))
    assert "coverage" not in found


def test_what_cannot_be_told_is_nan() -> None:
    alone = told(official=OFFICIAL[:1], expected=EXPECTED[:1])
    found = figures(alone)
    assert all(np.isnan(found[name]) for name in ("tau_runs", "tau_topic", "pearson", "r2"))
    equal = figures(told(expected=np.where(np.isnan(EXPECTED), np.nan, 0.5)))
    assert np.isnan(equal["pearson"])
    nobody = figures(told(official=OFFICIAL * np.nan, low=np.zeros(4), high=np.ones(4)))
    assert all(np.isnan(nobody[name]) for name in ("rmse", "coverage", "width", "tau_cells"))


def test_decisions_that_were_not_made_are_left_out() -> None:
    some = np.where(QUESTION == 0, np.nan, DECISIONS)
    own = QUESTION == 1
    assert figures(told(decisions=some))["kappa"] == pytest.approx(
        metrics.cohen_kappa_score(LABELS[own], DECISIONS[own])
    )
