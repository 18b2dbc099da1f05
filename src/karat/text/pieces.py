"""Cut long texts into pieces, because the memory that a parser needs grows with the length of its text."""

from __future__ import annotations

import re

from karat.text.sentences import sentence_spans

MOST_CHARACTERS = 20_000
"""The greatest length of a piece; spaCy needs about 1 MB per thousand characters."""
ALONE = 1_000
"""A longer sentence is a piece of its own. `sentence_spans` cuts text without punctuation at 2,000 characters, and two
of these together would be one sentence for the parser, too long for semantic roles."""
_BREAK = re.compile(r"\s+")


def pieces(text: str, *, most: int = MOST_CHARACTERS) -> list[tuple[int, int]]:
    """The start and end of each piece. A piece is made of whole sentences; together they cover all but white space.

    A sentence longer than `most` is cut at white space, and a word longer than `most` anywhere.

    >>> pieces("One two. Three four.", most=12)
    [(0, 8), (9, 20)]
    """
    if len(text) <= most:
        return [(0, len(text))] if text.strip() else []
    places: list[tuple[int, int]] = []
    alone = False
    for start, end in sentence_spans(text):
        if places and end - places[-1][0] <= most and not alone and end - start <= ALONE:
            places[-1] = (places[-1][0], end)
        else:
            places.extend(_cut(text, start, end, most))
        alone = end - start > ALONE
    return places


def _cut(text: str, start: int, end: int, most: int) -> list[tuple[int, int]]:
    places = []
    while end - start > most:
        spaces = [match.span() for match in _BREAK.finditer(text, start + most // 2, start + most)]
        stop, following = spaces[-1] if spaces else (start + most, start + most)
        places.append((start, stop))
        start = following
    if start < end:
        places.append((start, end))
    return places
