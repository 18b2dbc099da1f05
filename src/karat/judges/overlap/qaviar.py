"""Qaviar (Breck et al. 2000) and Pourpre (Lin & Demner-Fushman 2005): recall of the nug's words."""

from __future__ import annotations

from typing import Literal

from karat.judges.base import Judge, Matcher, Task
from karat.judges.overlap.nuggeteer import Weights, ngram_weights, references_of
from karat.judges.overlap.overlap import OverlapMatcher
from karat.text.response_units import UnitKind
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

    Pourpre makes no decisions: its similarity counts as partial recall and as a partial length allowance, so that

        recall = sum of the similarities of the vital nugs / number of vital nugs

    (with a threshold: a similarity below it counts 0). This is `credit=overlap`, the default, as in the paper. A
    similarity is no probability: scores are good for the order of runs, and are not on the scale of people's scores.
    They have no judge interval. `credit=probability` calibrates the similarity as for the other judges. In TREC an
    answer string is a snippet, and the best string counts: `unit=snippet`.
    """

    unit: UnitKind = "response"
    credit: Literal["overlap", "probability"] = "overlap"
    weights: Weights = "idf"
    stem: StemmerName = "porter"
    stop: Literal["keep", "drop"] = "keep"

    @property
    def name(self) -> str:
        return "pourpre"

    @property
    def reads_idf(self) -> bool:
        return self.weights == "idf"

    @property
    def credits_scores(self) -> bool:
        return self.credit == "overlap"

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
