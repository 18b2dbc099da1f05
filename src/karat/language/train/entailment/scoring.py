"""How good the model is on the development part: per kind, what it accepts and rejects, and how well it ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from karat.language.train.entailment.pairs.sets import Pair

QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5)
Probabilities = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]


class Score(msgspec.Struct, frozen=True):
    """The figures of one kind of pairs; nan where there are no pairs of that label."""

    kind: str
    pairs: int
    accepted: float
    """The share of entailed pairs with a probability of at least the threshold."""
    rejected: float
    """The share of the other pairs below it."""
    auc: float
    quantiles: tuple[float, ...]
    """Of the probabilities of entailed pairs, at QUANTILES."""


def score_kinds(pairs: Sequence[Pair], probabilities: Probabilities, *, threshold: float) -> list[Score]:
    """The figures of each kind of pairs, by name."""
    found = probabilities([pair.premise for pair in pairs], [pair.statement for pair in pairs])
    places: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        places[pair.kind].append(place)
    labels = np.array([pair.entailed for pair in pairs], dtype=bool)
    return [_score(kind, found[where], labels[where], threshold) for kind, where in sorted(places.items())]


def auc(values: NDArray[np.float32], labels: NDArray[np.bool_]) -> float:
    """The chance that an entailed pair has a higher value than another one; ties count half.

    >>> auc(np.array([0.1, 0.4, 0.9], dtype=np.float32), np.array([False, True, True]))
    1.0
    """
    positive = int(labels.sum())
    negative = len(labels) - positive
    if not positive or not negative:
        return float("nan")
    ranks = float(rankdata(values)[labels].sum())
    return (ranks - positive * (positive + 1) / 2) / (positive * negative)


def render_scores(scores: Sequence[Score]) -> str:
    """A table of Markdown."""
    lines = ["| kind | pairs | accepted | rejected | AUC | " + " | ".join(f"q{q:g}" for q in QUANTILES) + " |"]
    lines.append("|---|--:|--:|--:|--:|" + "--:|" * len(QUANTILES))
    for score in scores:
        figures = [score.accepted, score.rejected, score.auc, *score.quantiles]
        lines.append(f"| {score.kind} | {score.pairs} | " + " | ".join(f"{value:.3f}" for value in figures) + " |")
    return "\n".join(lines)


def _score(kind: str, values: NDArray[np.float32], labels: NDArray[np.bool_], threshold: float) -> Score:
    true, false = values[labels], values[~labels]
    accepted = float(np.mean(true >= threshold)) if len(true) else float("nan")
    rejected = float(np.mean(false < threshold)) if len(false) else float("nan")
    quantiles = (
        tuple(float(value) for value in np.quantile(true, QUANTILES)) if len(true) else (float("nan"),) * len(QUANTILES)
    )
    return Score(kind, len(values), accepted, rejected, auc(values, labels), quantiles)
