"""The features of a response and a description: how much of the description is in the response, and how close together.

The recall of weights W (see `key_terms`) in a scope is

    r(W, scope) = sum over the description's terms t of W(t) p(t, scope)

with p(t, scope) = 1 where the term occurs there (exact), or the greatest similarity of a word there (soft, see
`word_links`), or the greatest relation of a word there, if that is greater (related, see `related_words`). Scopes are
the response, the best window of three sentences, and the best sentence. Best means: with the greatest soft recall of
the mixed weights; for `inf_*`, `gram_*`, `new_*` and `related_*`: with the greatest value of the feature itself. A
description without numbers (names) has 0 for those features, and `has_number` (`has_name`) says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.key_terms import KeyTerms
from karat.judges.lexical.response_words import Ints, ResponseWords, Scope
from karat.judges.lexical.word_links import Links

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Values = NDArray[np.float32]
"""Responses x descriptions."""
SCOPES: tuple[Scope, ...] = ("response", "window", "sentence")
FEATURES = {
    "mixed_response": "soft recall of the mixed weights in the response",
    "mixed_window": "the same in the best window",
    "mixed_sentence": "the same in the best sentence",
    "missing_response": "ln(1 + sum of 1 - p(t)) over the terms, soft, in the response",
    "missing_window": "the same in the best window",
    "missing_sentence": "the same in the best sentence",
    "inf_response": "exact recall of the informativeness in the response",
    "inf_window": "the same in the window where it is greatest",
    "inf_sentence": "the same in the sentence where it is greatest",
    "top_response": "p(heaviest term), soft, in the response",
    "top_window": "the same in the best window",
    "new_response": "soft recall of the mixed weights of terms that are not in the question, in the response",
    "new_window": "the same in the window where it is greatest",
    "new_sentence": "the same in the sentence where it is greatest",
    "related_response": "recall of the mixed weights in the response, with related words",
    "related_sentence": "the same in the sentence where it is greatest",
    "related_new_response": "the same for terms that are not in the question, in the response",
    "related_new_sentence": "the same in the sentence where it is greatest",
    "gram_response": "recall of the terms' character 4-grams, by mixed weights, in the response",
    "gram_sentence": "the same in the sentence where it is greatest",
    "bigram_response": "recall of adjacent terms, weighted by informativeness, in the sentences of the response",
    "number_response": "share of the numbers that the response has",
    "number_window": "share of the numbers that the best window has",
    "other_number": "1 where the best window lacks a number of the description and has another one",
    "name_response": "share of the capitalised terms that the response has",
    "name_window": "share of the capitalised terms that the best window has",
    "negation_differs": "1 where either the description or the best sentence is negated, but not both",
    "asked": "the share of the mixed weights whose terms are in the question",
    "has_number": "1 for a description with a number",
    "has_name": "1 for a description with a capitalised term",
    "is_negated": "1 for a description with a negation",
    "length": "ln(1 + terms of the description)",
}
"""The name of each feature, and what it is."""


@dataclass(frozen=True)
class Block:
    """The features of some responses and some descriptions."""

    features: dict[str, Values]
    """In the order of FEATURES."""
    best: NDArray[np.int32]
    """The sentence that has most of the terms, by mixed weights; -1 where no sentence has any."""


class Presences:
    """Which terms of a key a block of responses has."""

    def __init__(self, reading: ResponseWords, key: KeyTerms, links: Links) -> None:
        soft, exact = links.soft_matrix(reading.forms), links.exact_matrix(reading.forms)
        grams, numbers = links.gram_matrix(reading.forms), links.number_matrix(reading.forms)
        self.reading = reading
        self.key = key
        self.starts = {scope: reading.starts(scope) for scope in SCOPES}
        self.soft = {scope: reading.presence(soft, scope) for scope in SCOPES}
        self.exact = {scope: reading.presence(exact, scope) for scope in SCOPES}
        ends: tuple[Scope, ...] = ("response", "sentence")
        self.grams = {scope: reading.presence(grams, scope) for scope in ends}
        related = links.related_matrix(reading.forms)
        self.related = {scope: reading.presence(related, scope) for scope in ends}
        self.numbers = np.asarray(reading.presence(numbers, "window").sum(axis=1)).ravel()
        self.bigrams = self._bigrams()

    def block(self, rows: slice) -> Block:
        """The features of these responses and some descriptions."""
        weights = {name: matrix[rows] for name, matrix in self.key.weights.items()}
        terms = np.diff(weights["each"].indptr)
        numbers, named = (np.diff(weights[name].indptr) for name in ("number", "name"))
        features: dict[str, Values] = {}
        best: dict[Scope, Ints] = {}
        for scope in SCOPES:
            values = _recall(self.soft[scope], weights["mixed"])
            best[scope] = _where_greatest(values, self.starts[scope])
            features[f"mixed_{scope}"] = _taken(values, best[scope])
            present = _taken(_recall(self.soft[scope], weights["each"]), best[scope])
            features[f"missing_{scope}"] = np.log1p(np.maximum(0, terms - present))
            features[f"inf_{scope}"] = self._greatest(_recall(self.exact[scope], weights["inf"]), scope)
            features[f"new_{scope}"] = self._greatest(_recall(self.soft[scope], weights["new"]), scope)
            if scope == "sentence":
                continue
            features[f"top_{scope}"] = _taken(_recall(self.soft[scope], weights["top"]), best[scope])
            for name in ("number", "name"):
                features[f"{name}_{scope}"] = _taken(_recall(self.exact[scope], weights[name]), best[scope])
        for scope, matrix in self.grams.items():
            features[f"gram_{scope}"] = self._greatest(_recall(matrix, self.key.by_gram[rows]), scope)
        for scope, matrix in self.related.items():
            for name, kind in (("related", "mixed"), ("related_new", "new")):
                features[f"{name}_{scope}"] = self._greatest(_recall(matrix, weights[kind]), scope)
        features["bigram_response"] = _recall(self.bigrams, self.key.by_bigram[rows])
        had = features["number_window"] * numbers
        features["other_number"] = (had < numbers - 0.5) & (self.numbers[best["window"]] > had + 0.5)
        negated = self.key.negated[rows]
        features["negation_differs"] = self.reading.negated[best["sentence"]] != negated
        for name, of_nug in (("has_number", numbers > 0), ("has_name", named > 0), ("is_negated", negated)):
            features[name] = np.broadcast_to(of_nug, had.shape)
        features["asked"] = np.broadcast_to(np.asarray(weights["asked"].sum(axis=1)).ravel(), had.shape)
        features["length"] = np.broadcast_to(np.log1p(terms), had.shape)
        evidence = np.where(features["mixed_sentence"] > 0, self.reading.units[best["sentence"]], -1)
        return Block({name: features[name].astype(np.float32) for name in FEATURES}, evidence.astype(np.int32))

    def _greatest(self, values: Values, scope: Scope) -> Values:
        greatest: Values = np.maximum.reduceat(values, self.starts[scope][:-1], axis=0)
        return greatest

    def _bigrams(self) -> csr_array:
        """Responses x bigrams."""
        from scipy.sparse import csr_array

        first, space = self.reading.first, self.key.bigrams
        responses, sentences = len(first) - 1, int(first[-1])
        if space is None:
            return csr_array((responses, self.key.by_bigram.shape[1]), dtype=np.float32)
        ids = self.key.vocabulary.id_of
        known = np.array([ids.get(form, -1) for form in self.reading.forms], np.int32)
        rows = space.rows_of(known[self.reading.tokens], self.reading.ends)
        owner = np.repeat(np.arange(responses), np.diff(first))
        ones = np.ones(sentences, np.float32)
        bigrams = csr_array((ones, (owner, np.arange(sentences))), shape=(responses, sentences)) @ rows
        bigrams.data[:] = 1.0
        return bigrams


def _recall(presence: csr_array, weights: csr_array) -> Values:
    """Rows of a scope x descriptions."""
    recall: Values = (presence @ weights.T.tocsr()).toarray()
    return recall


def _where_greatest(values: Values, starts: Ints) -> Ints:
    """For each response and description, the row with the greatest value; the first of several equal ones."""
    if len(starts) - 1 == len(values):
        return np.broadcast_to(np.arange(len(values))[:, None], values.shape)
    return np.stack([begin + values[begin:end].argmax(axis=0) for begin, end in pairwise(starts)])


def _taken(values: Values, rows: Ints) -> Values:
    return np.take_along_axis(values, rows, axis=0)
