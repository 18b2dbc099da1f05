"""The records of nuggetizing: a draft (a nugget in the making), and the nuggets that come out in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from karat.language.analysis import ParsedSentence
from karat.model import SpanSet


class FoundNugget(msgspec.Struct, frozen=True, kw_only=True):
    """A nugget that the program found in a text."""

    type: str
    spans: SpanSet
    text: str
    rule: str
    anchor: SpanSet | None = None
    category: str | None = None
    paraphrase: str | None = None
    proposition: SpanSet | None = None
    """The part of the text that the paraphrase is made of."""


class DraftChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a detector or a rule did to one draft: it made, changed or removed it."""

    rule: str
    did: str
    type: str
    text: str


class Nuggetized(msgspec.Struct, frozen=True, kw_only=True):
    """A text, its nuggets in the order of the text, notes about it, and how the nuggets came about (if asked for)."""

    text: str
    nuggets: tuple[FoundNugget, ...]
    notes: tuple[str, ...] = ()
    changes: tuple[DraftChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate for a nugget: some tokens of a sentence, a type, and the rule that made it."""

    type: str
    tokens: frozenset[int]
    """Positions in the sentence; there can be gaps between them."""
    rule: str
    """The last detector or rule that made or changed it."""
    anchor: frozenset[int] = field(default=frozenset())
    """For an EVT or STM: the verb, with its particle."""

    @property
    def start(self) -> int:
        return min(self.tokens)

    @property
    def end(self) -> int:
        return max(self.tokens) + 1

    def overlaps(self, other: Draft) -> bool:
        return not self.tokens.isdisjoint(other.tokens)


def new_draft(kind: str, tokens: Iterable[int], rule: str, anchor: Iterable[int] = ()) -> Draft:
    """A Draft from any iterable of tokens."""
    return Draft(kind, frozenset(tokens), rule, frozenset(anchor))


def spans_of(sentence: ParsedSentence, tokens: Iterable[int]) -> SpanSet:
    """The code points of some tokens; neighbouring tokens make one span, with the text between them."""
    pairs: list[tuple[int, int]] = []
    last = -2
    for index in sorted(tokens):
        token = sentence.tokens[index]
        if index == last + 1:
            pairs[-1] = (pairs[-1][0], token.end)
        else:
            pairs.append((token.start, token.end))
        last = index
    return SpanSet([pair for pair in pairs if pair[0] < pair[1]])


def in_order(drafts: Iterable[Draft]) -> list[Draft]:
    """Sorted by the first token; of those with the same first token, the longer first."""
    return sorted(drafts, key=lambda draft: (draft.start, -len(draft.tokens), draft.type))
