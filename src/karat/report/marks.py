"""Deciding words of a text, set off where the output is no terminal, and Markdown taken off where it would disturb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

import msgspec

Mark = tuple[int, int]
_MARKDOWN = re.compile(
    r"\*\*(?P<bold>[^*\n]+)\*\*"
    r"|(?<![\w*])\*(?P<italic>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|(?<!\w)__(?P<strong>[^_\n]+)__(?!\w)"
    r"|`(?P<code>[^`\n]+)`"
    r"|\[(?P<link>[^\[\]\n]+)\]\(https?://[^()\s]*\)"
    r"|^\#{1,6}[ ]+(?P<title>[^\n]*)$",
    re.MULTILINE,
)


class MarkedText(msgspec.Struct, frozen=True):
    """A text and the places of the words that decided."""

    text: str
    marks: tuple[Mark, ...]


def set_off(words: str) -> str:
    """Between double brackets: stars and underlines are what answers themselves are written with."""
    return f"[[{words}]]"


def joined_marks(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks with nothing but blanks between them are one.

    >>> joined_marks("the red fox swims", [(4, 7), (8, 11), (12, 17)])
    ((4, 17),)
    """
    found: list[Mark] = []
    for start, end in sorted(marks):
        if found and not text[found[-1][1] : start].strip():
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def without_markdown(text: str, marks: Sequence[Mark]) -> MarkedText:
    """The text without emphasis, code marks, titles' signs and addresses of links, and the marks where they then lie.

    >>> without_markdown("The **red** [fox](https://example.org).", [(6, 9), (13, 16)])
    MarkedText(text='The red fox.', marks=((4, 7), (8, 11)))
    """
    while True:
        shown = [True] * len(text)
        for match in _MARKDOWN.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            for at in (*range(match.start(), start), *range(end, match.end())):
                shown[at] = False
        if all(shown):
            return MarkedText(text, tuple(marks))
        # A link inside emphasis is seen when the emphasis is off.
        places = [0, *accumulate(shown)]
        text = "".join(letter for letter, kept in zip(text, shown, strict=True) if kept)
        marks = [(places[start], places[end]) for start, end in marks if places[start] < places[end]]
