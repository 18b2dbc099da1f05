"""Cluster sentences that say nearly the same; each cluster is a candidate for a nug.

The similarity of two sentences is the Dice coefficient of their content words, weighted by how rare they are:

    sim(a, b) = 2 sum idf(common words) / (sum idf(a) + sum idf(b))

and 0 if their numbers differ, if only one of them is negated, or if both have names but no name in common. Clusters are
made by average linkage above a threshold. The same input always gives the same clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from karat.model import UsageError
from karat.text.stems import stemmer
from karat.text.words import content_words, has_digit, is_negated, spelt_words

Floats = NDArray[np.float64]
MOST = 8_000
"""The greatest number of sentences; all pairs are compared, and more would not fit into memory."""
NEAR = 0.8
"""A nugget with at least this similarity to the medoid says the whole nug."""


@dataclass(frozen=True)
class Cluster:
    """Sentences that say nearly the same: their numbers, the medoid (the most central one), and how far each says what
    the medoid says (0 to 1)."""

    members: tuple[int, ...]
    medoid: int
    degrees: tuple[float, ...]


@dataclass(frozen=True)
class _SentenceWords:
    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negated: bool


def similarities(sentences: Sequence[str]) -> Floats:
    """The similarity of each sentence to each."""
    by_sentence = [_words(sentence) for sentence in sentences]
    pool = sorted({stem for words in by_sentence for stem in words.stems})
    column = {stem: at for at, stem in enumerate(pool)}
    seen = np.zeros(len(pool))
    for words in by_sentence:
        seen[[column[stem] for stem in words.stems]] += 1
    weight = np.array([log(1 + len(sentences) / count) for count in seen])
    from scipy.sparse import csr_array

    rows = [at for at, words in enumerate(by_sentence) for _ in words.stems]
    columns = [column[stem] for words in by_sentence for stem in words.stems]
    table = csr_array((np.sqrt(weight[columns]), (rows, columns)), shape=(len(sentences), len(pool)))
    common = np.asarray((table @ table.T).todense())
    weights = common.diagonal()
    total = weights[:, None] + weights[None, :]
    alike = np.divide(2 * common, total, out=np.zeros_like(common), where=total > 0)
    for at, words in enumerate(by_sentence):
        for other in np.flatnonzero(alike[at, at + 1 :] > 0) + at + 1:
            if _contradict(words, by_sentence[other]):
                alike[at, other] = alike[other, at] = 0.0
    np.fill_diagonal(alike, 1.0)
    return np.asarray(alike, np.float64)


def cluster_sentences(sentences: Sequence[str], *, threshold: float = 0.55) -> list[Cluster]:
    """Clusters of sentences, in the order of their first members; a sentence is in one cluster, or in several.

    The degree of a member is 1 if its similarity to the medoid is at least 0.8, otherwise the similarity. If a sentence
    is in several clusters, its degrees are scaled down to a sum of 1 (White et al. 2008). A single member has degree 1.
    """
    if len(sentences) > MOST:
        raise UsageError(
            f"one query has {len(sentences):,} nuggets, but at most {MOST:,} can be compared: use fewer --types or runs"
        )
    if not sentences:
        return []
    alike = similarities(sentences)
    groups = _linked(alike, threshold)
    medoids = [_middle(group, alike) for group in groups]
    return _with_degrees(groups, medoids, alike, threshold)


def _middle(group: list[int], alike: Floats) -> int:
    """The medoid: the sentence that is most similar to the others; of equals the first."""
    return group[int(np.argmax(alike[np.ix_(group, group)].sum(axis=1)))]


def _linked(alike: Floats, threshold: float) -> list[list[int]]:
    if len(alike) == 1:
        return [[0]]
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    labels = fcluster(linkage(squareform(1.0 - alike, checks=False), "average"), 1.0 - threshold, "distance")
    groups: dict[int, list[int]] = {}
    for at, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(at)
    return sorted(groups.values())


def _with_degrees(groups: list[list[int]], medoids: list[int], alike: Floats, threshold: float) -> list[Cluster]:
    home = {at: number for number, group in enumerate(groups) for at in group}
    to_medoid = alike[:, medoids]
    shares: list[dict[int, float]] = [{} for _ in groups]
    for at in range(len(alike)):
        degrees = {home[at]: to_medoid[at, home[at]]}
        for number in np.flatnonzero(to_medoid[at] >= threshold).tolist():
            degrees.setdefault(number, to_medoid[at, number])
        degrees = {number: 1.0 if value >= NEAR else float(value) for number, value in degrees.items()}
        if len(groups[home[at]]) == 1:
            # The only member of its cluster says the whole nug; a share in other clusters would count it twice.
            degrees = {home[at]: 1.0}
        total = sum(degrees.values())
        for number, value in degrees.items():
            shares[number][at] = round(value / max(total, 1.0), 2)
    return [
        Cluster(tuple(sorted(share)), medoid, tuple(share[at] for at in sorted(share)))
        for share, medoid in zip(shares, medoids, strict=True)
    ]


def _words(sentence: str) -> _SentenceWords:
    stem = stemmer("english")
    spelt = spelt_words(sentence)
    names = frozenset(
        word.lower() for at, word in enumerate(spelt) if at and word[:1].isupper() and not has_digit(word)
    )
    content = content_words(sentence)
    return _SentenceWords(
        frozenset(stem(word) for word in content),
        frozenset(word for word in content if has_digit(word)),
        names,
        is_negated(sentence),
    )


def _contradict(left: _SentenceWords, other: _SentenceWords) -> bool:
    if left.negated != other.negated or left.numbers != other.numbers:
        return True
    return bool(left.names and other.names) and left.names.isdisjoint(other.names)
