"""Pairs of nearly equal sets, found without comparing all pairs.

Two sets of s and r elements have a Jaccard index of at least t exactly where they share

    o = ceil(t (s + r) / (1 + t))

elements or more. Let all elements have one order, the rarest first. If the two share o elements, then the first l of
these are among the first s - o + l of the one and the first r - o + l of the other: after the l-th shared element there
are at least o - l more. So it is enough to look at sets that have l of their first elements in common (prefix
filtering: Chaudhuri et al. 2006, Bayardo et al. 2007; with l > 1: Wang et al. 2012). No pair is lost, and because the
first elements are the rare ones, few sets have l of them in common by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations, combinations_with_replacement, islice
from math import ceil

LARGE, VERY_LARGE = 20, 40
"""Above these sizes, fewer elements are looked up together: there would be too many combinations of them."""


def near_pairs(sets: Sequence[frozenset[str]], least: float, *, most: int) -> list[tuple[int, int]]:
    """The positions (i < j, in order) of all pairs of sets with a Jaccard index of at least `least`.

    Where there are more than `most` pairs the search ends early, with `most` + 1 of them. An empty set resembles
    nothing.

    >>> near_pairs([frozenset("abcde"), frozenset("xyz"), frozenset("abcd")], 0.8, most=10)
    [(0, 2)]
    """
    # Equal sets have the same neighbours: each different set is looked at once.
    places: dict[frozenset[str], list[int]] = {}
    for place, each in enumerate(sets):
        if each:
            places.setdefault(each, []).append(place)
    equal = chain.from_iterable(combinations(same, 2) for same in places.values())
    near = ((one, other) for left, right in _near(places, least) for one in places[left] for other in places[right])
    return sorted((min(pair), max(pair)) for pair in islice(chain(equal, near), most + 1))


def _near(sets: Collection[frozenset[str]], least: float) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Those of different sets that are near each other, each pair once."""
    frequency = Counter(chain.from_iterable(sets))
    by_size: dict[int, list[tuple[str, ...]]] = {}
    for each in sets:
        by_size.setdefault(len(each), []).append(tuple(sorted(each, key=lambda word: (frequency[word], word))))
    for small, large in combinations_with_replacement(sorted(by_size), 2):
        shared = least_shared(small, large, least)
        if shared > small or shared == large:
            # Too different in size, or near only where they are equal.
            continue
        together = min(shared, 3 if large <= LARGE else 2 if large <= VERY_LARGE else 1)
        having: dict[tuple[str, ...], list[int]] = {}
        for place, ordered in enumerate(by_size[small]):
            for first in combinations(ordered[: small - shared + together], together):
                having.setdefault(first, []).append(place)
        for place, ordered in enumerate(by_size[large]):
            combined = combinations(ordered[: large - shared + together], together)
            candidates = {other for first in combined for other in having.get(first, ())}
            own = frozenset(ordered)
            for other in sorted(candidates):
                # Within one size, each pair is met from both sides.
                if (small < large or other < place) and len(own.intersection(by_size[small][other])) >= shared:
                    yield frozenset(by_size[small][other]), own


def least_shared(small: int, large: int, least: float) -> int:
    """How many elements sets of these sizes have to share, so that shared / (small + large - shared) >= least."""
    # The formula may be wrong by a rounding; what counts is the comparison itself.
    shared = max(0, ceil(least * (small + large) / (1 + least)) - 2)
    while shared < least * (small + large - shared):
        shared += 1
    return shared
