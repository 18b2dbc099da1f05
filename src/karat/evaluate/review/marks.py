"""Words that prove a nug: where in a response a passage stands that somebody typed."""

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
    """The piece with white space made plain."""


def find_passage(response: Response, typed: str) -> Passage | None:
    """The first place where the typed words stand, whatever their case and white space; None where they do not.

    `first words ... last words` is everything from the first words to the nearest last words after them.
    """
    if not typed.strip():
        return None
    for snippet in response.snippets:
        found = _span(snippet.text, typed)
        if found is not None:
            start, end = found
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
