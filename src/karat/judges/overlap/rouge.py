"""ROUGE recall (Lin 2004) of a nug's description: a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from karat.judges.base import Judge, Matcher, Scores, Task
from karat.judges.units import UnitKind
from karat.text.stems import StemmerName
from karat.text.vocabulary import Spelling

Words = list[str]


class Rouge(Judge, frozen=True, kw_only=True):
    """ROUGE-1, ROUGE-2 or ROUGE-L recall, the best over a nug's descriptions.

    ROUGE-N = sum over the description's n-grams of min(times there, times in the text) / their number
    ROUGE-L = length of the longest common subsequence of words / words of the description
    """

    unit: UnitKind = "response"
    variant: Literal["1", "2", "L"] = "1"
    stem: StemmerName = "porter"

    @property
    def name(self) -> str:
        return "rouge"

    def matcher(self, task: Task) -> Matcher:
        spelling = Spelling(self.stem)
        return _RougeMatcher([[spelling.forms(text) for text in nug.descriptions] for nug in task.nugs], spelling, self)


class _RougeMatcher(Matcher):
    def __init__(self, nugs: list[list[Words]], spelling: Spelling, scorer: Rouge) -> None:
        self.nugs = nugs
        self.spelling = spelling
        self.scorer = scorer
        self.own = [[self._counts(reference) for reference in references] for references in nugs]

    def score(self, texts: Sequence[str]) -> Scores:
        found = np.zeros((len(texts), len(self.nugs)), np.float32)
        for row, text in enumerate(texts):
            words = self.spelling.forms(text)
            counts = self._counts(words)
            for column, references in enumerate(self.nugs):
                if self.scorer.variant == "L":
                    values = [common_length(one, words) / len(one) for one in references if one]
                else:
                    values = [_recall(own, counts) for own in self.own[column]]
                found[row, column] = max(values, default=0.0)
        return found

    def words(self, text: str, nug: int) -> list[str]:
        present = set(self.spelling.forms(text))
        return list(dict.fromkeys(word for reference in self.nugs[nug] for word in reference if word in present))

    def _counts(self, words: Words) -> Counter[tuple[str, ...]]:
        n = 2 if self.scorer.variant == "2" else 1
        return Counter(zip(*(words[at:] for at in range(n)), strict=False))


def _recall(own: Counter[tuple[str, ...]], counts: Counter[tuple[str, ...]]) -> float:
    return sum(min(times, counts[ngram]) for ngram, times in own.items()) / own.total() if own else 0.0


def common_length(first: Words, second: Words) -> int:
    """The length of the longest common subsequence, a row of the table at a time."""
    if not first or not second:
        return 0
    ids = {word: at for at, word in enumerate(dict.fromkeys(first))}
    row = np.zeros(len(first) + 1, np.int32)
    reference = np.array([ids[word] for word in first])
    for word in second:
        at = ids.get(word)
        if at is None:
            continue
        # Hunt's step: a match may lengthen what ended before it.
        better = np.where(reference == at, row[:-1] + 1, row[1:])
        row[1:] = np.maximum.accumulate(np.maximum(better, row[1:]))
    return int(row[-1])
