"""The role model: a small network in three parts, which needs only numpy.

1. Tokens. Word vector, lemma, affixes, tag, relation, entity type and shape become one vector; two layers mix in the
   tokens before and after and the head: h' = norm(h + relu(W [h, before, after, head])).
2. Predicate and token. z = norm(relu(P h_predicate + T h_token + path + distance)), then two layers as above, over the
   tokens of the sentence. The path from the predicate to the token through the tree has its own embedding.
3. Predicate and span. u = relu(sum of projections of z at the span's first, last and head token, of the tokens around
   it and of its mean, + predicate + kind + width); a softmax over labels and "no argument".

A logistic unit on part 1 says whether a token is a predicate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.language.roles.features import PairRows, TokenRows
from karat.language.roles.lexicon import WORD_FIELDS

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
PLACES = ("first", "last", "before", "after", "head")
TOKEN_LAYERS, PAIR_LAYERS = 2, 2


def encode_tokens(rows: TokenRows, weights: Weights) -> Floats:
    """Part 1: a vector for every token row."""
    parts = [_rows(weights["word"], rows.words)]
    parts += [_rows(weights[name], rows.fields[:, column]) for column, name in enumerate(WORD_FIELDS)]
    hidden = np.concatenate(parts, axis=1) @ weights["input.w"] + weights["input.b"]
    hidden = _norm(np.maximum(hidden, 0, out=hidden), weights, "input")
    for layer in range(TOKEN_LAYERS):
        hidden = _mix(hidden, rows.neighbours, weights, f"token{layer}")
    return hidden


def predicate_chances(hidden: Floats, weights: Weights) -> Floats:
    """The log-odds that each token is a predicate."""
    logits: Floats = (hidden @ weights["is_predicate.w"] + weights["is_predicate.b"])[:, 0]
    return logits


def label_scores(hidden: Floats, pairs: PairRows, weights: Weights) -> Floats:
    """Parts 2 and 3: an array of spans x labels, log-odds of each label against "no argument" (column 0, all zero)."""
    known = _rows(weights["predicate"], pairs.predicate_ids)
    predicates = np.concatenate([_rows(hidden, pairs.predicate_rows), known], axis=1)
    seen = _rows(predicates @ weights["seen.w"] + weights["seen.b"], pairs.predicates)
    seen += _rows(hidden @ weights["token.w"], pairs.token_rows)
    seen += _rows(weights["path"], pairs.paths)
    seen += _rows(weights["distance"], pairs.distances)
    seen = _norm(np.maximum(seen, 0, out=seen), weights, "seen")
    for layer in range(PAIR_LAYERS):
        seen = _mix(seen, pairs.neighbours, weights, f"pair{layer}")
    summed = np.cumsum(seen @ weights["mean.w"], axis=0)
    first, last = pairs.span_places[:2]
    spans = _rows(summed, last)
    spans -= _rows(summed, first - 1)
    spans /= pairs.span_lengths[:, None].astype(np.float32)
    for place, rows in zip(PLACES, pairs.span_places, strict=True):
        spans += _rows(seen @ weights[f"{place}.w"], rows)
    spans += _rows(weights["kind"], pairs.span_kinds)
    spans += _rows(weights["width"], pairs.span_widths)
    spans += _rows(predicates @ weights["span.w"] + weights["span.b"], pairs.span_predicates)
    logits: Floats = np.maximum(spans, 0, out=spans) @ weights["label.w"] + weights["label.b"]
    logits -= logits[:, :1]
    return logits


def _rows(values: Floats, rows: NDArray[Any]) -> Floats:
    # Faster than values[rows]: the row numbers are always valid and need no check.
    return values.take(rows, axis=0, mode="clip")


def _mix(hidden: Floats, neighbours: tuple[NDArray[Any], ...], weights: Weights, name: str) -> Floats:
    beside = np.concatenate([hidden, *(_rows(hidden, rows) for rows in neighbours)], axis=1)
    added = beside @ weights[f"{name}.w"] + weights[f"{name}.b"]
    np.maximum(added, 0, out=added)
    added += hidden
    return _norm(added, weights, name)


def _norm(values: Floats, weights: Weights, name: str) -> Floats:
    """Each row is brought to mean 0 and variance 1, then scaled; row 0 (outside the sentence) stays zero."""
    values -= values.mean(axis=1, keepdims=True)
    values /= np.sqrt(np.einsum("ij,ij->i", values, values)[:, None] / values.shape[1] + 1e-5)
    values *= weights[f"{name}.scale"]
    values += weights[f"{name}.shift"]
    values[0] = 0
    return values
