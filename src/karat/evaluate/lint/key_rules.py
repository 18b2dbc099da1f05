"""What is wrong with the nugs of one query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from karat.model import Nug
from karat.text import LEADING_PRONOUNS, content_words, has_digit, is_negated, negates, word_count, words

NEAR_DUPLICATE = 0.8
"""Two nugs are near duplicates when the Jaccard index of their content words reaches this."""
MAX_WORDS = 30
"""A description longer than this says more than one thing."""
# Not after an abbreviation such as "U.S." or "vs."
_SENTENCE_END = re.compile(r"(?<=[a-z\d)]{3})[.!?]\s+(?=[A-Z])|;\s")
_CONJUNCTION = re.compile(r"(?:,\s+|\s)(?:and|but|while|whereas)\s", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.]*\d")
_YES_NO = ({"yes", "true"}, {"no", "false"})

Trouble = tuple[Nug, str, str]
"""A nug, the code of what is wrong with it, and the message."""


def lint_nugs(nugs: Sequence[Nug], *, vital_key: bool = True) -> Iterator[Trouble]:
    """All that is wrong with a query's nugs, taken one by one and together.

    vital_key: whether the key, of which these are a part, tells vital nugs from others at all.
    """
    for nug in nugs:
        yield from _lint_nug(nug)
    yield from _repeats(nugs)
    yield from _contradictions(nugs)
    if nugs and vital_key and not any(nug.importance == "vital" for nug in nugs):
        yield nugs[0], "no-vital-nug", "has no vital nug: its vital scores are undefined"


def _lint_nug(nug: Nug) -> Iterator[Trouble]:
    if nug.extra.get("importance_status") == "failed":
        yield nug, "failed-label", f"{name_of(nug)}: importance is 'failed'"
    if not any(content_words(description) for description in nug.descriptions):
        yield nug, "unmatchable-nug", f"{name_of(nug)}: no content word that a response could match"
    for description in filter(content_words, nug.descriptions):
        found = words(description)
        if found and found[0].partition("'")[0] in LEADING_PRONOUNS:
            yield nug, "leading-pronoun", f"{name_of(nug)}: begins with {found[0]!r}"
        if reason := _several_things(description):
            yield nug, "non-atomic-nug", f"{name_of(nug)}: {reason}"
    if len(nug.members) == 1 and nug.members[0].degree != 1.0:
        yield nug, "lone-degree", f"{name_of(nug)}: its only member has degree {nug.members[0].degree:g}, not 1"


def _several_things(description: str) -> str:
    """Why a description seems to say several things; empty where it does not."""
    if description.rstrip().endswith("?"):
        return ""
    count = word_count(description)
    if count > MAX_WORDS:
        return f"{count} words"
    if _SENTENCE_END.search(description) and all(
        len(content_words(part)) >= 2 for part in _SENTENCE_END.split(description) if part.strip()
    ):
        return "several sentences"
    parts = [content_words(part) for part in _CONJUNCTION.split(description)]
    if len(parts) > 1 and all(len(part) >= 4 for part in parts):
        return "clauses joined by a conjunction"
    return ""


def _repeats(nugs: Sequence[Nug]) -> Iterator[Trouble]:
    first: dict[tuple[str | None, str], Nug] = {}
    # "20 killed" and "30 killed", "rose" and "never rose" are close in words and far in meaning: only nugs with the
    # same numbers and negations are compared. Answers of different questions may well be the same text.
    alike: dict[tuple[str | None, frozenset[str]], list[tuple[Nug, frozenset[str]]]] = {}
    for nug in nugs:
        text = " ".join(nug.descriptions).strip()
        if (known := first.setdefault((nug.parent, text), nug)) is not nug:
            yield nug, "repeated-nug", f"{name_of(nug)}: the same text as {known.nug_id}"
        elif nug.descriptions:
            found = words(nug.descriptions[0])
            decisive = frozenset(word for word in found if negates(word) or has_digit(word))
            sense = frozenset(content_words(nug.descriptions[0])) | decisive
            alike.setdefault((nug.parent, decisive), []).append((nug, sense))
    for group in alike.values():
        for (one, left), (other, right) in combinations(group, 2):
            shared = len(left & right)
            # The Jaccard index is shared / (left + right - shared).
            if shared and shared >= NEAR_DUPLICATE * (len(left) + len(right) - shared):
                yield other, "near-duplicate", f"{name_of(other)}: nearly the same as {name_of(one)}"


def _contradictions(nugs: Sequence[Nug]) -> Iterator[Trouble]:
    answers: dict[str, list[Nug]] = {}
    for nug in nugs:
        if nug.parent is not None:
            answers.setdefault(nug.parent, []).append(nug)
    for nug in nugs:
        if nug.aggregator == "or":
            for one, other in combinations(answers.get(nug.nug_id, []), 2):
                left, right = next(iter(one.descriptions), ""), next(iter(other.descriptions), "")
                if _exclude(left, right):
                    yield nug, "contradictory-answers", f"{name_of(nug)}: {left!r} and {right!r} exclude each other"


def _exclude(one: str, other: str) -> bool:
    """Whether two answers to one question cannot both be right: yes/no, X/not X, or two different numbers."""
    left, right = words(one), words(other)
    if not left or not right:
        return False
    for yes, no in (_YES_NO, _YES_NO[::-1]):
        if left[0] in yes and right[0] in no:
            return True
    if is_negated(one) != is_negated(other) and _unnegated(one) == _unnegated(other):
        return True
    numbers = [[word for word in answer if _NUMBER.fullmatch(word)] for answer in (left, right)]
    rest = [[word for word in answer if not _NUMBER.fullmatch(word)] for answer in (left, right)]
    return bool(numbers[0] and numbers[1]) and numbers[0] != numbers[1] and rest[0] == rest[1]


def _unnegated(text: str) -> set[str]:
    return {word for word in content_words(text) if not negates(word)}


def name_of(nug: Nug) -> str:
    """The nug in a message: its id and the beginning of its text."""
    text = nug.descriptions[0] if nug.descriptions else ""
    return f"nug {nug.nug_id} {text if len(text) <= 60 else text[:57] + '...'!r}" if text else f"nug {nug.nug_id}"
