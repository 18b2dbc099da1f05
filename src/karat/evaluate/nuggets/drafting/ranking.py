"""The order of the nugs of one query, how many are kept, and which importance is suggested for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from karat.evaluate.nuggets.drafting.clusters import Cluster, opposed, scaled
from karat.evaluate.nuggets.drafting.conflicts import Flags
from karat.evaluate.nuggets.drafting.sameness import Floats
from karat.model.records import Importance

MOST = 28
"""How many nugs are kept per query, where the user says nothing else: most keys of other collections have 15 to 30."""
FEWEST_RUNS = 2
"""How many runs must say a nug before it may be called vital, where there are several runs."""
HALF = 0.5
"""A run says a nug if a member of that degree is its own."""


@dataclass(frozen=True)
class RankedCluster:
    """A cluster with its place in the key."""

    cluster: Cluster
    runs: tuple[str, ...]
    """The runs (or passages) of the members whose degree is at least one half."""
    relatedness: float
    importance: Importance
    contradicts: tuple[int, ...] = ()
    """The places of the clusters that contradict it."""
    is_unsure: bool = False
    """Whether it is called vital only because no other nug of the query is."""


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
    conflicts: Flags | None = None,
    counts_parts: bool = False,
) -> Ranking:
    """The clusters that are kept, in order: most runs first, then the most related to the question, then the earliest.

    A cluster is left out where the description of one before it contains its own: it would say the same again (not
    where the two contradict each other). Where more than `most` are left, those are kept that together contain the most
    of what the runs say (`choose`). Then degrees are scaled (`scaled`), and runs counted again: those of members with
    at least half a degree.
    counts_parts: runs are counted before degrees are scaled, so that a sentence that says several nugs counts for all
    of them. said_by: the runs that say each sentence. far: what only one run says is left out if it is less related
    than this.
    """
    order = _Order(said_by, places, relatedness, min_runs, far)
    kept: list[Cluster] = []
    if conflicts is None:
        conflicts = np.zeros(contains.shape, np.bool_)
    for cluster in order.sorted(clusters):
        if all(
            contains[other.first, cluster.first] < threshold or conflicts[np.ix_(other.equals, cluster.equals)].any()
            for other in kept
        ):
            kept.append(cluster)
    cut = 0
    if most is not None and len(kept) > most:
        cut = len(kept) - most
        weights = [len(set(runs)) for runs in said_by]
        kept = [kept[at] for at in choose(contains[[cluster.first for cluster in kept]], weights, most)]
    if counts_parts:
        order.counted = {cluster.first: order.runs(cluster) for cluster in kept}
    kept = order.sorted(scaled(kept))
    contradicts = [tuple(np.flatnonzero(row).tolist()) for row in opposed(kept, conflicts)]
    runs = [order.runs(cluster) for cluster in kept]
    is_far = [relatedness[cluster.first] < far for cluster in kept]
    importances = suggested_importance([len(some) for some in runs], is_far=is_far, contradicts=contradicts)
    unsure = None
    if kept and "vital" not in importances:
        unsure = least_doubtful(is_far, contradicts)
        importances[unsure] = "vital"
    ranked = [
        RankedCluster(cluster, some, relatedness[cluster.first], importance, others, at == unsure)
        for at, (cluster, some, importance, others) in enumerate(zip(kept, runs, importances, contradicts, strict=True))
    ]
    return Ranking(tuple(ranked), cut, order.unrelated)


@dataclass
class _Order:
    """Counts the runs of clusters, and sorts them."""

    said_by: Sequence[Sequence[str]]
    places: Sequence[float]
    relatedness: Sequence[float]
    min_runs: int
    far: float
    unrelated: int = 0
    """How many were left out because they are not about the question."""
    counted: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The runs of clusters that were counted already, by the first sentence."""

    def runs(self, cluster: Cluster) -> tuple[str, ...]:
        if cluster.first in self.counted:
            return self.counted[cluster.first]
        whole = [at for at, degree in zip(cluster.members, cluster.degrees, strict=True) if degree >= HALF]
        return tuple(dict.fromkeys(run for at in whole for run in self.said_by[at]))

    def sorted(self, clusters: Sequence[Cluster]) -> list[Cluster]:
        """Without those that too few runs say, and those that one run says and are not about the question."""
        entries: list[tuple[int, float, float, int, Cluster]] = []
        for cluster in clusters:
            count, related = len(self.runs(cluster)), self.relatedness[cluster.first]
            if count == 1 and related < self.far:
                self.unrelated += 1
            elif count >= self.min_runs:
                entries.append((-count, -related, self.places[cluster.first], len(entries), cluster))
        return [entry[-1] for entry in sorted(entries, key=lambda entry: entry[:-1])]


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


def suggested_importance(
    runs: Sequence[int], is_far: Sequence[bool] = (), contradicts: Sequence[Sequence[int]] = ()
) -> list[Importance]:
    """Vital is about the first half of the nugs, as far as at least two runs say them; the others are okay.

    The cut is the one nearest to the half that falls between different numbers of runs: the same number, the same
    importance. Where no nug is said by two runs, the first third is called vital. runs: how many say each nug, in
    their order. is_far: which are far from the question; they are never called vital. contradicts: the places of the
    nugs that contradict each; it is vital only if at least two runs say it, and twice as many as say any of those.

    >>> suggested_importance([8, 5, 2, 1, 1])
    ['vital', 'vital', 'vital', 'okay', 'okay']
    >>> suggested_importance([3, 2, 2, 2, 1])
    ['vital', 'vital', 'vital', 'vital', 'okay']
    >>> suggested_importance([1, 1, 1])
    ['vital', 'okay', 'okay']
    >>> suggested_importance([4, 3, 2, 2], is_far=[True, False, False, False])
    ['okay', 'vital', 'okay', 'okay']
    >>> suggested_importance([4, 3, 2, 1], contradicts=[[1], [0], [], []])
    ['okay', 'okay', 'okay', 'okay']
    """
    vital = _first_vital(runs)
    importances: list[Importance] = []
    for at, count in enumerate(runs):
        others = contradicts[at] if contradicts else ()
        clear = all(count >= max(FEWEST_RUNS, 2 * runs[other]) for other in others)
        importances.append("vital" if at < vital and clear and not any(is_far[at : at + 1]) else "okay")
    return importances


def least_doubtful(is_far: Sequence[bool], contradicts: Sequence[Sequence[int]]) -> int:
    """The nug to call vital where none is: without one, measures of vital nugs are undefined for the query.

    The first (most runs say it) that nothing contradicts and that is about the question; else the first that nothing
    contradicts; else the first.

    >>> least_doubtful([False, False, False], [[1], [0], []])
    2
    >>> least_doubtful([True, True], [[], []])
    0
    """
    return min(range(len(is_far)), key=lambda at: (bool(contradicts[at]), is_far[at]))


def _first_vital(runs: Sequence[int]) -> int:
    """How many nugs come before the cut."""
    if max(runs, default=0) < FEWEST_RUNS:
        return -(-len(runs) // 3)
    cuts = [
        at for at in range(1, len(runs) + 1) if runs[at - 1] >= FEWEST_RUNS and runs[at - 1 : at] != runs[at : at + 1]
    ]
    return min(cuts, key=lambda at: (abs(at - len(runs) / 2), -at))
