"""The record of a disagreement between a nug and a text, and the rule that most kinds of it share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

ConflictKind = Literal["number", "date", "name", "negation", "antonym", "quantifier", "modal", "order", "roles"]
Mention = TypeVar("Mention")


class Conflict(msgspec.Struct, frozen=True):
    """The text talks about the same thing as the nug, and says something that cannot be true together with it."""

    kind: ConflictKind
    nug_words: str
    evidence_words: str


def unmatched(
    nug: Sequence[Mention],
    evidence: Sequence[Mention],
    agree: Callable[[Mention, Mention], bool],
    same_slot: Callable[[Mention, Mention], bool],
) -> Iterator[tuple[Mention, Mention]]:
    """Each mention of the nug that no mention of the evidence agrees with, and one that has its place instead.

    A mention of the evidence that agrees with another one of the nug has its own place.
    """
    for ours in nug:
        if any(agree(ours, theirs) for theirs in evidence):
            continue
        for theirs in evidence:
            if same_slot(ours, theirs) and not any(agree(other, theirs) for other in nug):
                yield ours, theirs
                break
