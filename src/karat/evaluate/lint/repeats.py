"""Finds what appears twice among millions of entries, with little time and memory."""

from __future__ import annotations

from array import array
from collections import Counter
from heapq import merge
from itertools import pairwise

SPILL = 1 << 20
"""How many hashes are kept in a set; beyond that they are packed into arrays of eight bytes each."""


class Repeats:
    """Takes the hashes of all entries; `suspects` gives those that appeared more than once.

    Different entries have the same hash very rarely, but it is possible: the caller reads the data once more and
    compares the suspects exactly.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._packed: list[array[int]] = []
        self._suspects: set[int] = set()

    def add(self, hashes: list[int]) -> None:
        """Take the hashes of some entries and compare them with all earlier hashes."""
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
        """The hashes that appeared more than once."""
        if self._packed:
            rows = [*self._packed, array("q", sorted(self._seen))]
            self._suspects.update(left for left, right in pairwise(merge(*rows)) if left == right)
        return self._suspects
