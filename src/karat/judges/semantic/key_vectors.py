"""The descriptions of a query's nugs as vectors of their words, and how much each word weighs (see `features`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.judges.lexical.key_terms import SPELLING, KeyTerms
from karat.language.encoded_text import SIZE, EncodedText
from karat.language.encoder import Encoder, products

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
SAID = 0.05
"""The share of its weight that a word keeps where the question says it."""
LIKE_SAID = 0.7
ASKED = 0.7
"""The share of the question's vector that is taken off whole descriptions and sentences."""
ALONE_MEAN, ALONE_MOST = 0.3, 0.4
"""How near other nugs are taken to be where a query has only one."""
MANY = 256
"""With how many other nugs of the query a nug is compared at most."""
NOTHING = np.zeros((1, SIZE), np.float32)


@dataclass(frozen=True)
class KeyVectors:
    """The words of all descriptions, one description after the other; each description has at least one row."""

    vectors: Floats
    """Words x 384; a description without content words has one row of zeros."""
    starts: Ints
    """The first word of each description."""
    weights: Floats
    """They sum to 1 in each description."""
    wholes: Floats
    """Descriptions x 384: each description as a whole, without the question."""
    question: Floats
    """The question as a whole."""
    others: Floats
    """Descriptions x 2: the mean and the greatest similarity to the other nugs."""
    first: Ints
    """The first description of each nug, and the number of descriptions."""

    @property
    def rows(self) -> int:
        return len(self.starts)


def key_vectors(task: Task, key: KeyTerms, encoder: Encoder) -> KeyVectors:
    """The descriptions of a task's nugs, in the order of `key`."""
    texts = [text for nug in task.nugs for text in nug.descriptions or ("",)]
    encoded = encoder.encode([*texts, task.question])
    question = encoded[task.question]
    asked = set(SPELLING.forms(task.question))
    mixed = key.weights["mixed"]
    vectors, starts, weights = [], [], []
    place = 0
    for row, text in enumerate(texts):
        begin, end = mixed.indptr[row], mixed.indptr[row + 1]
        weight_of = dict(zip(mixed.indices[begin:end].tolist(), mixed.data[begin:end].tolist(), strict=True))
        words = _weighted_words(encoded[text], key, weight_of)
        own = encoded[text].vectors[list(words.values())].astype(np.float32) if words else NOTHING
        weight = np.array([weight_of[key.vocabulary.id_of[form]] for form in words] or [0.0], np.float32)
        weight *= _kept(list(words), own, question, asked)
        vectors.append(own)
        weights.append(weight / max(weight.sum(), 1e-9))
        starts.append(place)
        place += len(own)
    stacked = np.concatenate([NOTHING[:0], *vectors]).astype(np.float32)
    shares = np.concatenate([NOTHING[0, :0], *weights]).astype(np.float32)
    wholes = np.array([encoded[text].whole for text in texts], np.float32).reshape(-1, SIZE)
    return KeyVectors(
        stacked,
        np.array(starts, np.int64),
        shares,
        without_question(wholes, question.whole.astype(np.float32)),
        question.whole.astype(np.float32),
        _others(stacked, np.array(starts, np.int64), shares, key.starts),
        np.asarray(key.starts, np.int64),
    )


def without_question(wholes: Floats, question: Floats) -> Floats:
    """Vectors of texts less .7 of what they share with the question, of length 1."""
    rest = wholes - ASKED * products(wholes, question)[:, None] * question
    return np.asarray(rest / np.maximum(np.sqrt((rest**2).sum(axis=1, keepdims=True)), 1e-6), np.float32)


def _others(vectors: Floats, starts: Ints, weights: Floats, first: Ints) -> Floats:
    """For each description, how near the descriptions of the other nugs are: the mean, and the nearest."""
    rows, nugs = len(starts), len(first) - 1
    near = np.tile(np.array([ALONE_MEAN, ALONE_MOST], np.float32), (rows, 1))
    if nugs < 2:
        return near
    ends = np.append(starts, len(vectors))
    # A long key is compared with a part of its nugs, so that the cost grows with the key and not with its square.
    compared = np.unique(np.linspace(0, nugs - 1, min(nugs, MANY)).astype(int))
    rows_of = [np.arange(first[nug], first[nug + 1]) for nug in compared.tolist()]
    words_of = np.concatenate([np.arange(ends[row[0]], ends[row[-1] + 1]) for row in rows_of])
    lengths = [np.diff(ends)[row] for row in rows_of]
    word_starts = np.cumsum([0, *np.concatenate(lengths).tolist()])[:-1]
    nug_starts = np.cumsum([0, *map(len, rows_of)])[:-1]
    against = vectors[words_of].T
    for nug, (begin, end) in enumerate(pairwise(first.tolist())):
        own = slice(ends[begin], ends[end])
        to_each = np.maximum.reduceat(products(vectors[own], against), word_starts, axis=1)
        recall = np.add.reduceat(to_each * weights[own, None], starts[begin:end] - ends[begin], axis=0)
        # A nug with several descriptions counts once, by the nearest.
        by_nug = np.maximum.reduceat(recall, nug_starts, axis=1)[:, compared != nug]
        near[begin:end] = np.stack([by_nug.mean(axis=1), by_nug.max(axis=1)], axis=1)
    return near


def _weighted_words(text: EncodedText, key: KeyTerms, weight_of: Mapping[int, float]) -> dict[str, int]:
    """The stems of a description that have a weight, each with the place of its first word."""
    words: dict[str, int] = {}
    for place, word in enumerate(text.words):
        form = SPELLING.form(word)
        if form is not None and key.vocabulary.id_of.get(form) in weight_of:
            words.setdefault(form, place)
    return words


def _kept(forms: Sequence[str], vectors: Floats, question: EncodedText, asked: set[str]) -> Floats:
    """The share of its weight that each word keeps, given the question."""
    if not forms or not len(question.vectors):
        return np.ones(len(vectors), np.float32)
    like = products(vectors, question.vectors.T).max(axis=1)
    kept: Floats = np.where([form in asked for form in forms], SAID, 1 - LIKE_SAID * np.clip(like, 0, 1) ** 2)
    return kept.astype(np.float32)
