"""What tells a time from a place where both have the same preposition."""

from __future__ import annotations

from collections.abc import Iterable

from karat.language.analysis import Sentence
from karat.nuggetize.word_lists import TIME_NOUNS


def is_time_phrase(sentence: Sentence, tokens: Iterable[int]) -> bool:
    """Whether the noun of a phrase, or its preposition's, is a date, a time or a noun of time."""
    own = sorted(tokens)
    inside = set(own)
    tops = [at for at in own if sentence.tokens[at].head not in inside or sentence.tokens[at].head == at]
    for top in tops:
        nouns = [sentence.tokens[top], *sentence.children(top, "pobj")]
        for noun in nouns:
            if noun.ent_type in {"DATE", "TIME"} or (noun.pos == "NOUN" and noun.lemma.lower() in TIME_NOUNS):
                return True
    return False
