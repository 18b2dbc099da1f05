"""Gapped sentences, in which the second part leaves out the verb: 'arrested three on Monday and two on Tuesday'."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft, in_order
from karat.nuggetizer.english.word_lists import PLACE_PREPOSITIONS, TIME_PREPOSITIONS

AFTER_NUMBER = (PLACE_PREPOSITIONS | TIME_PREPOSITIONS) - {"of", "to", "for", "from", "as", "by", "than"}
"""Prepositions of the place or time that follows each of the two numbers."""


@dataclass(frozen=True)
class Gap:
    """Two numbers with the same verb; the second stands in the place of the first."""

    first: Draft
    joined: int
    """The conjunction before the second number."""
    second: Draft

    @property
    def preposition(self) -> int:
        """The first word of the place or time of the second number."""
        return self.second.end


def gaps(sentence: ParsedSentence, drafts: Iterable[Draft]) -> list[Gap]:
    """Where a number, a phrase, 'and' or 'but', a second number and directly after it a second phrase stand."""
    numbers = in_order(draft for draft in drafts if draft.type == "NUM")
    found = []
    for first, second in pairwise(numbers):
        joined = second.start - 1
        between = sentence.tokens[first.end : joined]
        after = sentence.tokens[second.end] if second.end < len(sentence.tokens) else None
        if (
            joined > first.end
            and sentence.tokens[joined].text.lower() in {"and", "but"}
            and after is not None
            and _opens_phrase(after.text)
            and any(_opens_phrase(token.text) for token in between)
            and not any(
                token.tag in {"VBD", "VBZ", "VBP", "MD", ":"} for token in between if _is_new(sentence, token.index)
            )
        ):
            found.append(Gap(first, joined, second))
    return found


def _opens_phrase(word: str) -> bool:
    return word.lower() in AFTER_NUMBER


def _is_new(sentence: ParsedSentence, index: int) -> bool:
    """Whether a verb begins a new clause: another verb already stands before it."""
    return any(token.tag in {"VBD", "VBZ", "VBP", "MD"} for token in sentence.tokens[: index - 1])
