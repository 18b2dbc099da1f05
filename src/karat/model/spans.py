"""SpanSet: the places of a text that a nugget, a chunk or a piece of evidence covers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Self

PIECE_SEPARATOR = " ... "


class SpanSet(tuple[tuple[int, int], ...]):
    """A set of code points of a text, as sorted, disjoint, half-open `(start, end)` pairs.

    Touching and overlapping pairs are joined on construction, so equal sets are equal values:

    >>> SpanSet([(10, 15), (0, 4), (4, 6)])
    SpanSet([(0, 6), (10, 15)])
    """

    __slots__ = ()

    def __new__(cls, pairs: Iterable[Sequence[int]] = ()) -> Self:
        return super().__new__(cls, _joined(sorted(_checked(pair) for pair in pairs)))

    def __repr__(self) -> str:
        return f"SpanSet({list(self)})"

    def union(self, other: SpanSet) -> SpanSet:
        """The code points in either set."""
        return SpanSet((*self, *other))

    def intersection(self, other: SpanSet) -> SpanSet:
        """The code points in both sets."""
        pieces: list[tuple[int, int]] = []
        left, right = 0, 0
        while left < len(self) and right < len(other):
            start = max(self[left][0], other[right][0])
            end = min(self[left][1], other[right][1])
            if start < end:
                pieces.append((start, end))
            if self[left][1] < other[right][1]:
                left += 1
            else:
                right += 1
        return SpanSet(pieces)

    def difference(self, other: SpanSet) -> SpanSet:
        """The code points in this set and not in the other."""
        pieces: list[tuple[int, int]] = []
        for start, end in self:
            for other_start, other_end in other:
                if other_end <= start or other_start >= end:
                    continue
                if start < other_start:
                    pieces.append((start, other_start))
                start = max(start, other_end)
            if start < end:
                pieces.append((start, end))
        return SpanSet(pieces)

    def overlaps(self, other: SpanSet) -> bool:
        """Whether the two sets share a code point."""
        return bool(self.intersection(other))

    @property
    def length(self) -> int:
        """How many code points are in the set."""
        return sum(end - start for start, end in self)

    def meaningful_length(self, text: str) -> int:
        """How many of its code points are letters or digits (the unit of nugget overlap)."""
        return sum(sum(map(str.isalnum, text[start:end])) for start, end in self)

    def text(self, text: str) -> str:
        """The covered text, with ` ... ` between pieces.

        >>> SpanSet([(0, 5), (11, 16)]).text("Alpha beta gamma")
        'Alpha ... gamma'
        """
        return PIECE_SEPARATOR.join(text[start:end] for start, end in self)

    def fits(self, text: str) -> bool:
        """Whether every position is inside the text."""
        return not self or self[-1][1] <= len(text)

    def to_utf16(self, text: str) -> list[tuple[int, int]]:
        """The same places counted in UTF-16 code units, as JavaScript counts them."""
        astral = [index for index, character in enumerate(text) if ord(character) > 0xFFFF]
        if not self.fits(text):
            raise ValueError(f"a span ends at {self[-1][1]}, but the text has {len(text)} characters")
        return [(start + _before(astral, start), end + _before(astral, end)) for start, end in self]

    @classmethod
    def from_utf16(cls, pairs: Iterable[Sequence[int]], text: str) -> SpanSet:
        """Places counted in UTF-16 code units, as code points; half a character is an error."""
        code_point_of: dict[int, int] = {}
        unit = 0
        for index, character in enumerate(text):
            code_point_of[unit] = index
            unit += 2 if ord(character) > 0xFFFF else 1
        code_point_of[unit] = len(text)
        try:
            return cls([(code_point_of[start], code_point_of[end]) for start, end in map(_checked, pairs)])
        except KeyError as error:
            raise ValueError(f"UTF-16 position {error.args[0]} is inside a character or past the end") from None


def _before(positions: list[int], position: int) -> int:
    return bisect_right(positions, position - 1)


def _checked(pair: Sequence[int]) -> tuple[int, int]:
    if (
        not isinstance(pair, list | tuple)
        or len(pair) != 2
        or not all(isinstance(offset, int) and not isinstance(offset, bool) for offset in pair)
    ):
        raise ValueError(f"a span is two whole numbers [start, end], not {pair!r}")
    start, end = pair
    if not 0 <= start < end:
        raise ValueError(f"a span needs 0 <= start < end, not [{start}, {end}]")
    return start, end


def _joined(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in pairs:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
