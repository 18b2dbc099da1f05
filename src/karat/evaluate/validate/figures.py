"""How good a judge is: figures that compare what it says with what people say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.validate.quality import auc, brier, kappa_f1
from karat.stats.correlation.ranks import kendall_tau_b

Floats = NDArray[np.float64]
FIGURES = (
    "pairs", "auc", "precision", "recall", "f1", "kappa", "brier", "tau_runs", "tau_topic", "tau_cells", "pearson",
    "pearson_topic", "r2", "rmse", "coverage", "width",
)  # fmt: skip


@dataclass(frozen=True)
class Told:
    """What people and a judge say: of pairs, and of runs and queries (runs x queries, NaN where not known)."""

    labels: Floats
    """1 where people say a pair is contained in full."""
    scores: Floats
    decisions: Floats
    probabilities: Floats
    question: NDArray[np.int64]
    official: Floats
    expected: Floats
    """The score by the judge's probabilities."""
    low: Floats | None = None
    """The judge's interval of each run's score."""
    high: Floats | None = None

    def run_means(self) -> tuple[Floats, Floats]:
        """The mean scores by people and by the judge, of the runs that take part in figures of runs."""
        people, judge, _ = _means(self.official, self.expected)
        return people, judge


def figures(told: Told, *, queries: Sequence[int] | None = None) -> dict[str, float]:
    """All figures; with `queries`, of these queries (some perhaps several times, as a bootstrap draws them)."""
    if queries is None:
        pick = np.arange(len(told.labels))
        columns = list(range(told.official.shape[1]))
    else:
        members = [np.flatnonzero(told.question == query) for query in queries]
        pick = np.concatenate(members)
        columns = list(queries)
    labels = told.labels[pick]
    confusion = kappa_f1(told.decisions[pick], labels)
    official, expected = told.official[:, columns], told.expected[:, columns]
    found = {
        "pairs": float(len(labels)),
        "auc": auc(told.scores[pick], labels),
        "precision": confusion.precision,
        "recall": confusion.recall,
        "f1": confusion.f1,
        "kappa": confusion.kappa,
        "brier": brier(told.probabilities[pick], labels),
        **compare_scores(official, expected),
    }
    if queries is None and told.low is not None and told.high is not None:
        people, _, enough = _means(official, expected)
        inside = (people >= told.low[enough] - 1e-9) & (people <= told.high[enough] + 1e-9)
        found["coverage"] = float(inside.mean()) if len(people) else np.nan
        found["width"] = float((told.high - told.low)[enough].mean()) if len(people) else np.nan
    return found


def _means(official: Floats, expected: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The mean scores of the runs that were judged on all queries but one at most."""
    both = ~np.isnan(official) & ~np.isnan(expected)
    enough = both.sum(axis=1) >= max(1, official.shape[1] - 1)
    people = np.array([official[row][both[row]].mean() for row in np.flatnonzero(enough)])
    judge = np.array([expected[row][both[row]].mean() for row in np.flatnonzero(enough)])
    return people, judge, enough


def enough_queries(told: Told) -> NDArray[np.bool_]:
    """Which runs take part in figures of runs."""
    return _means(told.official, told.expected)[2]


def tau_of_queries(told: Told) -> Floats:
    """Tau within each query, over all runs that were judged there; NaN where they are level."""
    return _within(_tau, told.official, told.expected)


def _within(correlation: Callable[[Floats, Floats], float], official: Floats, expected: Floats) -> Floats:
    both = ~np.isnan(official) & ~np.isnan(expected)
    columns = range(official.shape[1])
    return np.array([correlation(official[both[:, at], at], expected[both[:, at], at]) for at in columns])


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def compare_scores(official: Floats, expected: Floats) -> dict[str, float]:
    """The figures of runs: of two tables of scores (runs x queries)."""
    people, judge, _ = _means(official, expected)
    both = ~np.isnan(official) & ~np.isnan(expected)
    r = _pearson(people, judge)
    return {
        "tau_runs": _tau(people, judge),
        "tau_topic": _mean_known(_within(_tau, official, expected)),
        "tau_cells": _tau(official[both], expected[both]),
        "pearson": r,
        "pearson_topic": _mean_known(_within(_pearson, official, expected)),
        "r2": r * r,
        "rmse": float(np.sqrt(np.mean((people - judge) ** 2))) if len(people) else np.nan,
    }


def _tau(first: Floats, second: Floats) -> float:
    if len(first) < 2:
        return np.nan
    value = kendall_tau_b(first, second).value
    return np.nan if value is None else value


def _pearson(first: Floats, second: Floats) -> float:
    if len(first) < 2 or not first.std() or not second.std():
        return np.nan
    return float(np.corrcoef(first, second)[0, 1])
