"""Documents made ready to be searched: cut into sentences, with an index of their words.

A sentence of more than 60 words (a table, a list without full stops) is cut into pieces of at most so many. The rarity
of a word is counted over the sentences of all documents:

    idf(w) = max(0.1, ln((N + 1) / (df(w) + 1/2))),   N sentences, df(w) of them with the word (its stem)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from karat.judges.lexical.key_terms import SPELLING
from karat.text.sentences import Span, sentence_spans
from karat.text.words import word_spans

_NUMERALS = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty""".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ENDINGS = ("st", "nd", "rd", *["th"] * 7)
WRITTEN = {
    **{SPELLING.form(word) or word: str(at) for at, word in enumerate(_NUMERALS, 1)},
    **{SPELLING.form(word) or word: f"{at}{_ENDINGS[at - 1]}" for at, word in enumerate(_ORDINALS, 1)},
}
"""Stems of numbers that are often written as words, and the digits for them."""
WRITTEN_BOTH = WRITTEN | {digits: form for form, digits in WRITTEN.items()}
LONGEST = 60
"""Words of a passage's sentence; a longer one is cut."""
LEAST = 0.1
"""The smallest weight of a word: one that is everywhere counts a little, too."""


_DIVIDED = re.compile(r"\b([a-z]+)[-\u2010]\r?\n[ \t]*([a-z]+)")
"""A word that was divided at the end of a line."""
_HYPHENED = re.compile(r"\b[a-z]+-[a-z]+\b")


def without_soft_hyphens(text: str) -> str:
    """The text without the marks that say where a word may be divided."""
    return text.replace("\u00ad", "")


@dataclass(frozen=True)
class Source:
    """One document, cut into sentences."""

    doc_id: str
    text: str
    title: str = ""

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where each sentence is."""
        return tuple(chain.from_iterable(_pieces(self.text, span) for span in sentence_spans(self.text)))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences as they are read: a word that was divided at the end of a line is whole again."""
        return tuple(self._whole(self.text[start:end]) for start, end in self.spans)

    def _whole(self, sentence: str) -> str:
        def joined(match: re.Match[str]) -> str:
            # "well-" at the end of a line stays with its hyphen if the document writes "well-known" elsewhere.
            hyphened = f"{match[1]}-{match[2]}"
            return hyphened if hyphened in self._hyphened else match[1] + match[2]

        return _DIVIDED.sub(joined, without_soft_hyphens(sentence))

    @cached_property
    def _hyphened(self) -> frozenset[str]:
        return frozenset(_HYPHENED.findall(self.text))

    @cached_property
    def title_forms(self) -> frozenset[str]:
        """The stems of the title: they say what the whole document is about."""
        return frozenset(SPELLING.forms(self.title))

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """The stems of the document, each with the sentences that have it."""
        places: dict[str, list[int]] = {}
        for at, sentence in enumerate(self.sentences):
            forms = SPELLING.forms(sentence)
            # "five" is also there as 5, and 5 as "five".
            for form in dict.fromkeys([*forms, *(WRITTEN_BOTH[form] for form in forms if form in WRITTEN_BOTH)]):
                places.setdefault(form, []).append(at)
        return {form: tuple(found) for form, found in places.items()}


class Sources:
    """All documents at hand, and how rare each word is among their sentences."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.by_id: dict[str, Source] = {source.doc_id: source for source in sources}
        self._df: Counter[str] = Counter()
        self._with_word: dict[str, list[str]] = {}
        self.sentences = 0
        for source in self.by_id.values():
            self.sentences += len(source.spans)
            for form, found in source.places.items():
                self._df[form] += len(found)
                self._with_word.setdefault(form, []).append(source.doc_id)

    def idf(self, form: str) -> float:
        return max(LEAST, math.log((self.sentences + 1) / (self._df[form] + 0.5)))

    def nearest(self, forms: Iterable[str], among: Sequence[str], *, most: int, least: float) -> list[str]:
        """The documents of `among` that have the largest share of the words, by weight; the first ones are tried first.

        most: how many; least: the smallest share. Of equal shares the one that comes first in `among` wins.
        """
        allowed = {doc_id: place for place, doc_id in enumerate(among)}
        weights = {form: self.idf(form) for form in dict.fromkeys(forms)}
        total = sum(weights.values())
        found: Counter[str] = Counter()
        for form, weight in weights.items():
            for doc_id in self._with_word.get(form, ()):
                if doc_id in allowed:
                    found[doc_id] += weight  # type: ignore[assignment]
        enough = [doc_id for doc_id, weight in found.items() if weight >= least * total]
        return sorted(enough, key=lambda doc_id: (-round(found[doc_id], 9), allowed[doc_id]))[:most]


def _pieces(text: str, span: Span) -> list[Span]:
    """A sentence, or the pieces of a long one."""
    words = word_spans(text[span[0] : span[1]])
    if len(words) <= LONGEST:
        return [span]
    starts = [span[0] + words[at][0] for at in range(0, len(words), LONGEST)]
    starts[0] = span[0]
    ends = [*starts[1:], span[1]]
    return [(start, start + len(text[start:end].rstrip())) for start, end in zip(starts, ends, strict=True)]
