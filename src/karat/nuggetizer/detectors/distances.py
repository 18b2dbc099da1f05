"""Places said by a distance and a direction: '55 kilometers (33 miles) north of the capital'."""

from __future__ import annotations

from collections.abc import Iterator

from karat.language.analysis import ParsedSentence
from karat.nuggetizer.drafts import Draft, new_draft
from karat.nuggetizer.english.word_lists import APPROXIMATORS

LENGTHS = frozenset("kilometer kilometre km mile meter metre m yard foot feet block".split())
DIRECTIONS = frozenset(
    """north south east west northeast northwest southeast southwest north-east north-west south-east south-west
    northward southward eastward westward inland offshore upstream downstream away outside from off""".split()
)
PHRASE = frozenset({"DET", "ADJ", "NOUN", "PROPN", "PART", "NUM"})
"""Parts of speech inside the noun phrase after 'of' or 'from'."""


def detect_distances(sentence: ParsedSentence) -> Iterator[Draft]:
    """One draft per length that is followed by a direction, with what it is measured from."""
    for unit in sentence.tokens:
        number = unit.index - 1
        counted = unit.lemma.lower().strip(".") in LENGTHS and number >= 0 and sentence.tokens[number].pos == "NUM"
        direction = _after_brackets(sentence, unit.index + 1)
        if counted and direction < len(sentence.tokens) and sentence.tokens[direction].text.lower() in DIRECTIONS:
            start, end = _start(sentence, number), _end(sentence, direction)
            if end > direction + 1 or sentence.tokens[direction].text.lower() not in {"from", "off", "outside"}:
                yield new_draft("LOC", range(start, end), "distance")


def _start(sentence: ParsedSentence, number: int) -> int:
    while number > 0 and (
        sentence.tokens[number - 1].pos == "NUM" or sentence.tokens[number - 1].text.lower() in APPROXIMATORS
    ):
        number -= 1
    return number


def _after_brackets(sentence: ParsedSentence, at: int) -> int:
    """The position after '(33 miles)', if that is there."""
    if at < len(sentence.tokens) and sentence.tokens[at].text == "(":
        closing = [token.index for token in sentence.tokens[at : at + 6] if token.text == ")"]
        return closing[0] + 1 if closing else at
    return at


def _end(sentence: ParsedSentence, direction: int) -> int:
    """The position after the noun phrase that follows 'of' or 'from'; a name after a comma belongs to it."""
    at = direction
    if at + 1 < len(sentence.tokens) and sentence.tokens[at + 1].text.lower() in {"of", "from"}:
        at += 1
    elif sentence.tokens[at].text.lower() not in {"from", "off", "outside"}:
        return at + 1
    at += 1
    while at < len(sentence.tokens) and sentence.tokens[at].pos in PHRASE and not _begins_time(sentence, at):
        at += 1
    return at


def _begins_time(sentence: ParsedSentence, at: int) -> bool:
    return sentence.tokens[at].ent_type in {"DATE", "TIME"}
