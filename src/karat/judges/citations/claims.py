"""What a cited text claims: its words with their weights, its numbers and names, and the parts that it is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from karat.judges.citations.documents import Sources, without_soft_hyphens
from karat.judges.lexical.key_terms import SPELLING
from karat.text.sentences import sentence_spans
from karat.text.words import find_words, has_digit, word_spans

Floats = NDArray[np.float64]
_MARKERS = re.compile(r"\s*\[\s*(?:\^?\d+(?:\s*[,;–-]\s*\d+)*|citation needed)\s*\]")
_BREAKS = re.compile(
    r"[,;:—–()\[\]]|\s-\s|\b(?:and|but|while|which|who|where|because|although|when|as well as)\b", re.I
)
LEAST_WORDS = 2
"""A part with fewer words of content belongs to the part before it."""


@dataclass(frozen=True)
class Claim:
    """One sentence, or a piece of one, that a document is said to support."""

    text: str
    forms: tuple[str, ...]
    """Its different stems, in order; stop words have none."""
    spelt: tuple[str, ...]
    """The first word with each stem, as it is written."""
    weights: Floats
    """Of the stems; they sum to 1 (nothing where there is no stem)."""
    parts: tuple[tuple[int, ...], ...]
    """Its parts between commas and conjunctions: the places of their stems in `forms`."""
    numbers: frozenset[int]
    names: frozenset[int]
    """Which stems are numbers, and which are names (written with a capital, and not only at the beginning)."""

    @cached_property
    def words(self) -> list[str]:
        """All words in order, stop words too."""
        return find_words(self.text)

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Stems that follow each other."""
        every = SPELLING.forms(self.text)
        return tuple(dict.fromkeys(pairwise(every)))


def split_claims(text: str) -> list[str]:
    """The sentences of a cited text, without the marks of citations, such as [1]."""
    plain = _MARKERS.sub("", without_soft_hyphens(text))
    return [plain[start:end] for start, end in sentence_spans(plain) if SPELLING.forms(plain[start:end])]


def read_claim(text: str, sources: Sources) -> Claim:
    """The claim that a sentence makes; weights are as rare as its words are in the documents."""
    place: dict[str, int] = {}
    written: list[str] = []
    numbers: set[int] = set()
    names: set[int] = set()
    parts: list[list[int]] = [[]]
    breaks = [match.start() for match in _BREAKS.finditer(text)]
    begun = 0
    for at, (start, end) in enumerate(word_spans(text)):
        spelt = text[start:end]
        word = "".join(find_words(spelt)) or spelt.lower()
        form = SPELLING.form(word)
        while begun < len(breaks) and breaks[begun] <= start:
            begun += 1
            if parts[-1]:
                parts.append([])
        if form is None:
            continue
        known = place.setdefault(form, len(place))
        written += [spelt] if known == len(written) else []
        parts[-1].append(known)
        if has_digit(word):
            numbers.add(known)
        elif at and spelt[0].isupper():
            names.add(known)
    weights = np.array([sources.idf(form) for form in place], np.float64)
    joined = _joined(parts)
    return Claim(
        text,
        tuple(place),
        tuple(written),
        weights / max(float(weights.sum()), 1e-9),
        joined,
        frozenset(numbers),
        frozenset(names),
    )


def _joined(parts: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    joined: list[list[int]] = []
    for part in filter(None, parts):
        if joined and (len(set(part)) < LEAST_WORDS or len(set(joined[-1])) < LEAST_WORDS):
            joined[-1] += part
        else:
            joined.append(list(part))
    return tuple(tuple(dict.fromkeys(part)) for part in joined)
