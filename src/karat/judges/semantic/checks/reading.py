"""What the checks need to know about one text, and all conflicts of two texts."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

import msgspec

from karat.judges.semantic.checks.antonyms import (
    Pole,
    antonym_conflicts,
    find_poles,
    find_prefixed,
    prefix_conflicts,
    strength_conflicts,
)
from karat.judges.semantic.checks.conflict import Conflict
from karat.judges.semantic.checks.dates import DATE_WORDS, Moment, date_conflicts, find_dates, taken_places
from karat.judges.semantic.checks.names import Name, find_names, label_names, name_conflicts
from karat.judges.semantic.checks.negation import (
    Negation,
    find_negations,
    has_negation,
    negated_places,
    negation_conflicts,
)
from karat.judges.semantic.checks.numbers import Quantity, digit_conflicts, find_numbers, number_conflicts
from karat.judges.semantic.checks.numerals import NUMBER_WORDS
from karat.judges.semantic.checks.roles import (
    ArgumentFrame,
    Frames,
    argument_conflicts,
    exchange_conflicts,
    predicate_frames,
    role_conflicts,
)
from karat.judges.semantic.checks.words import Words, read_words
from karat.language.analysis import Analysis

_DIGIT = re.compile(r"\d")
KEPT = 1 << 12
"""How many texts are remembered."""
LEAST_SHARED = 0.4
"""The smallest share of the nug's words with content that the evidence must have to be about the same."""

LEAST_SHARED_ROLES = 0.6
"""The same for an exchange of roles, for which the evidence must have all words that matter."""


class Reading(msgspec.Struct, frozen=True, dict=True):
    """A text as the checks see it; each part is made when it is first asked for."""

    words: Words
    analysis: Analysis | None = None

    @property
    def text(self) -> str:
        return self.words.text

    @cached_property
    def has_digit(self) -> bool:
        return _DIGIT.search(self.words.text) is not None

    @cached_property
    def dates(self) -> tuple[Moment, ...]:
        if not self.has_digit and DATE_WORDS.isdisjoint(self.words.forms):
            return ()
        return find_dates(self.words)

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        if not self.has_digit and NUMBER_WORDS.isdisjoint(self.words.forms):
            return ()
        return find_numbers(self.words, taken_places(self.dates))

    @cached_property
    def names(self) -> tuple[Name, ...]:
        names = find_names(self.words)
        return names if self.analysis is None else label_names(self.words, names, self.analysis)

    @cached_property
    def negations(self) -> tuple[Negation, ...]:
        return find_negations(self.words) if has_negation(self.words) else ()

    @cached_property
    def denied(self) -> frozenset[int]:
        return negated_places(self.negations)

    @cached_property
    def poles(self) -> tuple[Pole, ...]:
        return find_poles(self.words)

    @cached_property
    def frames(self) -> Frames:
        return Frames(self.words)

    @cached_property
    def predicates(self) -> dict[str, list[ArgumentFrame]]:
        return predicate_frames(self.analysis) if self.analysis is not None else {}

    @cached_property
    def prefixed(self) -> tuple[tuple[int, str], ...]:
        return find_prefixed(self.words)


class _Asked:
    """A text and its analysis; the same only with the same analysis, because comparing two takes long."""

    __slots__ = ("analysis", "text")

    def __init__(self, text: str, analysis: Analysis) -> None:
        self.text, self.analysis = text, analysis

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.analysis is other.analysis and self.text == other.text


@lru_cache(maxsize=KEPT)
def _read_plain(text: str) -> Reading:
    return Reading(read_words(text))


@lru_cache(maxsize=KEPT)
def _read_analysed(asked: _Asked) -> Reading:
    return Reading(read_words(asked.text), asked.analysis)


def read_text(text: str, analysis: Analysis | None = None) -> Reading:
    """Everything the checks need to know about one text; the latest few thousand texts are remembered."""
    return _read_plain(text) if analysis is None else _read_analysed(_Asked(text, analysis))


def find_conflicts(nug: Reading, evidence: Reading) -> tuple[Conflict, ...]:
    """Where the evidence (a sentence, or a few) says something else than the nug about the same thing.

    >>> find_conflicts(read_text("It killed at least 40 people."), read_text("It killed at least 4 people."))
    (Conflict(kind='number', nug_words='at least 40 people', evidence_words='at least 4 people'),)
    """
    ours, theirs = nug.words, evidence.words
    shared = ours.content & theirs.content
    if not shared or len(shared) < LEAST_SHARED * len(ours.content):
        return ()
    # "not 5 million" is true where it is 2 million.
    conflicts = [] if nug.negations and not evidence.negations else _values(nug, evidence)
    if ours.is_english and theirs.is_english:
        conflicts += _statements(nug, evidence, shared)
    return tuple(dict.fromkeys(conflicts))


def _values(nug: Reading, evidence: Reading) -> list[Conflict]:
    """Numbers and dates, which are written alike in many languages."""
    ours, theirs = nug.words, evidence.words
    conflicts: list[Conflict] = []
    if nug.numbers and evidence.numbers:
        conflicts += number_conflicts(ours, nug.numbers, theirs, evidence.numbers)
    if nug.dates and evidence.dates:
        conflicts += date_conflicts(ours, nug.dates, theirs, evidence.dates)
    if not conflicts and nug.has_digit and evidence.has_digit:
        conflicts += digit_conflicts(ours, theirs)
    return conflicts


def _statements(nug: Reading, evidence: Reading, shared: frozenset[str]) -> list[Conflict]:
    """What is said in words, by the rules for English."""
    ours, theirs = nug.words, evidence.words
    conflicts: list[Conflict] = []
    if nug.names and evidence.names and (evidence.negations or not nug.negations):
        conflicts += name_conflicts(ours, nug.names, theirs, evidence.names)
    if nug.negations or evidence.negations:
        conflicts += negation_conflicts(ours, nug.negations, theirs, evidence.negations)
    if nug.poles and evidence.poles:
        conflicts += antonym_conflicts(ours, nug.poles, nug.denied, theirs, evidence.poles, evidence.denied)
    if nug.prefixed or evidence.prefixed:
        conflicts += prefix_conflicts(ours, nug.prefixed, nug.denied, theirs, evidence.prefixed, evidence.denied)
    conflicts += strength_conflicts(ours, theirs)
    if len(shared) >= LEAST_SHARED_ROLES * len(ours.content):
        conflicts += (
            role_conflicts(nug.frames, evidence.frames, shared)
            or argument_conflicts(nug.predicates, evidence.predicates)
            or exchange_conflicts(ours, theirs)
        )
    if {"negation", "order"} <= {conflict.kind for conflict in conflicts}:
        # A is not larger than B, and B is larger than A.
        return [conflict for conflict in conflicts if conflict.kind not in ("negation", "order")]
    return conflicts
