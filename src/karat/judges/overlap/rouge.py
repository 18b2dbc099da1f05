"""ROUGE recall (Lin 2004) of a nug's description: a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from karat.judges.base import Judge, Matcher, Scores, Task
from karat.text.response_units import UnitKind
from karat.text.stems import StemmerName
from karat.text.vocabulary import Spelling

Words = list[str]
RougeVariant = Literal["1", "2", "L"]


class Rouge(Judge, frozen=True, kw_only=True):
    """ROUGE-1, ROUGE-2 or ROUGE-L recall, the best over a nug's descriptions.

    ROUGE-N = sum over the description's n-grams of min(times in it, times in the text) / number of its n-grams
    ROUGE-L = length of the longest common subsequence of words / words of the description
    """

    unit: UnitKind = "response"
    variant: RougeVariant = "1"
    stem: StemmerName = "porter"

    @property
    def name(self) -> str:
        return "rouge"

    def matcher(self, task: Task) -> Matcher:
        spelling = Spelling(self.stem)
        references = [[spelling.forms(text) for text in nug.descriptions] for nug in task.nugs]
        return _RougeMatcher(references, spelling, self.variant)


class _RougeMatcher(Matcher):
    def __init__(self, nugs: list[list[Words]], spelling: Spelling, variant: RougeVariant) -> None:
        self.nugs = nugs
        self.spelling = spelling
        self.variant = variant
        self.counts = [[self._counts(reference) for reference in references] for references in nugs]

    def score(self, texts: Sequence[str]) -> Scores:
        scores = np.zeros((len(texts), len(self.nugs)), np.float32)
        for row, text in enumerate(texts):
            words = self.spelling.forms(text)
            counts = self._counts(words)
            for column, references in enumerate(self.nugs):
                if self.variant == "L":
                    values = [common_length(reference, words) / len(reference) for reference in references if reference]
                else:
                    values = [_recall(reference, counts) for reference in self.counts[column]]
                scores[row, column] = max(values, default=0.0)
        return scores

    def words(self, text: str, nug: int) -> list[str]:
        present = set(self.spelling.forms(text))
        return list(dict.fromkeys(word for reference in self.nugs[nug] for word in reference if word in present))

    def _counts(self, words: Words) -> Counter[tuple[str, ...]]:
        n = 2 if self.variant == "2" else 1
        return Counter(zip(*(words[at:] for at in range(n)), strict=False))


def _recall(reference: Counter[tuple[str, ...]], text: Counter[tuple[str, ...]]) -> float:
    if not reference:
        return 0.0
    return sum(min(times, text[ngram]) for ngram, times in reference.items()) / reference.total()


def common_length(first: Words, second: Words) -> int:
    """The length of the longest common subsequence, computed one row of the table at a time."""
    if not first or not second:
        return 0
    ids = {word: at for at, word in enumerate(dict.fromkeys(first))}
    row = np.zeros(len(first) + 1, np.int32)
    reference = np.array([ids[word] for word in first])
    for word in second:
        at = ids.get(word)
        if at is None:
            continue
        # A match makes the longest subsequence that ended before it longer by one.
        better = np.where(reference == at, row[:-1] + 1, row[1:])
        row[1:] = np.maximum.accumulate(np.maximum(better, row[1:]))
    return int(row[-1])
