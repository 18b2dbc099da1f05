"""Which sentences say what others say, by the meaning of their words: the vectors of the semantic extra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.evaluate.nuggets.drafting.sameness import Floats, LexicalSameness, Sameness, check_number, rarity
from karat.evaluate.nuggets.drafting.sentences.filler import stems_of
from karat.judges.semantic.checks import find_conflicts, read_text
from karat.judges.semantic.features import MIDDLE, WIDTH
from karat.language.encoded_text import EncodedText
from karat.language.encoder import load_encoder, products
from karat.model.errors import MissingExtra
from karat.text.stems import stemmer

NEAR = 0.65
ASKED = 0.25
FAR = 0.4
"""On other topics, about half of what one run says with less was not about the question."""
NEIGHBOURS = 3
LOOKED_AT = 0.4
"""Pairs that are less alike are not checked for conflicts: they are not one nug anyway."""


@dataclass(frozen=True)
class SemanticSameness:
    """The share of a sentence's words, weighted by rarity, that have a word of nearly that meaning in another sentence.

        contains(i, j) = sum over the words w of j of idf(w) f(max over the words v of i of cos(w, v)) / sum of idf(w)
        f(s) = 1 / (1 + exp(-(s - .5) / .08))

    as in the `hits_sentence` feature of the semantic judge. A word of the question, which most sentences share, has a
    quarter of its idf. contains is 0 where typed checks find that i says something else than j: another number, date
    or name, a negation, an opposite.
    """

    @property
    def near(self) -> float:
        return NEAR

    def contains(self, sentences: Sequence[str], question: str = "") -> Floats:
        check_number(len(sentences))
        encoded = load_encoder().encode(sentences)
        texts = [encoded[sentence] for sentence in sentences]
        stem = stemmer("english")
        asked = stems_of(question)
        weight = {word: value * (ASKED if word in asked else 1.0) for word, value in rarity(sentences).items()}
        words = [stem(word.removesuffix("'s")) for text in texts for word in text.words]
        owner = np.repeat(np.arange(len(texts)), [len(text.words) for text in texts])
        weights = np.array([weight.get(word, 1.0) for word in words], np.float32)
        totals = np.bincount(owner, weights, minlength=len(texts))
        vectors = np.concatenate([text.vectors for text in texts]).astype(np.float32)
        contained = np.zeros((len(texts), len(texts)), np.float32)
        for at, text in enumerate(texts):
            hits = _hits(text, vectors)
            contained[at] = np.bincount(owner, hits * weights, minlength=len(texts)) / np.maximum(totals, 1e-9)
        _forbid(contained, sentences)
        np.fill_diagonal(contained, 1.0)
        return np.asarray(np.clip(contained, 0.0, 1.0), np.float32)

    @property
    def far(self) -> float:
        return FAR

    def relatedness(self, sentences: Sequence[str], question: str, contains: Floats) -> list[float]:
        """The mean of two cosines: with the question, and with the three sentences that are nearest (their mean).

        Without a question, or with few sentences, nothing is said to be far from it.
        """
        encoded = load_encoder().encode([question, *sentences])
        whole = np.array([encoded[sentence].whole for sentence in sentences], np.float32)
        near = products(whole, whole.T)
        np.fill_diagonal(near, 0.0)
        nearest = np.sort(near, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
        asked = products(whole, encoded[question].whole)
        if not question.strip() or len(sentences) <= 2 * NEIGHBOURS:
            return [max(FAR, round(float(value), 4)) for value in nearest]
        return [round(float(value), 4) for value in np.clip((asked + nearest) / 2, 0.0, 1.0)]

    def signature(self) -> str:
        return "semantic"


def _hits(text: EncodedText, vectors: Floats) -> Floats:
    """For every word of all sentences, how surely a text has a word of nearly that meaning."""
    if not len(text.words):
        return np.zeros(len(vectors), np.float32)
    similar = products(vectors, text.vectors.T).max(axis=1)
    return np.asarray(1.0 / (1.0 + np.exp(-(similar - MIDDLE) / WIDTH)), np.float32)


def _forbid(contained: Floats, sentences: Sequence[str]) -> None:
    """Set to 0 where a sentence says something else than the other with much the same words."""
    for at, other in np.argwhere(contained >= LOOKED_AT).tolist():
        if at != other and find_conflicts(read_text(sentences[other]), read_text(sentences[at])):
            contained[at, other] = 0.0


def best_sameness() -> Sameness:
    """By meaning where the semantic extra is installed, otherwise by words."""
    try:
        load_encoder()
    except MissingExtra:
        return LexicalSameness()
    return SemanticSameness()
