"""How good a judge is: figures that compare what it says with what people say, pair by pair and run by run.

Every figure can be taken of queries that count several times (`times`), as a bootstrap over queries draws them. What
does not depend on the draw (sums per query, tau within a query) is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.stats.correlation.ranks import kendall_tau_b

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PAIR_FIGURES = ("pairs", "auc", "precision", "recall", "f1", "kappa", "brier")
RUN_FIGURES = (
    "tau_runs", "tau_topic", "tau_cells", "pearson", "pearson_topic", "r2", "rmse", "coverage", "width",
)  # fmt: skip
FIGURES = (*PAIR_FIGURES, *RUN_FIGURES)


def compact(codes: Ints) -> Ints:
    """The same codes as numbers from 0 on, without gaps."""
    numbers: Ints = np.unique(codes, return_inverse=True)[1].ravel()
    return numbers


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs that people judged: what they say, and what a judge says that has not seen it. Vectors of one length."""

    labels: Floats
    """1 where people say that the nug is contained in full, else 0."""
    scores: Floats
    """By which the judge ranks the pairs."""
    decisions: Floats
    """1 for contained, 0 for not, NaN where nothing could be decided."""
    probabilities: Floats
    """Of being contained in full."""
    query: Ints
    """The number of the query, from 0 on (see `compact`)."""

    @cached_property
    def queries(self) -> int:
        return int(self.query.max(initial=-1)) + 1

    @cached_property
    def _places(self) -> tuple[int, Ints]:
        """How many different scores there are, and the place of each pair's score among them, in order."""
        different, place = np.unique(self.scores, return_inverse=True)
        return len(different), place.ravel()

    @cached_property
    def _counts(self) -> Floats:
        """Per query: true and false positives, false and true negatives, squared errors, pairs."""
        contained, yes, no = self.labels == 1, self.decisions == 1, self.decisions == 0
        squares = (self.probabilities - self.labels) ** 2
        columns = [yes & contained, yes & ~contained, no & contained, no & ~contained, squares, np.ones(len(squares))]
        return np.stack([np.bincount(self.query, column, minlength=self.queries) for column in columns], axis=1)

    def figures(self, times: Floats | None = None) -> dict[str, float]:
        """AUC, precision, recall, F1, Cohen's kappa and Brier score; NaN where undefined."""
        times = np.ones(self.queries) if times is None else times
        hits, false, missed, rest, squares, pairs = (times @ self._counts).tolist()
        decided = hits + false + missed + rest
        by_chance = (hits + false) * (hits + missed) + (missed + rest) * (false + rest)
        return {
            "pairs": pairs,
            "auc": self._auc(times),
            "precision": _ratio(hits, hits + false),
            "recall": _ratio(hits, hits + missed),
            "f1": _ratio(2 * hits, 2 * hits + false + missed),
            "kappa": _ratio(decided * (hits + rest) - by_chance, decided**2 - by_chance),
            "brier": _ratio(squares, pairs),
        }

    def _auc(self, times: Floats) -> float:
        """P(a contained pair scores higher than one that is not), ties counting half."""
        different, place = self._places
        weight = times[self.query]
        positive, negative = (
            np.bincount(place, weight * own, minlength=different) for own in (self.labels, 1 - self.labels)
        )
        below = np.cumsum(negative) - negative / 2
        return _ratio(float(positive @ below), float(positive.sum() * negative.sum()))


@dataclass(frozen=True)
class RunScores:
    """Scores of the same runs (rows) and queries (columns) by people and by a judge; NaN where one has none."""

    run_ids: tuple[str, ...]
    query_ids: tuple[str, ...]
    official: Floats
    judged: Floats
    low: Floats | None = None
    """The judge's interval of each run's score over all queries."""
    high: Floats | None = None

    @cached_property
    def both(self) -> NDArray[np.bool_]:
        """Where both have a score."""
        return ~np.isnan(self.official) & ~np.isnan(self.judged)

    def of_judged_queries(self) -> RunScores:
        """The same without queries that have no score on one side."""
        judged: NDArray[np.bool_] = np.asarray(self.both.any(axis=0))
        query_ids = tuple(query_id for query_id, known in zip(self.query_ids, judged, strict=True) if known)
        return replace(self, query_ids=query_ids, official=self.official[:, judged], judged=self.judged[:, judged])

    @cached_property
    def tau_of_queries(self) -> Floats:
        """Kendall's tau-b of the runs within each query; NaN where all of them are level."""
        return self._within(_tau)

    @cached_property
    def pearson_of_queries(self) -> Floats:
        return self._within(_pearson)

    def _within(self, correlation: Callable[[Floats, Floats], float]) -> Floats:
        columns = [(self.official[rows, at], self.judged[rows, at]) for at, rows in enumerate(self.both.T)]
        return np.array([correlation(official, judged) for official, judged in columns])

    def complete(self, times: Floats | None = None) -> NDArray[np.bool_]:
        """The runs that count in figures of runs: at most one of the queries that people judged is missing."""
        judged = self.both.any(axis=0).astype(float)
        times = judged if times is None else times * judged
        enough: NDArray[np.bool_] = self.both @ times >= max(1.0, times.sum() - 1)
        return enough

    def means(self, times: Floats | None = None) -> tuple[Floats, Floats]:
        """The mean scores of the complete runs by people, and by the judge."""
        times = np.ones(self.both.shape[1]) if times is None else times
        rows = self.complete(times)
        weight = self.both[rows] * times
        official, judged = (np.where(self.both, own, 0.0)[rows] for own in (self.official, self.judged))
        return (weight * official).sum(axis=1) / weight.sum(axis=1), (weight * judged).sum(axis=1) / weight.sum(axis=1)

    def figures(self, times: Floats | None = None) -> dict[str, float]:
        """Tau and Pearson of runs, within queries and over all cells, RMSE of runs; NaN where undefined.

        coverage: the share of official scores inside the judge's interval, and width: its mean width, are of all
        queries together, so that a draw has none.
        """
        official, judged = self.means(times)
        counted = np.ones(self.both.shape[1]) if times is None else times
        columns = np.repeat(np.arange(len(counted)), counted.astype(int))
        cells = self.both[:, columns]
        r = _pearson(official, judged)
        found = {
            "tau_runs": _tau(official, judged),
            "tau_topic": _mean_known(self.tau_of_queries[columns]),
            "tau_cells": _tau(self.official[:, columns][cells], self.judged[:, columns][cells]),
            "pearson": r,
            "pearson_topic": _mean_known(self.pearson_of_queries[columns]),
            "r2": r * r,
            "rmse": float(np.sqrt(np.mean((official - judged) ** 2))) if len(official) else np.nan,
        }
        if times is None and self.low is not None and self.high is not None:
            low, high = self.low[self.complete()], self.high[self.complete()]
            inside = (official >= low - 1e-9) & (official <= high + 1e-9)
            # Credits and decisions whose error nobody knows have no interval.
            has_interval = len(official) > 0 and not np.isnan(low).any()
            found["coverage"] = float(inside.mean()) if has_interval else np.nan
            found["width"] = float((high - low).mean()) if has_interval else np.nan
        return found


def draw_figures(
    figures: Callable[[Floats | None], dict[str, float]], *, queries: int, draws: int, seed: int
) -> dict[str, list[float]]:
    """The figures of queries drawn with replacement; none with fewer than two queries."""
    drawn: dict[str, list[float]] = {}
    rng = np.random.default_rng(seed)
    for _ in range(draws if queries > 1 else 0):
        times = np.bincount(rng.integers(queries, size=queries), minlength=queries).astype(float)
        for name, value in figures(times).items():
            drawn.setdefault(name, []).append(value)
    return drawn


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _tau(first: Floats, second: Floats) -> float:
    if len(first) < 2:
        return np.nan
    value = kendall_tau_b(first, second).value
    return np.nan if value is None else value


def _pearson(first: Floats, second: Floats) -> float:
    if len(first) < 2 or not first.std() or not second.std():
        return np.nan
    return float(np.corrcoef(first, second)[0, 1])


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else np.nan
