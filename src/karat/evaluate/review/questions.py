"""What a review asks, and what an answer changes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.evaluate.review.order import Pair
from karat.model import Judgement, Nug


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a person needs to see to decide about a nug and a response."""

    pair: Pair
    query: str
    nug: Nug
    probability: float
    """The judge's probability that the nug is contained in full."""
    partial: float
    """Its probability that the nug is contained in part."""
    text: str
    """The piece of the response that supports the nug most; the whole response where no piece does."""
    marks: tuple[tuple[int, int], ...]
    """The places in that piece of the words that decided."""


class ReviewStep(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer changed: a judgement and, where the key changed, the nug as it is now and as it was."""

    judgement: Judgement
    nug: Nug | None = None
    nug_before: Nug | None = None
    """None if the nug was not in the key."""
    also: tuple[Judgement, ...] = ()
    """The same answer for other runs, whose question would show the same nug and the same text."""
    before: Mapping[Pair, Judgement | None] = {}
    """The replaced judgements by pair: of this response, and of other runs with the same text."""
