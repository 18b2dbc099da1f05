"""The order of the nugs of one query, how many are kept, and which importance is suggested for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.evaluate.nuggets.drafting.clusters import Cluster
from karat.evaluate.nuggets.drafting.sameness import Floats
from karat.model.records import Importance

MOST = 28
"""How many nugs are kept per query, where the user says nothing else: most keys of other collections have 15 to 30."""
FEWEST_RUNS = 2
"""How many runs must say a nug before it may be called vital, where there are several runs."""


@dataclass(frozen=True)
class RankedCluster:
    """A cluster with its place in the key."""

    cluster: Cluster
    runs: tuple[str, ...]
    """The runs (or passages) that say it, wholly or in part."""
    relatedness: float
    importance: Importance


@dataclass(frozen=True)
class Ranking:
    """The clusters that are kept, and how many were left out: too many, or not about the question."""

    kept: tuple[RankedCluster, ...]
    cut: int
    unrelated: int


def rank(
    clusters: Sequence[Cluster],
    *,
    contains: Floats,
    said_by: Sequence[Sequence[str]],
    places: Sequence[float],
    relatedness: Sequence[float],
    threshold: float,
    min_runs: int,
    most: int | None = None,
    far: float = 0.0,
) -> Ranking:
    """The clusters that are kept, in order: most runs first, then the most related to the question, then the earliest.

    A cluster is left out where the description of one before it contains its own: it would say the same again. Where
    more than `most` are left, those are kept that together contain the most of what the runs say (`choose`).
    said_by: the runs that say each sentence. far: what only one run says is left out if it is less related than this.
    """
    entries, unrelated = [], 0
    for cluster in clusters:
        whole = [at for at in cluster.members if contains[at, cluster.first] >= threshold]
        runs = tuple(dict.fromkeys(run for at in whole for run in said_by[at]))
        if len(runs) == 1 and relatedness[cluster.first] < far:
            unrelated += 1
        elif len(runs) >= min_runs:
            entries.append((cluster, runs))
    entries.sort(key=lambda entry: (-len(entry[1]), -relatedness[entry[0].first], places[entry[0].first]))
    kept: list[tuple[Cluster, tuple[str, ...]]] = []
    for cluster, runs in entries:
        if all(contains[other.first, cluster.first] < threshold for other, _ in kept):
            kept.append((cluster, runs))
    cut = 0
    if most is not None and len(kept) > most:
        cut = len(kept) - most
        weights = [len(set(runs)) for runs in said_by]
        kept = [kept[at] for at in choose(contains[[cluster.first for cluster, _ in kept]], weights, most)]
    importances = suggested_importance(
        [len(runs) for _, runs in kept], is_far=[relatedness[cluster.first] < far for cluster, _ in kept]
    )
    ranked = [
        RankedCluster(cluster, runs, relatedness[cluster.first], importance)
        for (cluster, runs), importance in zip(kept, importances, strict=True)
    ]
    return Ranking(tuple(ranked), cut, unrelated)


def choose(contains: Floats, weights: Sequence[float], most: int) -> list[int]:
    """The rows that together contain the most, chosen one after the other; their numbers in order.

    Each time the row with the greatest gain is taken, gain = sum over the columns k of
    weight(k) * max(0, contains(row, k)^2 - the greatest contains(chosen, k)^2): facility location (Lin and Bilmes
    2011), whose greedy choice is at least 63 % as good as the best one. The square makes half a containment count less
    than half.
    """
    squared = contains**2
    weight = np.asarray(weights, np.float32)
    covered = np.zeros(squared.shape[1], np.float32)
    chosen: list[int] = []
    for _ in range(min(most, len(squared))):
        gains = np.maximum(squared - covered, 0.0) @ weight
        gains[chosen] = -1.0
        chosen.append(int(np.argmax(gains)))
        covered = np.maximum(covered, squared[chosen[-1]])
    return sorted(chosen)


def suggested_importance(runs: Sequence[int], is_far: Sequence[bool] = ()) -> list[Importance]:
    """Vital is the first half of the nugs, as far as at least two runs say them; the others are okay.

    Where no nug is said by two runs, the first third is called vital. runs: how many say each nug, in their order.
    is_far: which are far from the question; they are never called vital.

    >>> suggested_importance([8, 5, 2, 1, 1])
    ['vital', 'vital', 'vital', 'okay', 'okay']
    >>> suggested_importance([1, 1, 1])
    ['vital', 'okay', 'okay']
    >>> suggested_importance([4, 3, 2, 2], is_far=[True, False, False, False])
    ['okay', 'vital', 'okay', 'okay']
    """
    several = max(runs, default=0) >= FEWEST_RUNS
    first = -(-len(runs) // (2 if several else 3))
    return [
        "vital" if at < first and (count >= FEWEST_RUNS or not several) and not any(is_far[at : at + 1]) else "okay"
        for at, count in enumerate(runs)
    ]
