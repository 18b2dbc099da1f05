from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from karat.evaluate.validate import figures as figures_module
from karat.evaluate.validate.figures import (
    PAIR_FIGURES,
    RUN_FIGURES,
    JudgedPairs,
    RunScores,
    compact,
    draw_figures,
)
from karat.stats.correlation.ranks import kendall_tau_b as stats_tau

LABELS = np.array([1, 0, 1, 1, 0, 0, 1, 0.0])
SCORES = np.array([0.9, 0.8, 0.7, 0.4, 0.4, 0.3, 0.6, 0.1])
DECISIONS = (SCORES >= 0.5).astype(float)
CHANCES = np.array([0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.7, 0.1])
QUERY = np.array([0, 0, 0, 0, 1, 1, 1, 1])
OFFICIAL = np.array([[0.2, 0.4, 0.1], [0.5, 0.3, 0.6], [0.9, 0.8, np.nan], [0.4, np.nan, np.nan]])
JUDGED = np.array([[0.3, 0.4, 0.2], [0.4, 0.5, 0.5], [0.7, 0.4, np.nan], [0.1, np.nan, np.nan]])
MEANS = np.array([0.7 / 3, 1.4 / 3, 1.7 / 2]), np.array([0.9 / 3, 1.4 / 3, 1.1 / 2])
"""Of people and judge; the last run lacks more than one query."""


QUERY_IDS, RUN_IDS = tuple("pqr"), tuple("wxyz")


def pairs(**more: np.ndarray) -> JudgedPairs:
    given = {"labels": LABELS, "scores": SCORES, "decisions": DECISIONS, "probabilities": CHANCES, "query": QUERY}
    return JudgedPairs(**given | more)


def runs(**more: np.ndarray) -> RunScores:
    given = {"official": OFFICIAL, "judged": JUDGED} | more
    return RunScores(RUN_IDS[: len(given["official"])], QUERY_IDS, **given)


def test_codes_without_gaps() -> None:
    assert compact(np.array([7, 7, 2, 9])).tolist() == [1, 1, 0, 2]


def test_figures_of_pairs_are_those_of_scikit_learn() -> None:
    figures = pairs().figures()
    assert list(figures) == list(PAIR_FIGURES)
    assert figures["pairs"] == 8
    assert figures["auc"] == pytest.approx(metrics.roc_auc_score(LABELS, SCORES))
    assert figures["precision"] == pytest.approx(3 / 4)
    assert figures["recall"] == pytest.approx(3 / 4)
    assert figures["f1"] == pytest.approx(metrics.f1_score(LABELS, DECISIONS))
    assert figures["kappa"] == pytest.approx(metrics.cohen_kappa_score(LABELS, DECISIONS)) == pytest.approx(0.5)
    assert figures["brier"] == pytest.approx(metrics.brier_score_loss(LABELS, CHANCES))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_figures_of_drawn_queries_are_those_of_their_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = (rng.random(60) < 0.4).astype(float)
    scores = np.round(labels + rng.normal(size=60), 1)
    made = JudgedPairs(
        labels, scores, (scores > 0.5).astype(float), 1 / (1 + np.exp(-scores)), np.repeat([0, 1, 2], 20)
    )
    draw = rng.integers(3, size=3)
    pick = np.concatenate([np.flatnonzero(made.query == query) for query in draw])
    figures = made.figures(np.bincount(draw, minlength=3).astype(float))
    decided, contained = made.decisions[pick], labels[pick]
    oracles = {
        "kappa": metrics.cohen_kappa_score, "f1": metrics.f1_score, "precision": metrics.precision_score,
        "recall": metrics.recall_score,
    }  # fmt: skip
    for name, oracle in oracles.items():
        assert figures[name] == pytest.approx(oracle(contained, decided)), name
    assert figures["auc"] == pytest.approx(metrics.roc_auc_score(contained, scores[pick]))
    assert figures["brier"] == pytest.approx(metrics.brier_score_loss(contained, made.probabilities[pick]))


def test_figures_of_runs_are_those_of_scipy() -> None:
    figures = runs().figures()
    people, judge = MEANS
    assert figures["tau_runs"] == pytest.approx(stats.kendalltau(people, judge).statistic) == pytest.approx(1)
    r = stats.pearsonr(people, judge).statistic
    assert figures["pearson"] == pytest.approx(r)
    assert figures["r2"] == pytest.approx(r**2)
    assert figures["rmse"] == pytest.approx(np.sqrt((0.2**2 / 9 + 0 + 0.3**2) / 3))
    # Figures of cells and within queries are about all runs.
    both = ~np.isnan(OFFICIAL)
    assert figures["tau_cells"] == pytest.approx(stats.kendalltau(OFFICIAL[both], JUDGED[both]).statistic)
    within = [stats.kendalltau(OFFICIAL[both[:, at], at], JUDGED[both[:, at], at]).statistic for at in range(3)]
    assert figures["tau_topic"] == pytest.approx(np.mean(within))
    within = [stats.pearsonr(OFFICIAL[both[:, at], at], JUDGED[both[:, at], at]).statistic for at in range(3)]
    assert figures["pearson_topic"] == pytest.approx(np.mean(within))


def test_coverage_and_width_are_about_the_runs_that_count() -> None:
    low, high = np.array([0.2, 0.5, 0.8, 0.9]), np.array([0.3, 0.6, 1.0, 1.9])
    figures = runs(low=low, high=high).figures()
    assert figures["coverage"] == pytest.approx(2 / 3)
    assert figures["width"] == pytest.approx(0.4 / 3)
    assert list(figures) == list(RUN_FIGURES)


def test_an_interval_of_no_width_covers_what_is_equal() -> None:
    people, _ = MEANS
    ends = np.append(people, np.nan)
    assert runs(low=ends, high=ends).figures()["coverage"] == 1


def test_a_judge_that_says_what_people_say_is_perfect() -> None:
    of_pairs = pairs(scores=LABELS, decisions=LABELS, probabilities=LABELS).figures()
    of_runs = runs(judged=OFFICIAL).figures()
    for name in ("auc", "precision", "recall", "f1", "kappa"):
        assert of_pairs[name] == pytest.approx(1), name
    for name in ("tau_runs", "tau_topic", "tau_cells", "pearson", "r2"):
        assert of_runs[name] == pytest.approx(1), name
    assert (of_pairs["brier"], of_runs["rmse"]) == (0, 0)


def test_queries_may_be_drawn_several_times() -> None:
    figures = runs(low=np.zeros(4), high=np.ones(4)).figures(np.array([0, 3.0, 0]))
    assert figures["rmse"] == pytest.approx(np.sqrt((0 + 0.2**2 + 0.4**2) / 3))
    assert "coverage" not in figures
    assert pairs().figures(np.array([0, 3.0]))["pairs"] == 12


def test_tau_within_a_query_is_computed_once_for_all_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(figures_module, "kendall_tau_b", lambda a, b: calls.append(1) or stats_tau(a, b))
    made = runs()
    draw_figures(made.figures, queries=3, draws=50, seed=0)
    # Per draw: once for the runs, once for all cells.
    assert len(calls) == 3 + 50 * 2


def test_a_draw_of_one_query_says_nothing() -> None:
    assert draw_figures(runs().figures, queries=1, draws=5, seed=0) == {}


def test_queries_that_one_side_lacks_are_left_out() -> None:
    official = OFFICIAL.copy()
    official[:, 0] = np.nan
    left = runs(official=official).of_judged_queries()
    assert left.query_ids == ("q", "r")
    assert left.complete().tolist() == [True, True, True, False]


def test_what_cannot_be_computed_is_nan() -> None:
    figures = runs(official=OFFICIAL[:1], judged=JUDGED[:1]).figures()
    assert all(np.isnan(figures[name]) for name in ("tau_runs", "tau_topic", "pearson", "r2"))
    assert np.isnan(runs(judged=np.where(np.isnan(JUDGED), np.nan, 0.5)).figures()["pearson"])
    nobody = runs(official=OFFICIAL * np.nan, low=np.zeros(4), high=np.ones(4)).figures()
    assert all(np.isnan(nobody[name]) for name in ("rmse", "coverage", "width", "tau_cells"))
    one_kind = pairs(labels=np.ones(8), decisions=np.ones(8)).figures()
    assert all(np.isnan(one_kind[name]) for name in ("auc", "kappa"))


def test_decisions_that_were_not_made_are_left_out() -> None:
    some = np.where(QUERY == 0, np.nan, DECISIONS)
    own = QUERY == 1
    assert pairs(decisions=some).figures()["kappa"] == pytest.approx(
        metrics.cohen_kappa_score(LABELS[own], DECISIONS[own])
    )
