"""Suggested equivalents: nuggets with the same words first, then those that share most stems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from karat.campaign.work.payloads import NuggetWork, NugWork
from karat.campaign.work.task_data.records import SimilarNuggets
from karat.text import STOP_WORDS, words
from karat.text.stems import stemmer

MOST = 200
LEAST_SCORE = 0.5
MOST_WITH_A_STEM = 100
"""A stem of more nuggets than this (the name of the query's subject) says little, and would cost much."""


def similar_nuggets(
    nuggets: Mapping[str, NuggetWork], nugs: Mapping[str, NugWork], texts: Mapping[int, str]
) -> tuple[SimilarNuggets, ...]:
    """Pairs of nuggets that are in no common nug, best first. Score: shared stems, 2 |A n B| / (|A| + |B|) (Dice).

    A nugget inside another one of the same passage is no suggestion: it shares the words because it is a part of it.
    """
    stems = {key: _stems(nugget, texts[nugget.passage]) for key, nugget in nuggets.items() if nugget.passage in texts}
    holders: dict[str, list[str]] = {}
    for key, of_nugget in stems.items():
        for stem in of_nugget:
            holders.setdefault(stem, []).append(key)
    shared: Counter[tuple[str, str]] = Counter()
    for keys in holders.values():
        if len(keys) <= MOST_WITH_A_STEM:
            shared.update(combinations(keys, 2))
    joined = {
        frozenset(pair) for nug in nugs.values() for pair in combinations([member.nugget for member in nug.members], 2)
    }
    scored = []
    for (first, second), common in shared.items():
        score = 2 * common / (len(stems[first]) + len(stems[second]))
        if score < LEAST_SCORE or frozenset((first, second)) in joined:
            continue
        if not _nested(nuggets[first], nuggets[second]):
            scored.append(SimilarNuggets(nuggets=(first, second), score=round(score, 3)))
    scored.sort(key=lambda pair: (-pair.score, pair.nuggets))
    return tuple(scored[:MOST])


def _nested(one: NuggetWork, other: NuggetWork) -> bool:
    """Whether the text of one is a part of the text of the other, and not all of it."""
    if one.passage != other.passage or one.spans == other.spans:
        return False
    return one.spans.intersection(other.spans) in (one.spans, other.spans)


def _stems(nugget: NuggetWork, text: str) -> frozenset[str]:
    """The stems of the nugget's words; stop words count only where there is nothing else."""
    found = words(nugget.spans.text(text))
    stem = stemmer("english")
    return frozenset(stem(word) for word in found if word not in STOP_WORDS) or frozenset(found)
