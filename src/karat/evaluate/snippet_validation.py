"""Figures of a judge on pairs of a snippet and a nug: a million pairs, and no runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.validation import Told
from karat.judges.calibration.cross_validated import best_threshold
from karat.judges.calibration.labelled import Labelled
from karat.judges.calibration.logistic import fit_logistic
from karat.judges.pairs import Floats, Pairs
from karat.measures.base import ratio


def told_of_snippets(pairs: Pairs) -> Told:
    """What people and the judge say; the threshold of best kappa and the curve of a query come from the others."""
    known = ~np.isnan(pairs.degrees)
    scores, contained, question = pairs.scores[known], pairs.degrees[known] >= 1, pairs.question[known]
    decisions, probabilities = np.zeros(len(scores)), np.zeros(len(scores))
    for query in np.unique(question):
        own, others = question == query, question != query
        taught = Labelled(scores[others], contained[others].astype(float), question[others], question[others])
        probabilities[own] = fit_logistic(taught).probabilities(scores[own])[:, 2]
        threshold = best_threshold(scores[others], contained[others]).threshold
        decisions[own] = np.nan if np.isnan(threshold) else scores[own] >= threshold
    nobody = np.full((1, len(pairs.queries)), np.nan)
    return Told(
        labels=contained.astype(float),
        scores=scores,
        decisions=decisions,
        probabilities=probabilities,
        question=question,
        official=nobody,
        expected=nobody,
    )


@dataclass(frozen=True)
class _Counts:
    """What figures are made of, by query: they add up."""

    positive: NDArray[np.float32]
    """Contained pairs of each score, in order (queries x scores)."""
    negative: NDArray[np.float32]
    cells: Floats
    """True and false positives, false and true negatives of the decisions."""
    squares: Floats
    pairs: Floats


def draw_snippet_figures(told: Told, *, draws: int, seed: int) -> dict[str, list[float]]:
    """The figures of queries drawn with replacement."""
    queries = np.unique(told.question)
    found: dict[str, list[float]] = {}
    if len(queries) < 2:
        return found
    counts = _counted(told, queries)
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        times = np.bincount(rng.integers(len(queries), size=len(queries)), minlength=len(queries)).astype(float)
        for name, value in _figures(counts, times).items():
            found.setdefault(name, []).append(value)
    return found


def _counted(told: Told, queries: NDArray[np.int64]) -> _Counts:
    scores, code = np.unique(told.scores, return_inverse=True)
    positive, negative = (np.zeros((len(queries), len(scores)), np.float32) for _ in range(2))
    cells = np.zeros((len(queries), 4))
    squares, pairs = np.zeros(len(queries)), np.zeros(len(queries))
    for row, query in enumerate(queries):
        own = told.question == query
        labels, decisions = told.labels[own] == 1, told.decisions[own]
        positive[row] = np.bincount(code[own], labels, minlength=len(scores))
        negative[row] = np.bincount(code[own], ~labels, minlength=len(scores))
        yes, no = decisions == 1, decisions == 0
        cells[row] = [(yes & labels).sum(), (yes & ~labels).sum(), (no & labels).sum(), (no & ~labels).sum()]
        squares[row] = ((told.probabilities[own] - labels) ** 2).sum()
        pairs[row] = own.sum()
    return _Counts(positive, negative, cells, squares, pairs)


def _figures(counts: _Counts, times: Floats) -> dict[str, float]:
    """The figures when each query counts so many times."""
    weight = times.astype(np.float32)
    positive, negative = (weight @ counts.positive).astype(float), (weight @ counts.negative).astype(float)
    below = np.cumsum(negative) - negative / 2
    hit, false, missed, rest = times @ counts.cells
    total = hit + false + missed + rest
    agree = _ratio(hit + rest, total)
    chance = _ratio((hit + false) * (hit + missed) + (missed + rest) * (false + rest), total**2)
    return {
        "auc": _ratio(float(positive @ below), positive.sum() * negative.sum()),
        "precision": _ratio(hit, hit + false),
        "recall": _ratio(hit, hit + missed),
        "f1": _ratio(2 * hit, 2 * hit + false + missed),
        "kappa": _ratio(agree - chance, 1 - chance),
        "brier": _ratio(float(times @ counts.squares), float(times @ counts.pairs)),
    }


def _ratio(part: float, whole: float) -> float:
    return float(ratio(np.array([part]), np.array([whole]))[0])
