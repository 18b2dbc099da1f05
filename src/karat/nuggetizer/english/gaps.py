"""Gapped sentences, in which later parts leave out the verb: 'arrested three on Monday and two on Tuesday'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from karat.language.analysis import ParsedSentence, Token
from karat.nuggetizer.drafts import Draft, in_order
from karat.nuggetizer.english.word_lists import PLACE_ADVERBS, PLACE_PREPOSITIONS, TIME_NOUNS, TIME_PREPOSITIONS

OPENING = (PLACE_PREPOSITIONS | TIME_PREPOSITIONS) - {"of", "for", "as", "by", "than"}
"""Prepositions of the place or time that follows each of the numbers."""
WAYS = frozenset({"from", "to", "into", "against", "with", "for"})
"""Prepositions that count only if the first number is followed by the same one: 'two from Peru and one from Chile'."""
JOINING = frozenset({"and", "but", ",", ";", "against", "versus", "vs", "vs.", "then"})
BEFORE_NUMBER = frozenset(
    """another a an the further about also just only some then with to nearly almost last first other remaining next
    final twice""".split()
)
"""Words that may stand between the conjunction and the number."""
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
STAND_IN = "stand-in"
"""The rule of a draft for what stands in the place of a number, but is none: 'none in August', 'a fifth in April'."""


@dataclass(frozen=True)
class Gap:
    """Two numbers with the same verb; the second stands in the place of the first."""

    first: Draft
    """The first number of all that share the verb."""
    first_joined: int
    """Where the first of them ends: the conjunction or comma before the next one."""
    joined: int
    """The first word of what joins the second number to those before it."""
    opened: int
    """The first word after that."""
    second: Draft
    preposition: int
    """The first word of the place or time of the second number."""
    end: int
    """The position after the place and time of the second number."""

    @property
    def number(self) -> range:
        """The second number, with the words that belong to it ('another 120'), and with its own noun."""
        return range(self.opened, self.preposition)

    @property
    def has_noun(self) -> bool:
        """Whether the second number has a noun of its own ('and three women in Nice') or needs none ('none')."""
        return self.preposition > self.second.end or self.second.rule == STAND_IN


def gaps(sentence: ParsedSentence, drafts: Iterable[Draft]) -> list[Gap]:
    """Where a number and a phrase are followed by 'and', 'but', a comma or 'against', a number and another phrase."""
    numbers = in_order([*(draft for draft in drafts if draft.type == "NUM"), *_stand_ins(sentence)])
    found: list[Gap] = []
    for at, second in enumerate(numbers):
        for first in reversed(numbers[:at]):
            if first.rule != STAND_IN and (gap := _gap(sentence, first, second, found)):
                found.append(gap)
                break
    # A member ends where the next one begins.
    return [
        replace(gap, end=min([gap.end, *(other.joined for other in found if other.joined > gap.joined)]))
        for gap in found
    ]


def apart(sentence: ParsedSentence, drafts: Iterable[Draft]) -> set[int]:
    """The tokens of all later members: they do not belong to the event of the first."""
    return {at for gap in gaps(sentence, drafts) for at in range(gap.joined, gap.end)}


def ranges(sentence: ParsedSentence, drafts: Iterable[Draft]) -> list[tuple[Draft, Draft]]:
    """The two ends of a change, each with its own time: 'from 3 in 2001 to 9 in 2005'."""
    numbers = in_order(draft for draft in drafts if draft.type == "NUM")
    found = []
    for at, second in enumerate(numbers):
        for first in reversed(numbers[:at]):
            between = sentence.tokens[first.end : second.start - 1]
            if (
                _word(sentence, first.start - 1) == "from"
                and _word(sentence, second.start - 1) == "to"
                and not any(token.pos in {"VERB", "AUX", "PUNCT", "CCONJ"} for token in between)
            ):
                found.append((first, second))
                break
    return found


def _gap(sentence: ParsedSentence, first: Draft, second: Draft, found: Sequence[Gap]) -> Gap | None:
    """The gap of two numbers, if there is one."""
    joined = _joined(sentence, second.start)
    preposition = _phrase_after(sentence, second.end)
    if joined is None or preposition is None or joined <= first.end or _is_clock(sentence, second):
        return None
    between = sentence.tokens[first.end : joined]
    opening = sentence.tokens[preposition]
    openers = {token.text.lower() for token in between if _opens(token)}
    if not openers or (opening.text.lower() in WAYS and opening.text.lower() not in openers):
        return None
    if any(token.tag in FINITE | {":"} for token in between if _is_new(sentence, token.index)):
        return None
    if _has_verb(sentence, second, preposition):
        return None
    before = next((gap for gap in found if gap.second == first), None)
    root, first_joined = (before.first, before.first_joined) if before else (first, joined)
    opened = joined
    while opened < second.start and _word(sentence, opened) in JOINING | {"compared", "with", "to"}:
        opened += 1
    return Gap(root, first_joined, joined, opened, second, preposition, _end(sentence, preposition))


def _stand_ins(sentence: ParsedSentence) -> Iterator[Draft]:
    """What stands in the place of a number after a conjunction or comma: 'none', 'a fifth', 'another metre'."""
    for token in sentence.tokens:
        word, before = token.text.lower(), _word(sentence, token.index - 1)
        if word == "none" and before in JOINING:
            yield Draft("NUM", frozenset({token.index}), STAND_IN)
        elif before in {"a", "another"} and _word(sentence, token.index - 2) in JOINING:
            ordinal = token.ent_type == "ORDINAL" or (before == "another" and token.tag == "NN")
            if ordinal:
                yield Draft("NUM", frozenset({token.index - 1, token.index}), STAND_IN)


def _joined(sentence: ParsedSentence, start: int) -> int | None:
    """Where the words begin that join a number to what stands before it; None if nothing joins it."""
    at = start - 1
    while at > 0 and _word(sentence, at) in BEFORE_NUMBER - JOINING:
        at -= 1
    if at < 1 or _word(sentence, at) not in JOINING | {"compared"}:
        return None
    while at > 1 and _word(sentence, at - 1) in JOINING:
        at -= 1
    return at


def _phrase_after(sentence: ParsedSentence, end: int) -> int | None:
    """Where the place or time after a number begins; its noun may stand between them ('three women in Nice')."""
    at = end
    while at < len(sentence.tokens) and sentence.tokens[at].pos in {"NOUN", "ADJ"} and not _opens(sentence.tokens[at]):
        at += 1
    if at >= len(sentence.tokens) or not _opens(sentence.tokens[at]) or at - end > 3:
        return None
    if any(token.lemma.lower() in TIME_NOUNS for token in sentence.tokens[end:at]):
        # 'and two weeks later'
        return None
    return at


def _opens(token: Token) -> bool:
    """Whether a word begins a place or a time: a preposition, an adverb of place, or a date."""
    word = token.text.lower()
    return (
        word in OPENING | WAYS
        or word in PLACE_ADVERBS
        or (token.ent_type == "DATE" and token.pos in {"DET", "ADJ", "NOUN"})
    )


def _end(sentence: ParsedSentence, at: int) -> int:
    """The position after a place and time: before the next mark, verb or conjunction."""
    at += 1
    while at < len(sentence.tokens):
        token = sentence.tokens[at]
        after = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
        within = token.text == "," and after is not None and after.ent_type == "GPE"
        if token.pos in {"VERB", "AUX", "SCONJ"} or (token.pos == "PUNCT" and not within and token.text != "-"):
            break
        if token.pos == "CCONJ" and (after is None or after.tag == "CD" or after.pos in {"VERB", "AUX", "PRON"}):
            break
        at += 1
    return at


def _has_verb(sentence: ParsedSentence, second: Draft, preposition: int) -> bool:
    """Whether the second number is the subject of a verb of its own: 'and three in Rome were hurt'."""
    for at in range(second.start, preposition):
        token = sentence.tokens[at]
        verb = sentence.tokens[token.head]
        if token.dep in {"nsubj", "nsubjpass"} and verb.index > token.index and verb.tag in FINITE | {"VBN", "VBG"}:
            return True
    return False


def _is_clock(sentence: ParsedSentence, number: Draft) -> bool:
    """Whether a number is a time of day, the day of a month, or counts weeks or hours."""
    before = sentence.tokens[number.start - 1] if number.start else None
    month = before is not None and before.ent_type == "DATE" and before.pos == "PROPN"
    after = sentence.tokens[number.end] if number.end < len(sentence.tokens) else None
    # 'two weeks later'
    month = month or (after is not None and after.pos == "NOUN" and after.lemma.lower() in TIME_NOUNS)
    return month or any(sentence.tokens[at].ent_type == "TIME" for at in number.tokens)


def _is_new(sentence: ParsedSentence, index: int) -> bool:
    """Whether a verb begins a new clause: another verb already stands before it."""
    return any(token.tag in FINITE for token in sentence.tokens[: index - 1])


def _word(sentence: ParsedSentence, at: int) -> str:
    return sentence.tokens[at].text.lower() if 0 <= at < len(sentence.tokens) else ""
