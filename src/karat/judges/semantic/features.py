"""The features of a response and a description by the meaning of words: late interaction of word vectors.

Every content word t of a description has, in a sentence, its greatest similarity to a word there:

    s(t, sentence) = max over the words w of the sentence of cos(v(t), v(w))

and in a window of three sentences, or in the response, the greatest of their sentences. A feature is

    r = sum over the words t of W(t) f(s(t, scope)),   the greatest over the sentences (windows) of the response

with f(s) = s (near) or f(s) = 1 / (1 + exp(-(s - .5) / .08)) (hits: a word is there or it is not). The weights W are
`lexical`'s mixed weights sqrt(idf x informativeness), damped for what the question says already: W(t) x .05 where the
question has the word itself, else W(t) x (1 - .7 q^2), where q is the greatest similarity to a word of the question.
The weights of a description sum to 1.

Besides: the cosine of the whole description and the whole sentence, both without most of what they share with the
question; how far the best sentence stands out from the middle one; how near the other nugs of the query are, because an
answer on the subject comes so near to a nug without saying it; and by how much the best sentence is nearer to this nug
than to any other, because a sentence that says something else with like words is nearer to what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from karat.judges.semantic.key_vectors import Floats, Ints, KeyVectors, without_question
from karat.language.encoder import Encoder, products
from karat.text.response_units import WINDOW, Units

MIDDLE, WIDTH = 0.5, 0.08
CELLS = 1 << 21
"""The most similarities (words of the key x sentences) that are held at once, unless one response has more."""
TOGETHER = 1 << 11
"""The most sentences whose vectors are held at once."""
FEW = 1 << 6
"""The most sentences that are compared at once."""
SCOPES = ("response", "window", "sentence")
FEATURES = {
    "near_response": "the similarity of the description's words to words of the response",
    "near_window": "the same in the window where it is greatest",
    "near_sentence": "the same in the sentence where it is greatest",
    "hits_response": "the share of the description's words that have a word of nearly that meaning in the response",
    "hits_window": "the same in the window where it is greatest",
    "hits_sentence": "the same in the sentence where it is greatest",
    "hits_peak": "hits_sentence less the median over the sentences (half of it where there is one sentence)",
    "whole_sentence": "the cosine of the whole description and the most similar sentence, without the question",
    "margin_near": "near in the best sentence less the greatest near of another nug there (0 where there is no other)",
    "margin_hits": "the same of hits",
    "margin_whole": "the same of whole_sentence",
    "others_mean": "the mean similarity of the description's words to words of the query's other nugs",
    "others_most": "the greatest such similarity",
}
"""The name of each feature, and what it is."""


@dataclass(frozen=True)
class Meanings:
    """The features of some responses (rows) and all descriptions (columns), and how well each sentence does."""

    features: dict[str, Floats]
    """In the order of FEATURES."""
    by_sentence: Floats
    """Sentences x descriptions: the mean of near and hits, by which the evidence is chosen."""
    shares: Floats
    """Sentences x descriptions: the share of the description's words that have a hit, all words alike."""


def blocks(units: Units, key: KeyVectors, encoder: Encoder) -> Iterator[tuple[slice, Meanings]]:
    """All responses, some at a time; a response without text has zeros."""
    starts = units.starts
    most = max(1, CELLS // max(1, len(key.vectors)))
    begin, count = 0, len(starts) - 1
    while begin < count:
        end = begin + 1
        while end < count and starts[end + 1] - starts[begin] <= most:
            end += 1
        similar, wholes = _by_sentence(units.texts[starts[begin] : starts[end]], key, encoder)
        yield slice(begin, end), _meanings(similar, wholes, starts[begin : end + 1] - starts[begin], key)
        begin = end


def _by_sentence(texts: Sequence[str], key: KeyVectors, encoder: Encoder) -> tuple[Floats, Floats]:
    """Words of the key x sentences: the greatest similarity. Descriptions x sentences: the similarity as wholes."""
    similar = np.zeros((len(key.vectors), len(texts)), np.float32)
    wholes = np.zeros((key.rows, len(texts)), np.float32)
    for begin in range(0, len(texts) if len(key.vectors) else 0, TOGETHER):
        part = texts[begin : begin + TOGETHER]
        encoded = encoder.encode(part)
        of_part: Floats = np.array([encoded[text].whole for text in part], np.float32)
        wholes[:, begin : begin + len(part)] = products(key.wholes, without_question(of_part, key.question).T)
        for first in range(0, len(part), FEW):
            vectors = [encoded[text].vectors for text in part[first : first + FEW]]
            filled = np.array([at for at, words in enumerate(vectors) if len(words)], np.int64)
            if not len(filled):
                continue
            ends = np.cumsum([0, *(len(vectors[at]) for at in filled.tolist())])
            each = products(key.vectors, np.concatenate(vectors).T)
            similar[:, begin + first + filled] = np.maximum.reduceat(each, ends[:-1], axis=1)
    return similar, wholes


def _meanings(by_sentence: Floats, wholes: Floats, first: Ints, key: KeyVectors) -> Meanings:
    """by_sentence, wholes: see `_by_sentence`. first: the first sentence of each response, and their number."""
    features = {name: np.zeros((len(first) - 1, key.rows), np.float32) for name in FEATURES}
    evidence = np.zeros((by_sentence.shape[1], key.rows), np.float32)
    shares = evidence.copy()
    filled = np.flatnonzero(np.diff(first) > 0)
    if not len(filled) or not key.rows:
        return Meanings(features, evidence, shares)
    # A hit grows with the similarity: the greatest hit is that of the greatest similarity.
    hits = _hit(by_sentence)
    starts = first[:-1][filled]
    place, last, first_window = _windows(first)
    rows = {"sentence": starts, "window": first_window, "response": np.arange(len(filled))}
    for kind, values in (("near", by_sentence), ("hits", hits)):
        weighted = key.weights[:, None]
        greatest = {
            "sentence": values,
            "window": _greatest_in_windows(values, place, last),
            "response": np.maximum.reduceat(values, starts, axis=1),
        }
        for scope in SCOPES:
            recall = np.add.reduceat(greatest[scope] * weighted, key.starts, axis=0)
            features[f"{kind}_{scope}"][filled] = np.maximum.reduceat(recall, rows[scope], axis=1).T
            if scope == "sentence":
                evidence += recall.T / 2
                features[f"margin_{kind}"][filled] = _margins(recall, starts, key.first)
                if kind == "hits":
                    features["hits_peak"][filled] = _peaks(recall.T, first, filled)
    features["whole_sentence"][filled] = np.maximum.reduceat(wholes, starts, axis=1).T
    features["margin_whole"][filled] = _margins(wholes, starts, key.first)
    features["others_mean"][:], features["others_most"][:] = key.others.T
    lengths = np.diff(np.append(key.starts, len(key.vectors)))
    shares[:] = (np.add.reduceat(hits, key.starts, axis=0) / lengths[:, None].astype(np.float32)).T
    return Meanings(features, evidence, shares)


def _margins(values: Floats, starts: Ints, first: Ints) -> Floats:
    """Responses with text x descriptions: the value of the best sentence less the best of another nug there.

    values: descriptions x sentences. starts: the first sentence of each response. first: as in KeyVectors.
    """
    if len(first) < 3:
        return np.zeros((len(starts), len(values)), np.float32)
    by_nug = np.maximum.reduceat(values, first[:-1], axis=0)
    every = np.arange(values.shape[1])
    winner = by_nug.argmax(axis=0)
    most = by_nug[winner, every]
    by_nug[winner, every] = -np.inf
    second = by_nug.max(axis=0)
    ends = np.append(starts, values.shape[1])
    best = np.stack([begin + values[:, begin:end].argmax(axis=1) for begin, end in pairwise(ends.tolist())])
    nug = np.repeat(np.arange(len(first) - 1), np.diff(first))
    other = np.where(winner[best] == nug, second[best], most[best])
    margins: Floats = (values[np.arange(len(values)), best] - other).astype(np.float32)
    return margins


def _peaks(by_sentence: Floats, first: Ints, filled: Ints) -> Floats:
    """Responses with text x descriptions: the greatest less the median."""
    parts = [by_sentence[first[row] : first[row + 1]] for row in filled.tolist()]
    peaks = [part.max(axis=0) - np.median(part, axis=0) if len(part) > 1 else part[0] / 2 for part in parts]
    return np.stack(peaks).astype(np.float32)


def _windows(first: Ints) -> tuple[Ints, Ints, Ints]:
    """The first sentence of each window, the last of its response, and the first window of each response with text."""
    places: list[Ints] = []
    starts: list[int] = []
    for begin, end in pairwise(first.tolist()):
        if end > begin:
            starts.append(sum(map(len, places)))
            places.append(np.arange(begin, max(begin + 1, end - WINDOW + 1)))
    last = np.repeat(first[1:][np.diff(first) > 0], [len(part) for part in places]) - 1
    return np.concatenate(places), last, np.array(starts, np.int64)


def _greatest_in_windows(by_sentence: Floats, place: Ints, last: Ints) -> Floats:
    """Words x windows."""
    greatest = by_sentence[:, place]
    for step in range(1, WINDOW):
        greatest = np.maximum(greatest, by_sentence[:, np.minimum(place + step, last)])
    return greatest


def _hit(similar: Floats) -> Floats:
    hit: Floats = 1 / (1 + np.exp((MIDDLE - similar) / WIDTH))
    return hit
