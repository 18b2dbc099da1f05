"""Opposites: "rose" and "fell", "safe" and "unsafe"; a negation on one of the two sides turns it round.

A conflict needs a word of the nug that the evidence does not have, one of its opposites in the evidence that the nug
does not have, no other word of the same side, and the same words around.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from karat.judges.semantic.checks.conflict import Conflict, ConflictKind
from karat.judges.semantic.checks.words import Words, stem, table

PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
AGES = frozenset("year years month months week weeks day days -".split())
"""Before "old" they make it an age."""
LEAST_BASE = 4
NO_OPPOSITES = frozenset(
    """increase industry inform information instance insure improve impact import imports important impress
    imprint income inside input intent intention invent invest increment discover display discount
    disease distress discuss discharge dismiss district distract distribute disorder discourse
    indeed interest until under union unit unite united units universe invaluable inflame
    inflammable inhabit inhabitant inflation innovation impose implant impart imply disposition
    dispatch display dispose discrete discern disaster discipline infant infinite ingrain intend intense
    intern internal interior illustrate iron irate island institute instruct insist inspect inspire
    install instead inquire indicate individual induce indulge infect infer influence ingredient
    inherit initial inject injury inland inmate inner instant intake impede impel imperil impound
    improvise immigrate immigrant immigration immediate immense""".split()
)


STRENGTHS: tuple[tuple[ConflictKind, frozenset[str], frozenset[str]], ...] = (
    ("quantifier", frozenset(["all", "every", "each"]), frozenset(["some", "few", "many", "most", "several"])),
    ("modal", frozenset(["must", "shall"]), frozenset(["may", "might", "can", "could"])),
)
"""What is strong in the nug, and what is too weak for it in the evidence."""


class Pole(msgspec.Struct, frozen=True, gc=False):
    """A word that has opposites: the number of each side that it belongs to; side ^ 1 is the opposite side."""

    place: int
    form: str
    sides: frozenset[int]


@lru_cache
def _sides() -> dict[str, frozenset[int]]:
    sides: dict[str, set[int]] = {}
    for axis, line in enumerate(table("antonyms.txt")):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                sides.setdefault(stem(word), set()).add(2 * axis + side)
    return {word: frozenset(numbers) for word, numbers in sides.items()}


@lru_cache(maxsize=1 << 16)
def base_of(word: str) -> str:
    """The stem of what a word with a negative prefix denies; an empty string where it has no such prefix.

    >>> base_of("unsafe"), base_of("until")
    ('safe', '')
    """
    if word in NO_OPPOSITES:
        return ""
    for prefix in PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= LEAST_BASE:
            return stem(word[len(prefix) :])
    return ""


@lru_cache(maxsize=1 << 16)
def _pole(word: str) -> tuple[str, frozenset[int]] | None:
    # A comparative has the sides of its base form, unless the table has it.
    bases = (word[:-2], word[:-1], word[:-3]) if word.endswith("er") else ()
    for base in (word, *bases):
        if len(base) > 2 and (sides := _sides().get(form := stem(base))):
            return form, sides
    return None


def find_poles(words: Words) -> tuple[Pole, ...]:
    """The words of a text that the table has opposites for."""
    poles = [Pole(place, *pole) for place, token in enumerate(words.lower) if (pole := _pole(token))]
    return tuple([pole for pole in poles if not _is_measure(words, pole)])


def _is_measure(words: Words, pole: Pole) -> bool:
    """Whether the word belongs to a number: "eight years old", "more than 40"."""
    if pole.form == "old":
        return words.before(pole.place) in AGES
    following = words.lower[pole.place + 1 : pole.place + 3]
    return following[:1] == ("than",) and (following[1:] or ("",))[0][:1].isdigit()


def find_prefixed(words: Words) -> tuple[tuple[int, str], ...]:
    """The words with a negative prefix: their place, and the stem of what they deny."""
    return tuple([(place, base) for place, token in enumerate(words.lower) if (base := base_of(token))])


def antonym_conflicts(
    nug: Words,
    ours: tuple[Pole, ...],
    denied: frozenset[int],
    evidence: Words,
    theirs: tuple[Pole, ...],
    refused: frozenset[int],
) -> list[Conflict]:
    """Opposites of the table; `denied` and `refused` are the negated places of the nug and of the evidence."""
    conflicts = []
    our_forms = {pole.form for pole in ours}
    their_forms = {pole.form for pole in theirs}
    our_sides = frozenset[int]().union(*[pole.sides for pole in ours])
    their_sides = frozenset[int]().union(*[pole.sides for pole in theirs])
    for pole in ours:
        if pole.form in their_forms or not pole.sides.isdisjoint(their_sides):
            continue
        opposite = frozenset(side ^ 1 for side in pole.sides)
        for other in theirs:
            if (
                not opposite.isdisjoint(other.sides)
                and other.form not in our_forms
                and our_sides.isdisjoint(other.sides)
                and _is_denied(nug, pole, denied) == _is_denied(evidence, other, refused)
                and _same_direction(nug, pole.place, evidence, other.place)
                and same_context(nug, pole.place, evidence, other.place)
            ):
                conflicts.append(
                    Conflict("antonym", nug.said(pole.place, pole.place), evidence.said(other.place, other.place))
                )
                break
    return conflicts


def prefix_conflicts(
    nug: Words, ours: tuple[tuple[int, str], ...], denied: frozenset[int],
    evidence: Words, theirs: tuple[tuple[int, str], ...], refused: frozenset[int],
) -> list[Conflict]:  # fmt: skip
    """Opposites that a prefix makes: "unsafe" in one text, "safe" in the other."""
    conflicts = []
    for place, other in _bare(nug, ours, evidence):
        if (place in denied) == (other in refused):
            conflicts.append(Conflict("antonym", nug.said(place, place), evidence.said(other, other)))
    for place, other in _bare(evidence, theirs, nug):
        if (place in refused) == (other in denied):
            conflicts.append(Conflict("antonym", nug.said(other, other), evidence.said(place, place)))
    return conflicts


def _bare(words: Words, prefixed: tuple[tuple[int, str], ...], other: Words) -> list[tuple[int, int]]:
    """Where one text has the word with the prefix, and where the other has it without, each text only one."""
    return [
        (place, places[0])
        for place, base in prefixed
        if (places := other.places.get(base))
        and base not in words.content
        and words.stems[place] not in other.content
        and same_context(words, place, other, places[0])
    ]


def same_context(nug: Words, place: int, evidence: Words, other: int) -> bool:
    """Whether the nearest word with content before or after is the same, or two words are near both."""
    if not nug.stems[place] or not evidence.stems[other]:
        before, after = nug.before(place) == evidence.before(other), nug.after(place) == evidence.after(other)
        return (before and (after or nug.stems[place - 1] != "")) or (
            after and nug.stems[place + 1 : place + 2] != ("",)
        )
    if any((form := nug.nearest(place, step)) and form == evidence.nearest(other, step) for step in (-1, 1)):
        return True
    return len(nug.near(place, place, 4) & evidence.near(other, other, 4)) > 1


def _is_denied(words: Words, pole: Pole, denied: frozenset[int]) -> bool:
    return (pole.place in denied) != (words.before(pole.place) in ("less", "least"))


def _same_direction(nug: Words, place: int, evidence: Words, other: int) -> bool:
    """Whether two comparisons have the same order: "A is larger than B" and "B is smaller than A" agree."""
    if "than" not in nug.lower[place + 1 : place + 5] or "than" not in evidence.lower[other + 1 : other + 5]:
        return True
    left = {*nug.stems[max(0, place - 6) : place]} - {""}
    return not left.isdisjoint(evidence.stems[:other]) and left.isdisjoint(evidence.stems[other + 1 : other + 8])


def strength_conflicts(nug: Words, evidence: Words) -> list[Conflict]:
    """ "All" where the evidence says "some", "must" where it says "may", of the same words."""
    conflicts = []
    for kind, strong, weak in STRENGTHS:
        if strong.isdisjoint(nug.forms) or weak.isdisjoint(evidence.forms) or not strong.isdisjoint(evidence.forms):
            continue
        for place in (at for at, token in enumerate(nug.lower) if token in strong):
            for other in (at for at, token in enumerate(evidence.lower) if token in weak):
                words = nug.nearest(place, 1), evidence.nearest(other, 1)
                if (
                    words[0]
                    and words[0] == words[1]
                    and len(nug.near(place, place, 4) & evidence.near(other, other, 4)) > 1
                ):
                    conflicts.append(Conflict(kind, nug.said(place, place + 1), evidence.said(other, other + 1)))
    return conflicts[:1]
