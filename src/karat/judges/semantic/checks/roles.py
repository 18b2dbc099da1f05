"""Roles and order: who did it to whom, which of two is larger, which came first.

Without an analysis, a word with its neighbours is a frame: the words right before it (its subject) and right after it
(its object), also behind a preposition. "was ... by" turns a frame round. Two frames of the same word conflict if each
one's subject is the other one's object. Words of both subjects, or of both objects, make it no exchange.
With an analysis, the frames are the predicates with the heads of their ARG0 and ARG1.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.judges.semantic.checks.conflict import Conflict
from karat.judges.semantic.checks.words import Words, stem
from karat.language.analysis import Analysis, ParsedSentence

SYMMETRIC = frozenset(
    stem(word)
    for word in """meet marry merge resemble equal border neighbor neighbour divorce date collaborate compete cooperate
    tie intersect match differ share converse correspond coexist overlap coincide interact associate relate link
    connect correlate compare contrast combine mix unite face play debate negotiate trade exchange similar identical
    adjacent mean near""".split()
)
"""Words that say the same of both: who met whom makes no difference."""
PREPOSITIONS = frozenset(
    "to for from on upon at in into over against of than before after under above below by through off".split()
)
OPPOSITE = {"before": "after", "after": "before", "above": "below", "below": "above", "over": "under", "under": "over"}
PASSED_OVER = frozenset(
    """a an the this that these those his her their its our my your is are was were be been being am has have had having
    will would can could shall should may might must do does did not also still even just more most very so then
    now""".split()
)
MOVABLE = PREPOSITIONS | frozenset("during since until with without when while as if because although and or".split())
JOINTS = frozenset([",", ";", "and", "or", "nor", "&", "/"])
HAVE = frozenset(["has", "have", "had"])
BE = frozenset("is are was were be been being am got gets".split())
FINITE = frozenset("is are was were has have had will would can".split())
LONGEST_EXCHANGE = 60
"""The most tokens in which two parts are looked for that have changed places."""
LONGEST = 4
"""The most words with content of a subject or an object."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """A word at `place`, what is said to do it or be it, and to what."""

    place: int
    subject: frozenset[str]
    object: frozenset[str]
    preposition: str


class ArgumentFrame(msgspec.Struct, frozen=True, gc=False):
    """A predicate of an analysis: the heads of who does it and of what it is done to, and the words for all three."""

    subject: frozenset[str]
    object: frozenset[str]
    words: str


class Frames:
    """The frames of a text, each made when it is first asked for."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._kept: dict[str, Frame | None] = {}

    def get(self, form: str) -> Frame | None:
        """The frame of a word that occurs once and has something on both sides."""
        if form not in self._kept:
            places = self.words.places.get(form, [])
            is_one = len(places) == 1 and form not in SYMMETRIC
            self._kept[form] = _frame(self.words, places[0]) if is_one else None
        return self._kept[form]


def _frame(words: Words, place: int) -> Frame | None:
    after, preposition, start = words.after(place), "", place
    if after in PREPOSITIONS:
        preposition, start = after, place + 1
    right = frozenset(_phrase(words, start, 1))
    if not right:
        return None
    if preposition == "of" and (agent := _agent(words, place)):
        return Frame(place, agent, right, "")
    left = frozenset(_phrase(words, place, -1))
    if not left:
        return None
    owned = words.before(place)[-2:] == "'s"
    if preposition == "of" and owned:
        return Frame(place, left, right, "")
    if preposition == "by" and (owned or not BE.isdisjoint(words.lower[max(0, place - 3) : place])):
        return Frame(place, right, left, "")
    if preposition == "than" and "less" in words.lower[max(0, place - 2) : place]:
        return Frame(place, right, left, "than")
    if (
        not preposition
        and words.lower[place][-3:] != "ing"
        and not BE.isdisjoint(words.lower[max(0, place - 2) : place])
    ):
        return None  # a passive without "by": "was given a prize"
    return Frame(place, left, right, preposition)


def _phrase(words: Words, place: int, step: int) -> Iterator[str]:
    """The words with content next to a place, going left (-1) or right (1); "of" joins two parts of a phrase."""
    found = 0
    at = place + step
    while 0 <= at < len(words.lower) and found < LONGEST:
        token = words.lower[at]
        if words.stems[at]:
            if token[-2:] != "ly":
                yield words.stems[at]
                found += 1
        elif (token not in PASSED_OVER and not (token == "of" and found)) or (found and step > 0 and token in FINITE):
            return
        at += step


def _agent(words: Words, place: int) -> frozenset[str]:
    """The phrase behind "by", as in "the defeat of France by Prussia"."""
    for at in range(place + 3, min(place + 8, len(words.lower))):
        if words.lower[at] == "by":
            return frozenset(_phrase(words, at, 1))
    return frozenset()


def role_conflicts(ours: Frames, theirs: Frames, shared: frozenset[str]) -> list[Conflict]:
    """Frames of the same word whose subject and object are exchanged."""
    for form in shared:
        mine = ours.get(form)
        other = theirs.get(form) if mine else None
        if mine is None or other is None:
            continue
        compares = mine.preposition == "than" or mine.preposition in OPPOSITE
        if mine.preposition == other.preposition:
            if _exchanged(mine, other):
                return [Conflict("order" if compares else "roles", _show(ours.words, mine), _show(theirs.words, other))]
        elif OPPOSITE.get(mine.preposition) == other.preposition and _same(mine, other):
            return [Conflict("order", _show(ours.words, mine), _show(theirs.words, other))]
    return []


def exchange_conflicts(nug: Words, evidence: Words) -> list[Conflict]:
    """Two parts that have changed places around the same words, in texts that are otherwise the same.

    The texts are P A M B S and P B M A S. Phrases of time and place may move so ("On Monday ... in Rome"), and so may
    the members of a list and the two sides of "is".
    """
    ours, theirs = nug.lower, evidence.lower
    if len(ours) != len(theirs):
        return []
    start, end = 0, len(ours)
    while start < end and ours[start] == theirs[start]:
        start += 1
    while end > start and ours[end - 1] == theirs[end - 1]:
        end -= 1
    mine, other = ours[start:end], theirs[start:end]
    if len(mine) > LONGEST_EXCHANGE:
        return []
    for size in range(1, len(mine) - 1):
        if mine[:size] != other[-size:]:
            continue
        for length in range(1, len(mine) - size):
            if mine[-length:] == other[:length] and mine[size:-length] == other[length:-size]:
                middle = start + size, end - length
                if mine[size:-length] == ("to",) and nug.before(start) == "from":
                    return [Conflict("order", nug.said(start - 1, end - 1), evidence.said(start - 1, end - 1))]
                if _names_two(nug, start, end, middle):
                    return [Conflict("roles", nug.said(start, end - 1), evidence.said(start, end - 1))]
    return []


def _names_two(words: Words, start: int, end: int, middle: tuple[int, int]) -> bool:
    """Whether the outer parts are what the middle says something of."""
    first, last = middle
    parts = words.lower[start], words.lower[last]
    if any(token in MOVABLE for token in parts) or JOINTS & {words.lower[first], words.lower[last - 1]}:
        return False
    said = set(words.stems[first:last]) - {""}
    says = (said and said.isdisjoint(SYMMETRIC)) or not HAVE.isdisjoint(words.lower[first:last])
    return bool(says) and any(words.stems[start:first]) and any(words.stems[last:end])


def _exchanged(mine: Frame | ArgumentFrame, other: Frame | ArgumentFrame) -> bool:
    common = (mine.subject & mine.object) | (other.subject & other.object)
    subject, object_ = mine.subject - common, mine.object - common
    doer, done = other.subject - common, other.object - common
    return bool(subject & done and object_ & doer and not subject & doer and not object_ & done)


def _same(mine: Frame, other: Frame) -> bool:
    return bool(mine.subject & other.subject and mine.object & other.object and not _exchanged(mine, other))


def _show(words: Words, frame: Frame) -> str:
    return words.said(frame.place - 3, frame.place + 4)


def predicate_frames(analysis: Analysis) -> dict[str, list[ArgumentFrame]]:
    """The predicates of a text by the stem of their lemma, each with the heads of its ARG0 and ARG1."""
    frames: dict[str, list[ArgumentFrame]] = {}
    for sentence in analysis.sentences:
        for predicate in sentence.predicates:
            form = stem(predicate.lemma.lower())
            heads = {
                argument.label: _heads(sentence, argument.start_token, argument.end_token)
                for argument in predicate.arguments
                if argument.label in ("ARG0", "ARG1")
            }
            if len(heads) == 2 and not predicate.nominal and form not in SYMMETRIC and all(heads.values()):
                places = [predicate.token, *(at for argument in predicate.arguments if argument.label in heads
                                             for at in (argument.start_token, argument.end_token - 1))]  # fmt: skip
                words = sentence.text_of(min(places), max(places) + 1)
                frames.setdefault(form, []).append(ArgumentFrame(heads["ARG0"], heads["ARG1"], words))
    return frames


def _heads(sentence: ParsedSentence, start: int, end: int) -> frozenset[str]:
    """The stems of an argument's head and of the names and nouns that are part of it."""
    tokens = sentence.tokens[start:end]
    tops = {token.index for token in tokens if not start <= token.head < end or token.head == token.index}
    chosen = [
        token for token in tokens
        if token.pos in ("NOUN", "PROPN", "NUM", "ADJ")
        and (token.index in tops or (token.head in tops and token.dep in ("compound", "nmod", "amod", "pobj", "conj")))
    ]  # fmt: skip
    return frozenset(stem(token.text.lower()) for token in chosen)


def argument_conflicts(ours: dict[str, list[ArgumentFrame]], theirs: dict[str, list[ArgumentFrame]]) -> list[Conflict]:
    """Predicates whose ARG0 and ARG1 are exchanged, in all places where the evidence has the predicate."""
    for form in ours.keys() & theirs.keys():
        for mine in ours[form]:
            if all(_exchanged(mine, other) and mine.words != other.words for other in theirs[form]):
                return [Conflict("roles", mine.words, theirs[form][0].words)]
    return []
