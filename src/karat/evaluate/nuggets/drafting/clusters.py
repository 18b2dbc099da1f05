"""Candidates that say the same become one nug: each contains what the others say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.nuggets.drafting.conflicts import Flags
from karat.evaluate.nuggets.drafting.sameness import Floats

APART = 1e9
"""The distance of sentences of which neither may contain the other: no average with it is below the threshold."""
IDEAL_WORDS = 16
"""The number of words of a description that reads best; longer ones are chosen less."""


_LIST_INTRO = re.compile(
    r"\b(?:two|three|four|five|six|several|many|various|multiple|following)\b[^.:]{0,60}:", re.IGNORECASE
)
"""Promises several things ("in three stages: the first leg was ..."), which may not all follow."""


@dataclass(frozen=True)
class Cluster:
    """Sentences that say the same: the clearest, and to what degree each of them says what the clearest says."""

    first: int
    members: tuple[int, ...]
    """All that say it, wholly or in part, in order; a sentence that says more may be a member of several clusters."""
    degrees: tuple[float, ...]
    equals: tuple[int, ...]
    """The members of which each contains the first and is contained in it; the first, then the clearest."""


def cluster(
    contains: Floats, *, threshold: float, penalty: Sequence[float], conflicts: Flags | None = None
) -> list[Cluster]:
    """Clusters of sentences by average linkage of min(contains(i, j), contains(j, i)), above a threshold.

    Sentences of which one contains nothing of the other are never in one cluster. conflicts: which sentences contradict
    each other. They are never in one cluster, and no sentence is a member of two clusters that contradict each other
    (`opposed`) or of one that has a sentence which contradicts it.

    penalty: how far each sentence is from reading well; the first of a cluster is the sentence that is most similar to
    the others, less its penalty. The degree of a member is 1 where each contains the other. Where only the member
    contains the first sentence, or is contained in it, its degree is how surely it contains it.
    """
    if not len(contains):
        return []
    if conflicts is None:
        conflicts = np.zeros(contains.shape, np.bool_)
    contains = np.where(conflicts, np.float32(0), contains)
    mutual = np.minimum(contains, contains.T)
    groups = _linked(mutual, threshold)
    found = []
    for group in groups:
        first = _clearest(group, mutual, penalty)
        same = [at for at in group if at != first and mutual[at, first] >= threshold]
        found.append(Cluster(first, (), (), (first, *sorted(same, key=lambda at: (penalty[at], at)))))
    shares = _shares(groups, found, contains, conflicts, threshold)
    return [
        replace(one, members=tuple(sorted(share)), degrees=tuple(share[at] for at in sorted(share)))
        for one, share in zip(found, shares, strict=True)
    ]


def opposed(clusters: Sequence[Cluster], conflicts: Flags) -> Flags:
    """Row i, column j: whether a sentence that says the same as cluster i contradicts one of cluster j."""
    against = np.array([conflicts[list(cluster.equals)].any(axis=0) for cluster in clusters], np.bool_)
    found = [against[:, list(cluster.equals)].any(axis=1) for cluster in clusters]
    return np.array(found, np.bool_).reshape(len(clusters), len(clusters))


def _clearest(group: list[int], mutual: Floats, penalty: Sequence[float]) -> int:
    central = mutual[np.ix_(group, group)].mean(axis=1)
    return group[int(np.argmax(central - np.array([penalty[at] for at in group])))]


def _linked(mutual: Floats, threshold: float) -> list[list[int]]:
    if len(mutual) == 1:
        return [[0]]
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance: NDArray[np.float64] = 1.0 - mutual.astype(np.float64)
    distance[mutual <= 0.0] = APART
    np.fill_diagonal(distance, 0.0)
    labels = fcluster(linkage(squareform(distance, checks=False), "average"), 1.0 - threshold, "distance")
    groups: dict[int, list[int]] = {}
    for at, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(at)
    return sorted(groups.values())


def _shares(
    groups: list[list[int]], clusters: list[Cluster], contains: Floats, conflicts: Flags, threshold: float
) -> list[dict[int, float]]:
    """The degree of each sentence in each cluster that it is a member of."""
    home = {at: number for number, group in enumerate(groups) for at in group}
    shares: list[dict[int, float]] = [{} for _ in groups]
    firsts = [cluster.first for cluster in clusters]
    against = opposed(clusters, conflicts)
    contradicted = np.array([conflicts[list(cluster.equals)].any(axis=0) for cluster in clusters], np.bool_)
    whole = contains[:, firsts]
    part = contains[firsts, :].T
    for at in range(len(contains)):
        degrees: dict[int, float] = {}
        for number in np.flatnonzero((whole[at] >= threshold) | (np.arange(len(groups)) == home[at])).tolist():
            if contradicted[number, at]:
                continue
            both = whole[at, number] >= threshold and part[at, number] >= threshold
            degrees[number] = 1.0 if both or (number == home[at] and firsts[number] == at) else float(whole[at, number])
        kept: list[int] = []
        for _, _, number in sorted((number != home[at], -degree, number) for number, degree in degrees.items()):
            if not against[number, kept].any():
                kept.append(number)
                shares[number][at] = degrees[number]
    return shares


def scaled(clusters: Sequence[Cluster]) -> list[Cluster]:
    """The clusters with degrees that sum to at most 1 per sentence (White et al. 2008).

    A cluster's only member has degree 1 and is in no other cluster. A sentence keeps at least half in the cluster where
    it says the same and no more; what is left is divided among the others as their degrees are.
    """
    alone = {cluster.first for cluster in clusters if len(cluster.members) == 1}
    kept = [
        {
            at: degree
            for at, degree in zip(cluster.members, cluster.degrees, strict=True)
            if at not in alone or at == cluster.first
        }
        for cluster in clusters
    ]
    total: Counter[int] = Counter()
    own: dict[int, float] = {}
    for cluster, degrees in zip(clusters, kept, strict=True):
        total.update(degrees)
        own |= {at: degrees[at] for at in cluster.equals if at in degrees}
    found = []
    for cluster, degrees in zip(clusters, kept, strict=True):
        new = {}
        for at, degree in degrees.items():
            whole = total[at]
            if whole > 1.0 and at in own:
                half = max(0.5, own[at] / whole)
                degree = half if at in cluster.equals else degree * (1.0 - half) / (whole - own[at])
            new[at] = round(degree / whole if whole > 1.0 and at not in own else degree, 2)
        found.append(replace(cluster, members=tuple(new), degrees=tuple(new.values())))
    return found


def penalty_of(text: str, *, is_changed: bool, sentences: int = 1, is_order: bool = False) -> float:
    """How far a sentence is from a good description: too long, names written for pronouns, two sentences, an order to
    the reader, the beginning of a list."""
    words = len(text.split())
    length = 0.01 * max(0, words - IDEAL_WORDS) + 0.03 * max(0, 6 - words)
    intro = _LIST_INTRO.search(text) is not None
    return length + 0.1 * is_changed + 0.2 * (sentences - 1) + 0.2 * is_order + 0.15 * intro
