"""`semantic`: finds nugs that are said in other words, and leaves out sentences that contradict them.

It adds to the features of `lexical` how near the words of a response are in meaning to the words of the nug (vectors of
a small encoder), all with weights that were learned from judged collections:

    score = intercept + sum over the features of weight * clip((value - mean) / sd, -5, 5)

A sentence with the words of a nug that says something else (another number, name or role, a negation) is not counted.
docs/semantic.md has the features and how good it is; benchmarks/judges/train_semantic.py learns the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.engines.cache import code_name, name_of
from karat.judges.base import Judge, Matcher, Matches, Objection, Scores, Task
from karat.judges.lexical.features import FEATURES as LEXICAL_FEATURES
from karat.judges.lexical.key_terms import SPELLING
from karat.judges.lexical.lexical import LexicalMatcher, LexicalWeights, log_odds
from karat.judges.semantic.features import FEATURES as MEANING_FEATURES
from karat.judges.semantic.features import MIDDLE, blocks
from karat.judges.semantic.key_vectors import key_vectors
from karat.judges.semantic.objections import (
    Candidates,
    candidates,
    find_objections,
    for_all_descriptions,
    with_repeats,
)
from karat.language import Analyzer, load_analyzer
from karat.language.encoder import load_encoder, products
from karat.language.entailment import load_entailment
from karat.text.response_units import Units, sentence_units, units_of

FEATURES = LEXICAL_FEATURES | MEANING_FEATURES
CODE = ("judges/semantic", "judges/lexical", "judges/base.py", "judges/cached_scores.py", "text", "language/entailment")
LIBRARIES = ("numpy", "scipy", "PyStemmer", "onnxruntime", "tokenizers")
"""What the scores depend on: places in Karat, and libraries."""
ROUNDS = 4
"""How often the evidence that is left is looked at again."""


class Semantic(Judge, frozen=True, kw_only=True):
    """Features of words and of their meaning, in the response, in windows of three sentences and in sentences.

    The evidence is the sentence that is nearest to the nug. objections: what decides that a sentence contradicts a nug:
    all (typed checks, and a small model that reads), checks (only typed checks), or none (every sentence counts).
    roles: whether typed checks find exchanged roles by the order of words, or by a parse (needs the language extra).
    """

    unit: Literal["sentence"] = "sentence"
    version: Literal["1"] = "1"
    objections: Literal["all", "checks", "none"] = "all"
    roles: Literal["words", "parse"] = "words"
    encoder: Literal["minilm-l6-int8-1"] = "minilm-l6-int8-1"

    @property
    def name(self) -> str:
        return "semantic"

    @property
    def reads_idf(self) -> bool:
        return True

    def cached_as(self) -> bytes | None:
        # A parse depends on a pipeline that may be any.
        return None if self.roles == "parse" else name_of(load_encoder().name, code_name(CODE, LIBRARIES))

    def matcher(self, task: Task) -> SemanticMatcher:
        return SemanticMatcher(task, objections=self.objections, roles=self.roles)

    def match(self, task: Task) -> Matches:
        return self.matcher(task).match(units_of(task.responses, self.unit))


@lru_cache
def _analyzer() -> Analyzer:
    return load_analyzer()


@lru_cache
def load_weights() -> LexicalWeights:
    """The weights that come with Karat."""
    text = (files("karat.judges.semantic") / "weights.json").read_bytes()
    return msgspec.json.decode(text, type=LexicalWeights)


class SemanticMatcher(Matcher):
    """`semantic` made ready for the nugs of one query."""

    def __init__(
        self, task: Task, *, objections: str = "none", roles: str = "words", weights: LexicalWeights | None = None
    ) -> None:
        self.encoder = load_encoder()
        self.weights = weights or load_weights()
        self.lexical = LexicalMatcher(task)
        self.key = key_vectors(task, self.lexical.key, self.encoder)
        self.descriptions = [text for nug in task.nugs for text in nug.descriptions or ("",)]
        self.objections, self.roles, self.question = objections, roles, task.question

    def score(self, texts: Sequence[str]) -> Scores:
        return self.match(sentence_units(texts)).scores

    def match(self, units: Units) -> Matches:
        """Scores of responses, given their sentences; a nug with several descriptions has the score of the best."""
        scores, best, looked_at = self._judged(units)
        objections = self._object(units, looked_at, scores, best)
        starts = self.lexical.key.starts
        if self.key.rows == len(starts) - 1:
            return Matches(scores, best, units, objections)
        which = np.stack([begin + scores[:, begin:end].argmax(axis=1) for begin, end in pairwise(starts)], axis=1)
        at_best = np.arange(len(scores))[:, None], which
        of_nug = {
            (row, nug): objections[row, int(which[row, nug])]
            for row, nug in np.ndindex(which.shape)
            if (row, int(which[row, nug])) in objections
        }
        return Matches(scores[at_best], best[at_best], units, of_nug)

    def _object(
        self, units: Units, looked_at: list[Candidates], scores: Scores, best: NDArray[np.int32]
    ) -> dict[tuple[int, int], tuple[Objection, ...]]:
        """Find what is not counted, and judge these pairs again without it.

        What is the best evidence then is looked at as well: the same claim may be there in several sentences.
        """
        objections: dict[tuple[int, int], tuple[Objection, ...]] = {}
        first = self.lexical.key.starts.tolist()
        for _ in range(ROUNDS if self.objections != "none" else 0):
            reader = load_entailment() if looked_at and self.objections == "all" else None
            analyzer = _analyzer() if looked_at and self.roles == "parse" else None
            found = find_objections(
                looked_at, self.descriptions, units, question=self.question, reader=reader, analyzer=analyzer
            )
            found = for_all_descriptions(with_repeats(found, units), self.descriptions, first, units)
            news = {key: new for key, new in found.items() if not set(new) <= set(objections.get(key, ()))}
            if not news:
                break
            for key, new in news.items():
                objections[key] = tuple(dict.fromkeys([*objections.get(key, ()), *new]))
            looked_at = self._leave_out({key: objections[key] for key in news}, units, scores, best)
        return objections

    def _judged(self, units: Units) -> tuple[Scores, NDArray[np.int32], list[Candidates]]:
        """Scores and best sentences (responses x descriptions), and which sentences should be looked at again."""
        scores = np.full((len(units.starts) - 1, self.key.rows), self.weights.intercept, np.float32)
        best = np.full(scores.shape, -1, np.int32)
        looked_at: list[Candidates] = []
        words, meaning = (_only(self.weights, names) for names in (LEXICAL_FEATURES, MEANING_FEATURES))
        for at, lexical_block in self.lexical.blocks(units):
            scores[at] += log_odds(lexical_block.features, words)
        for rows, block in blocks(units, self.key, self.encoder):
            scores[rows] += log_odds(block.features, meaning)
            starts = units.starts[rows.start : rows.stop + 1]
            best[rows] = _best_sentences(block.by_sentence, starts)
            if self.objections != "none":
                looked_at += candidates(scores[rows], block.by_sentence, block.shares, starts, rows.start)
        return scores, best, looked_at

    def _leave_out(
        self,
        objections: Mapping[tuple[int, int], Sequence[Objection]],
        units: Units,
        scores: Scores,
        best: NDArray[np.int32],
    ) -> list[Candidates]:
        """Judge what has objections by the response without the sentences that they are about.

        Returns which sentences are the best evidence now.
        """
        shorter: dict[tuple[int, frozenset[int]], list[int]] = {}
        for (row, description), found in objections.items():
            shorter.setdefault((row, frozenset(each.unit for each in found)), []).append(description)
        kept = [
            [unit for unit in range(units.starts[row], units.starts[row + 1]) if unit not in left_out]
            for row, left_out in shorter
        ]
        texts = [units.texts[unit] for part in kept for unit in part]
        again, again_best, looked_at = self._judged(Units(texts, [], np.cumsum([0, *map(len, kept)])))
        every = np.array([unit for part in kept for unit in part] or [-1], np.int32)
        for at, ((row, _), descriptions) in enumerate(shorter.items()):
            # To leave out a sentence never helps.
            scores[row, descriptions] = np.minimum(scores[row, descriptions], again[at, descriptions])
            found_best = again_best[at, descriptions]
            best[row, descriptions] = np.where(found_best >= 0, every[found_best], best[row, descriptions])
        groups = list(shorter.items())
        return [
            Candidates(groups[pair.response][0][0], pair.description, tuple(every[list(pair.sentences)].tolist()))
            for pair in looked_at
            if pair.description in groups[pair.response][1]
        ]

    def words(self, text: str, nug: int) -> list[str]:
        """The stems of a text that are near to a word of the nug, the most important first."""
        encoded = self.encoder.encode([text])[text]
        first, last = self.lexical.key.starts[nug], self.lexical.key.starts[nug + 1]
        ends = np.append(self.key.starts, len(self.key.vectors))
        own = slice(ends[first], ends[last])
        if not len(encoded.words):
            return []
        similar = products(self.key.vectors[own], encoded.vectors.T)
        value = (similar * (similar >= MIDDLE) * np.maximum(self.key.weights[own], 1e-6)[:, None]).max(axis=0)
        worth: dict[str, float] = {}
        for word, of_word in zip(encoded.words, value.tolist(), strict=True):
            form = SPELLING.form(word)
            if form is not None and of_word > 0:
                worth[form] = max(of_word, worth.get(form, 0.0))
        return sorted(worth, key=lambda form: -worth[form])


def _only(weights: LexicalWeights, names: dict[str, str]) -> LexicalWeights:
    """The part of the weights for some features, without the intercept."""
    kept = tuple(feature for feature in weights.features if feature.name in names)
    return msgspec.structs.replace(weights, intercept=0.0, features=kept)


def _best_sentences(by_sentence: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """For each response and description the sentence that is nearest; -1 where there is none."""
    best = np.full((len(starts) - 1, by_sentence.shape[1]), -1, np.int32)
    offset = starts[0]
    for row, (begin, end) in enumerate(pairwise(starts.tolist())):
        if end > begin:
            best[row] = begin + by_sentence[begin - offset : end - offset].argmax(axis=0)
    return best


def feature_table(task: Task) -> NDArray[np.float32]:
    """Responses x nugs x features, in the order of FEATURES, for each nug's first description: the training data."""
    units, matcher = units_of(task.responses, "sentence"), SemanticMatcher(task)
    table = np.zeros((len(task.responses), matcher.key.rows, len(FEATURES)), np.float32)
    for at, block in matcher.lexical.blocks(units):
        table[at][..., : len(LEXICAL_FEATURES)] = np.stack(list(block.features.values()), axis=-1)
    for rows, meanings in blocks(units, matcher.key, matcher.encoder):
        table[rows][..., len(LEXICAL_FEATURES) :] = np.stack(list(meanings.features.values()), axis=-1)
    return table[:, matcher.lexical.key.starts[:-1]]
