"""`lexical`: a logistic regression on features of words, learned from judged collections (docs/lexical.md).

    score = intercept + sum over the features of weight * clip((value - mean) / sd, -5, 5)

the log-odds that the response contains the nug, as in the collections that it was learned from.
docs/lexical.md explains the features. The weights are in weights.json; benchmarks/judges/train_lexical.py makes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Judge, Matcher, Matches, Scores, Task
from karat.judges.lexical.features import FEATURES, Block, Presences, Values
from karat.judges.lexical.key_terms import SPELLING, key_terms
from karat.judges.lexical.response_words import read
from karat.judges.lexical.word_links import Links
from karat.text.response_units import Units, sentence_units, units_of

CLIP = 5.0
CELLS = 1 << 20
"""The most pairs (sentences x descriptions) that are handled together."""
SENTENCES = 1 << 14
"""The most sentences that are read together, unless one response has more."""


class FeatureWeight(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    mean: float
    sd: float
    weight: float


class TrainingSet(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    licence: str
    labels: str
    pairs: int
    contained: float
    """The share of the pairs that are contained in full."""


class LexicalWeights(msgspec.Struct, frozen=True, kw_only=True):
    """The learned weights, and what they were learned from."""

    version: str
    date: str
    ridge: float
    trained_on: tuple[TrainingSet, ...]
    intercept: float
    features: tuple[FeatureWeight, ...]


class Lexical(Judge, frozen=True, kw_only=True):
    """Features of words in the response, in windows of three sentences and in sentences, with learned weights.

    The evidence is the sentence that has most of the nug's terms.
    """

    unit: Literal["sentence"] = "sentence"
    version: Literal["2"] = "2"

    @property
    def name(self) -> str:
        return "lexical"

    @property
    def reads_idf(self) -> bool:
        return True

    def matcher(self, task: Task) -> LexicalMatcher:
        return LexicalMatcher(task)

    def match(self, task: Task) -> Matches:
        units = units_of(task.responses, self.unit)
        return self.matcher(task).match(units)


@lru_cache
def load_weights() -> LexicalWeights:
    """The weights that come with Karat."""
    text = (files("karat.judges.lexical") / "weights.json").read_bytes()
    return msgspec.json.decode(text, type=LexicalWeights)


class LexicalMatcher(Matcher):
    """`lexical` made ready for the nugs of one query."""

    def __init__(self, task: Task) -> None:
        self.key = key_terms(task)
        self.links = Links(self.key)
        self._weight: dict[int, dict[int, float]] = {}
        # The same sentence is the evidence for many nugs.
        self._forms = lru_cache(maxsize=64)(self._forms_by_term)

    def score(self, texts: Sequence[str]) -> Scores:
        return self.match(sentence_units(texts)).scores

    def match(self, units: Units) -> Matches:
        """Scores of responses, given their sentences; a nug with several descriptions has the score of the best."""
        responses, starts = len(units.starts) - 1, self.key.starts
        scores = np.zeros((responses, self.key.rows), np.float32)
        best = np.full(scores.shape, -1, np.int32)
        for at, block in self.blocks(units):
            scores[at] = log_odds(block.features, load_weights())
            best[at] = block.best
        if self.key.rows == len(starts) - 1:
            return Matches(scores, best, units)
        which = [begin + scores[:, begin:end].argmax(axis=1) for begin, end in pairwise(starts)]
        at_best = np.arange(responses)[:, None], np.stack(which, axis=1)
        return Matches(scores[at_best], best[at_best], units)

    def blocks(self, units: Units) -> Iterator[tuple[tuple[slice, slice], Block]]:
        """All pairs, one block at a time, each with its place in the matrix (responses x descriptions)."""
        starts = units.starts
        most = max(1, min(SENTENCES, CELLS // max(1, self.key.rows)))
        begin, count = 0, len(starts) - 1
        while begin < count:
            # An empty response has a row, too.
            end = begin + 1
            while end < count and starts[end + 1] - starts[begin] + (end + 1 - begin) <= most:
                end += 1
            present = Presences(read(units.texts, starts[begin : end + 1]), self.key, self.links)
            step = max(1, CELLS // int(present.reading.first[-1]))
            for first in range(0, self.key.rows, step):
                rows = slice(first, min(first + step, self.key.rows))
                yield (slice(begin, end), rows), present.block(rows)
            begin = end

    def words(self, text: str, nug: int) -> list[str]:
        """The stems of a text that match a term of the nug, heaviest first."""
        if nug not in self._weight:
            self._weight[nug] = self.key.heaviest(nug)
        forms = self._forms(text)
        weight_of: dict[str, float] = {}
        place: dict[str, int] = {}
        for term, weight in self._weight[nug].items():
            for at, form, value in forms.get(term, ()):
                weight_of[form] = max(weight_of.get(form, 0.0), weight * value)
                place[form] = at
        matching = (form for form, weight in weight_of.items() if weight > 0)
        return sorted(matching, key=lambda form: (-weight_of[form], place[form]))

    def _forms_by_term(self, text: str) -> dict[int, list[tuple[int, str, float]]]:
        """The forms of a text that match each term: their place among its forms, and how similar they are."""
        forms: dict[int, list[tuple[int, str, float]]] = {}
        for at, form in enumerate(dict.fromkeys(SPELLING.forms(text))):
            for term, value in self.links.soft(form):
                forms.setdefault(term, []).append((at, form, value))
        return forms


def log_odds(features: dict[str, Values], weights: LexicalWeights) -> Values:
    """intercept + sum of weight * clip((value - mean) / sd, -5, 5)."""
    total = np.full(next(iter(features.values())).shape, weights.intercept, np.float32)
    for feature in weights.features:
        standardised = (features[feature.name] - feature.mean) / feature.sd
        total += np.float32(feature.weight) * np.clip(standardised, -CLIP, CLIP)
    return total


def feature_table(task: Task) -> NDArray[np.float32]:
    """Responses x nugs x features, in the order of FEATURES, for each nug's first description: the training data."""
    units, matcher = units_of(task.responses, "sentence"), LexicalMatcher(task)
    table = np.zeros((len(task.responses), matcher.key.rows, len(FEATURES)), np.float32)
    for at, block in matcher.blocks(units):
        table[at] = np.stack(list(block.features.values()), axis=-1)
    return table[:, matcher.key.starts[:-1]]
