"""Finding what stands twice among millions, at little cost in time and memory."""

from __future__ import annotations

from array import array
from collections import Counter
from heapq import merge
from itertools import pairwise

SPILL = 1 << 20
"""How many hashes are held in a set; what is more is packed away at eight bytes each."""


class Repeats:
    """Takes the hashes of all entries; `suspects` gives those that came more than once.

    Different entries hardly ever share a hash, but they may: whoever has suspects goes over the data once more and
    compares those entries exactly.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._packed: list[array[int]] = []
        self._suspects: set[int] = set()

    def add(self, hashes: list[int]) -> None:
        """Take the hashes of some thousand entries and compare them with what was there before."""
        fresh = set(hashes)
        if len(fresh) < len(hashes):
            self._suspects.update(code for code, times in Counter(hashes).items() if times > 1)
        if not self._seen.isdisjoint(fresh):
            self._suspects |= self._seen & fresh
        self._seen |= fresh
        if len(self._seen) >= SPILL:
            self._packed.append(array("q", sorted(self._seen)))
            self._seen = set()

    def suspects(self) -> set[int]:
        """The hashes that came more than once."""
        if self._packed:
            rows = [*self._packed, array("q", sorted(self._seen))]
            self._suspects.update(left for left, right in pairwise(merge(*rows)) if left == right)
        return self._suspects
