"""Qaviar (Breck et al. 2000) and Pourpre (Lin & Demner-Fushman 2005): recall of the nug's words."""

from __future__ import annotations

from typing import Literal

from karat.judges.base import Judge, Matcher, Task
from karat.judges.overlap.nuggeteer import Weights, ngram_weights, references_of
from karat.judges.overlap.overlap import OverlapMatcher
from karat.judges.response_units import UnitKind
from karat.text.stems import StemmerName
from karat.text.vocabulary import Spelling


class Qaviar(Judge, frozen=True, kw_only=True):
    """The share of the nug's stemmed content words that a response has; contained from a threshold on."""

    unit: UnitKind = "response"
    stem: StemmerName = "porter"
    stop: Literal["keep", "drop"] = "drop"

    @property
    def name(self) -> str:
        return "qaviar"

    def matcher(self, task: Task) -> Matcher:
        return word_matcher(task, stem=self.stem, stop=self.stop, weights="count")


class Pourpre(Judge, frozen=True, kw_only=True):
    """The idf-weighted (or plain) share of the nug's stemmed words; this share is the credit.

    Pourpre makes no decisions: its similarity counts as partial recall and as a partial length allowance.
    """

    unit: UnitKind = "response"
    weights: Weights = "idf"
    stem: StemmerName = "porter"
    stop: Literal["keep", "drop"] = "keep"

    @property
    def name(self) -> str:
        return "pourpre"

    def matcher(self, task: Task) -> Matcher:
        return word_matcher(task, stem=self.stem, stop=self.stop, weights=self.weights)


def word_matcher(task: Task, *, stem: StemmerName, stop: Literal["keep", "drop"], weights: Weights) -> OverlapMatcher:
    """Weighted unigram recall of the descriptions."""
    return OverlapMatcher(
        [references_of(task, at) for at in range(len(task.nugs))],
        spelling=Spelling(stem, stop == "keep"),
        n=1,
        weigh=lambda space: ngram_weights(space, task, weights),
    )
