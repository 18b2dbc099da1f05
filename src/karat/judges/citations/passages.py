"""Where in a document a claim may be said: windows of one to three sentences, and a few sentences that go together.

With W(t) the weight of the claim's stem t, the coverage of a set of sentences is the sum of W(t) over the stems that
are in them. The best window of each length is found from an index of words. The union is grown from the best sentence:
the sentence that adds most is added, while it adds at least .05, up to three. Names are often said once, at the
beginning; so the stems of the document's title count in windows and in the union, but not in single sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.judges.citations.claims import Claim
from karat.judges.citations.documents import Source

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
WIDEST = 3
"""Sentences of a window, and of a union."""
ADDS = 0.05
"""What a sentence must add to be in the union."""
LOOKED_AT = 6
"""How many sentences are looked at closely for their meaning, besides those of the windows and the union."""


@dataclass(frozen=True)
class Passages:
    """The places of a document where a claim may be said; empty where the document has no sentence."""

    has: Bools
    """Stems of the claim x sentences."""
    title: Bools
    """Which stems are in the title."""
    coverage: Floats
    """Of each sentence."""
    windows: tuple[tuple[int, int], ...]
    """The best window of 1, 2 and 3 sentences: first and last + 1."""
    union: tuple[int, ...]
    """In the order of the document."""

    @property
    def is_empty(self) -> bool:
        return not len(self.coverage)

    def looked_at(self) -> tuple[int, ...]:
        """The sentences whose meaning is read: the best by words, those of windows and the union, with neighbours."""
        order = np.argsort(-self.coverage, kind="stable")[:LOOKED_AT].tolist()
        wanted = {*order, *self.union, 0}
        for first, last in self.windows:
            wanted |= set(range(first, last))
        wanted |= {at + 1 for at in order[:2]} | {at - 1 for at in order[:2]}
        return tuple(sorted(at for at in wanted if 0 <= at < len(self.coverage)))


def find_passages(claim: Claim, source: Source) -> Passages:
    """The best windows and the union of a document for a claim."""
    count = len(source.spans)
    has = np.zeros((len(claim.forms), count), bool)
    for row, form in enumerate(claim.forms):
        found = source.places.get(form)
        if found is not None:
            has[row, list(found)] = True
    title = np.array([form in source.title_forms for form in claim.forms], bool)
    coverage: Floats = claim.weights @ has
    if not count:
        return Passages(has, title, coverage, (), ())
    windows = tuple(_best_window(has | title[:, None], claim.weights, width) for width in range(1, WIDEST + 1))
    return Passages(has, title, coverage, windows, _union(has, title, claim.weights, coverage))


def _best_window(has: Bools, weights: Floats, width: int) -> tuple[int, int]:
    count = has.shape[1]
    width = min(width, count)
    together = has[:, : count - width + 1].copy()
    for step in range(1, width):
        together |= has[:, step : count - width + 1 + step]
    first = int((weights @ together).argmax())
    return first, first + width


def _union(has: Bools, title: Bools, weights: Floats, coverage: Floats) -> tuple[int, ...]:
    chosen = [int(coverage.argmax())]
    covered = has[:, chosen[0]] | title
    while len(chosen) < min(WIDEST, has.shape[1]):
        added: Floats = weights @ (has & ~covered[:, None])
        best = int(added.argmax())
        if added[best] < ADDS:
            break
        chosen.append(best)
        covered = covered | has[:, best]
    return tuple(sorted(chosen))
