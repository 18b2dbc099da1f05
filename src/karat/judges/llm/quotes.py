"""Quotes as evidence: a passage that a model copied counts only where it is really in the response."""

from __future__ import annotations

import re

from karat.model import Evidence, Nug, Response
from karat.text.stems import stemmer
from karat.text.words import content_words

LEAST = 3
"""A shorter quote could be anywhere."""
MOST_WORDS = 12
_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "\u00a0": " "})


def find_quote(quote: str, response: Response) -> tuple[str, int, int] | None:
    """The snippet and the span of a quote; None where no snippet has it.

    Case, white space, and the kinds of quotation marks and dashes do not matter.
    """
    wanted = quote.translate(_SAME).strip().strip('"').strip()
    wanted = wanted.removesuffix("...").removesuffix("…").strip()
    if len(wanted) < LEAST:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, wanted.split())), re.IGNORECASE)
    for snippet in response.snippets:
        # Every replacement is one character for one, so that places stay.
        if (match := pattern.search(snippet.text.translate(_SAME))) is not None:
            return snippet.snippet_id, match.start(), match.end()
    return None


def evidence_of(quote: str, response: Response, nug: Nug) -> Evidence | None:
    """The evidence of a quote: its place, and the words that it shares with the nug."""
    found = find_quote(quote, response)
    if found is None:
        return None
    snippet_id, start, end = found
    text = next(snippet.text for snippet in response.snippets if snippet.snippet_id == snippet_id)[start:end]
    words = shared_words(text, nug)[:MOST_WORDS]
    return Evidence(words=tuple(words), extra={"snippet_id": snippet_id, "span": [start, end]})


def shared_words(text: str, nug: Nug) -> list[str]:
    """The words of a text that the descriptions of a nug have as well, in any form."""
    stem = stemmer("english")
    wanted = {stem(word) for description in nug.descriptions for word in content_words(description)}
    return [word for word in dict.fromkeys(content_words(text)) if stem(word) in wanted]
