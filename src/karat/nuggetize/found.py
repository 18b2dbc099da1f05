"""What nuggetizing a snippet gives: nuggets with offsets into its text, and the steps that led there."""

from __future__ import annotations

import msgspec

from karat.model import SpanSet


class FoundNugget(msgspec.Struct, frozen=True, kw_only=True):
    """A nugget of a text."""

    type: str
    spans: SpanSet
    text: str
    rule: str
    anchor: SpanSet | None = None
    category: str | None = None
    secondary: str | None = None
    paraphrase: str | None = None
    clause: str | None = None
    """An event or a statement with all its modifiers, as a sentence; None where the text makes none of it."""
    proposition: SpanSet | None = None
    """The text behind the paraphrase: what the nugget is said with."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What a detector or a rule did to one draft: made, changed or removed it."""

    rule: str
    did: str
    type: str
    text: str


class Nuggetized(msgspec.Struct, frozen=True, kw_only=True):
    """A text, its nuggets in the order of the text, and what is to be said of it."""

    text: str
    nuggets: tuple[FoundNugget, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
