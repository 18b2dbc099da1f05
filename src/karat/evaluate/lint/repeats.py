"""Finding judgements made twice, in a fixed amount of memory however many there are."""

from __future__ import annotations

from collections.abc import Hashable

_BITS = 28
_MASK = (1 << _BITS) - 1


class RepeatSuspects:
    """A Bloom filter of what went by: 32 MiB, four bits an entry.

    A repeat is always suspected; up to some millions of entries hardly anything else is. Whoever has suspects goes
    over the data once more and compares those entries exactly.
    """

    def __init__(self) -> None:
        self._filter = bytearray(1 << (_BITS - 3))
        self.suspects: set[int] = set()

    def add(self, key: Hashable) -> None:
        """Note an entry; its hash joins `suspects` where it may have been there before."""
        seen = self._filter
        code = hash(key)
        step = (code >> 32) | 1
        known = True
        place = code
        for _ in range(4):
            index, bit = (place & _MASK) >> 3, 1 << (place & 7)
            if not seen[index] & bit:
                seen[index] |= bit
                known = False
            place += step
        if known:
            self.suspects.add(code)
