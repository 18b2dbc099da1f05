"""How many characters a nug takes, from text that was nuggetized (White et al. 2008, section 7.3).

    density = characters, white space not counted, of the nuggetized snippets / number of nuggets in them

The paper recommends to nuggetize some irrelevant text for it, because the density serves to estimate how many wrong
nugs un-nuggetized irrelevant text has. A snippet counts as nuggetized where it has nuggets.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args

import msgspec

from karat.measures.cases.response_text import chosen_nuggets
from karat.model import Collection, UsageError

Text = Literal["irrelevant", "all"]
Place = tuple[str, str, str]
"""A query, a run and a snippet."""


class Density(msgspec.Struct, frozen=True, kw_only=True):
    """Characters and nuggets of the text, and characters per nugget; None, with the reason, where it is unknown."""

    chars: int
    nuggets: int
    density: float | None
    reason: str | None = None


def estimate_density(collection: Collection, *, text: Text = "irrelevant", run_id: str | None = None) -> Density:
    """The density of nuggets in snippets labelled irrelevant, or in all nuggetized snippets; of one run or of all.

    A snippet is irrelevant where more than half of its assessors say so. Of nuggets of several sources in a snippet
    the corrected ones count, else a person's, else the automatic ones.
    """
    if text not in get_args(Text):
        raise UsageError(f"text={text!r} is not one of {', '.join(get_args(Text))}")
    nuggets: Counter[Place] = Counter(
        (nugget.query_id, nugget.run_id, nugget.snippet_id)
        for nugget in chosen_nuggets(collection.nuggets, responses=collection.responses)
        if run_id is None or nugget.run_id == run_id
    )
    if not nuggets:
        return _unknown("there are no nuggets")
    if text == "irrelevant":
        irrelevant = _irrelevant(collection)
        nuggets = Counter({place: count for place, count in nuggets.items() if place in irrelevant})
        if not nuggets:
            return _unknown("no snippet with nuggets is labelled irrelevant")
    chars = number = 0
    for response in collection.responses:
        for snippet in response.snippets:
            count = nuggets[response.query_id, response.run_id, snippet.snippet_id]
            if count:
                chars += len("".join(snippet.text.split()))
                number += count
    if not chars:
        return _unknown("the files do not have the texts of the snippets")
    return Density(chars=chars, nuggets=number, density=chars / number)


def _irrelevant(collection: Collection) -> set[Place]:
    """The snippets that most of their assessors call irrelevant."""
    balance: Counter[Place] = Counter()
    for relevance in collection.relevances:
        balance[relevance.query_id, relevance.run_id, relevance.snippet_id] += (
            1 if relevance.label == "irrelevant" else -1
        )
    return {place for place, more in balance.items() if more > 0}


def _unknown(reason: str) -> Density:
    return Density(chars=0, nuggets=0, density=None, reason=reason)
