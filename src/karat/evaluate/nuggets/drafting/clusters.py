"""Candidates that say the same become one nug: each contains what the others say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.nuggets.drafting.sameness import Floats

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
    """The members that say the same and no more, the clearest first."""


def cluster(contains: Floats, *, threshold: float, penalty: Sequence[float]) -> list[Cluster]:
    """Clusters of sentences by average linkage of min(contains(i, j), contains(j, i)), above a threshold.

    penalty: how far each sentence is from reading well; the first of a cluster is the sentence that is most similar to
    the others, less its penalty. The degree of a member is 1 where each contains the other. Where only the member
    contains the first sentence, or is contained in it, its degree is how surely it contains it.
    """
    if not len(contains):
        return []
    mutual = np.minimum(contains, contains.T)
    groups = _linked(mutual, threshold)
    firsts = [_clearest(group, mutual, penalty) for group in groups]
    shares = _shares(groups, firsts, contains, threshold)
    return [
        Cluster(
            first=first,
            members=tuple(sorted(share)),
            degrees=tuple(share[at] for at in sorted(share)),
            equals=(first, *sorted((at for at in group if at != first), key=lambda at: (penalty[at], at))),
        )
        for group, first, share in zip(groups, firsts, shares, strict=True)
    ]


def _clearest(group: list[int], mutual: Floats, penalty: Sequence[float]) -> int:
    central = mutual[np.ix_(group, group)].mean(axis=1)
    return group[int(np.argmax(central - np.array([penalty[at] for at in group])))]


def _linked(mutual: Floats, threshold: float) -> list[list[int]]:
    if len(mutual) == 1:
        return [[0]]
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance: NDArray[np.float64] = 1.0 - mutual.astype(np.float64)
    np.fill_diagonal(distance, 0.0)
    labels = fcluster(linkage(squareform(distance, checks=False), "average"), 1.0 - threshold, "distance")
    groups: dict[int, list[int]] = {}
    for at, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(at)
    return sorted(groups.values())


def _shares(groups: list[list[int]], firsts: list[int], contains: Floats, threshold: float) -> list[dict[int, float]]:
    """The degree of each sentence in each cluster that it is a member of."""
    home = {at: number for number, group in enumerate(groups) for at in group}
    shares: list[dict[int, float]] = [{} for _ in groups]
    whole = contains[:, firsts]
    part = contains[firsts, :].T
    for at in range(len(contains)):
        degrees: dict[int, float] = {}
        for number in np.flatnonzero((whole[at] >= threshold) | (np.arange(len(groups)) == home[at])).tolist():
            both = whole[at, number] >= threshold and part[at, number] >= threshold
            degrees[number] = 1.0 if both or (number == home[at] and firsts[number] == at) else float(whole[at, number])
        for number, degree in degrees.items():
            shares[number][at] = degree
    return shares


def penalty_of(text: str, *, is_changed: bool, sentences: int = 1, is_order: bool = False) -> float:
    """How far a sentence is from a good description: too long, names written for pronouns, two sentences, an order to
    the reader, the beginning of a list."""
    words = len(text.split())
    length = 0.01 * max(0, words - IDEAL_WORDS) + 0.03 * max(0, 6 - words)
    intro = _LIST_INTRO.search(text) is not None
    return length + 0.1 * is_changed + 0.2 * (sentences - 1) + 0.2 * is_order + 0.15 * intro
