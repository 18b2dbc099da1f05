"""Words that prove a nug: finds a typed passage in a response."""

from __future__ import annotations

import re

import msgspec

from karat.model import Response

_GAP = re.compile(r"\s*(?:\.\.\.|…)\s*")


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a snippet's text."""

    snippet_id: str
    start: int
    end: int
    text: str
    """The piece, with all white space as single blanks."""


def find_passage(response: Response, typed: str) -> Passage | None:
    """The first place of the typed words, ignoring case and white space; None if the response does not contain them.

    `first words ... last words` finds everything from the first words to the nearest last words after them.
    """
    if not typed.strip():
        return None
    for snippet in response.snippets:
        span = _span(snippet.text, typed)
        if span is not None:
            start, end = span
            text = " ".join(snippet.text[start:end].split())
            return Passage(snippet_id=snippet.snippet_id, start=start, end=end, text=text)
    return None


def _span(text: str, typed: str) -> tuple[int, int] | None:
    whole = _words(typed).search(text)
    if whole:
        return whole.span()
    parts = _GAP.split(typed.strip())
    if len(parts) != 2 or not all(parts):
        return None
    first = _words(parts[0]).search(text)
    last = _words(parts[1]).search(text, first.end()) if first else None
    return (first.start(), last.end()) if first and last else None


def _words(typed: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, typed.split())), re.IGNORECASE)
