"""A nugget in the making: some tokens of a sentence, a type, and the rule that made it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from karat.language.analysis import Sentence
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


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate for a nugget."""

    type: str
    tokens: frozenset[int]
    """Their positions in the sentence; not always one behind the other."""
    rule: str
    """Which detector or rule made it what it is."""
    anchor: frozenset[int] = field(default=frozenset())
    """Of an EVT or STM: the verb, with its particle."""

    @property
    def start(self) -> int:
        return min(self.tokens)

    @property
    def end(self) -> int:
        return max(self.tokens) + 1

    def overlaps(self, other: Draft) -> bool:
        return not self.tokens.isdisjoint(other.tokens)

    def inside(self, other: Draft) -> bool:
        """Whether all of it lies in the other, which is not the same tokens."""
        return self.tokens < other.tokens


def new_draft(kind: str, tokens: Iterable[int], rule: str, anchor: Iterable[int] = ()) -> Draft:
    """A Draft of any iterable of tokens."""
    return Draft(kind, frozenset(tokens), rule, frozenset(anchor))


def spans_of(sentence: Sentence, tokens: Iterable[int]) -> SpanSet:
    """The code points of some tokens; neighbours are joined with what stands between them."""
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
    """By their first token, then the longer first."""
    return sorted(drafts, key=lambda draft: (draft.start, -len(draft.tokens), draft.type))
