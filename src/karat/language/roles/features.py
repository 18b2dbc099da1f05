"""Sentences as arrays for the network: the tokens of many sentences in one list, with the row numbers of neighbours.

Row 0 means "outside the sentence". It is zero in every layer, so a neighbour is always a plain row number.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.language.analysis import Token
from karat.language.roles.lexicon import LEMMA_BUCKETS, Lexicon, bucket, spelling
from karat.language.roles.spans import candidate_spans, downwards

Rows = NDArray[np.int64]
DISTANCES = 24
WIDTHS = 10
_DISTANCE = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8, 9, 9, 9, 9] + [10] * 12 + [11])
_WIDTH = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7] + [8] * 10 + [9])


class SentenceArrays(msgspec.Struct, frozen=True):
    """A sentence in numbers: the part that does not depend on the predicate, so that it is computed once."""

    words: Rows
    """The row of each word's vector."""
    fields: Rows
    """An array of tokens x WORD_FIELDS."""
    heads: Rows
    head_list: list[int]
    deps: list[int]
    order: list[int]
    predicate_ids: list[int]
    """The number of each token's lemma in the list of known predicates; 0: not in the list."""
    spans: Rows
    """An array of candidates x (first token, end, head, kind)."""


class TokenRows(msgspec.Struct, frozen=True):
    """The tokens of many sentences."""

    words: Rows
    fields: Rows
    neighbours: tuple[Rows, Rows, Rows]
    """The rows of the token before, the token after and the head."""
    starts: list[int]
    """The row of each sentence's first token."""


class PairRows(msgspec.Struct, frozen=True):
    """Every predicate with every token of its sentence, and with every candidate span."""

    predicate_rows: Rows
    predicate_ids: Rows
    token_rows: Rows
    predicates: Rows
    paths: Rows
    distances: Rows
    neighbours: tuple[Rows, Rows, Rows]
    span_places: tuple[Rows, Rows, Rows, Rows, Rows]
    """The rows of a span's first and last token, of the tokens before and after it, and of its head."""
    span_kinds: Rows
    span_widths: Rows
    span_lengths: Rows
    span_predicates: Rows
    spans: list[Rows]
    """The candidates of each predicate: those of its sentence that do not contain it."""


def sentence_arrays(tokens: Sequence[Token], lexicon: Lexicon) -> SentenceArrays:
    """A sentence in numbers."""
    heads = [token.head for token in tokens]
    order, children = downwards(heads)
    spans = candidate_spans(order, children, punctuation=[token.pos == "PUNCT" for token in tokens])
    lemmas = [token.lemma.lower() for token in tokens]
    fields = [
        (
            bucket(lemma, LEMMA_BUCKETS),
            *spelling(token.text)[:2],
            lexicon.tags.get(token.tag, 0),
            lexicon.deps.get(token.dep, 0),
            lexicon.ents.get(token.ent_type, 0),
            spelling(token.text)[2],
        )
        for token, lemma in zip(tokens, lemmas, strict=True)
    ]
    return SentenceArrays(
        words=np.array([lexicon.word(token.text) for token in tokens]),
        fields=np.array(fields),
        heads=np.array(heads),
        head_list=heads,
        deps=[field[4] for field in fields],
        order=order,
        predicate_ids=[lexicon.predicates.get(lemma, 0) for lemma in lemmas],
        spans=np.array(spans),
    )


def token_rows(sentences: Sequence[SentenceArrays]) -> TokenRows:
    """The tokens of some sentences in one list, after the zero row."""
    starts, row = [], 1
    before, after, heads = [_NONE], [_NONE], [_NONE]
    for sentence in sentences:
        count = len(sentence.heads)
        starts.append(row)
        _beside(before, after, row, count)
        heads.append(sentence.heads + row)
        row += count
    return TokenRows(
        words=np.concatenate([_NONE, *(sentence.words for sentence in sentences)]),
        fields=np.concatenate([np.zeros((1, 7), dtype=np.int64), *(sentence.fields for sentence in sentences)]),
        neighbours=(np.concatenate(before), np.concatenate(after), np.concatenate(heads)),
        starts=starts,
    )


def pair_rows(targets: Sequence[tuple[SentenceArrays, int, int]], lexicon: Lexicon) -> PairRows:
    """Rows for some predicates, each given by its sentence, the row of the sentence's first token, and its place."""
    before, after, heads, tokens, owners, distances = [_NONE], [_NONE], [_NONE], [_NONE], [_NONE], [_NONE]
    paths: list[int] = [0]
    spans, first_pairs, ends = [], [], []
    row = 1
    for number, (sentence, start, position) in enumerate(targets):
        count = len(sentence.heads)
        _beside(before, after, row, count)
        heads.append(sentence.heads + row)
        tokens.append(np.arange(start, start + count))
        owners.append(np.full(count, number))
        paths.extend(lexicon.path_ids(position, sentence.head_list, sentence.deps, sentence.order))
        away = np.arange(-position, count - position)
        distances.append(_DISTANCE[np.minimum(np.abs(away), len(_DISTANCE) - 1)] + 12 * (away >= 0))
        kept = sentence.spans[(sentence.spans[:, 0] > position) | (sentence.spans[:, 1] <= position)]
        spans.append(kept)
        first_pairs.append(np.full(len(kept), row))
        ends.append(np.full(len(kept), count))
        row += count
    together = np.concatenate(spans)
    first, end, head, kind = together.T
    base, counts = np.concatenate(first_pairs), np.concatenate(ends)
    return PairRows(
        predicate_rows=np.array([start + position for _, start, position in targets]),
        predicate_ids=np.array([sentence.predicate_ids[position] for sentence, _, position in targets]),
        token_rows=np.concatenate(tokens),
        predicates=np.concatenate(owners),
        paths=np.array(paths),
        distances=np.concatenate(distances),
        neighbours=(np.concatenate(before), np.concatenate(after), np.concatenate(heads)),
        span_places=(
            first + base,
            end - 1 + base,
            np.where(first > 0, first - 1 + base, 0),
            np.where(end < counts, end + base, 0),
            head + base,
        ),
        span_kinds=kind,
        span_widths=_WIDTH[np.minimum(end - first, len(_WIDTH) - 1)],
        span_lengths=end - first,
        span_predicates=np.repeat(np.arange(len(targets)), [len(kept) for kept in spans]),
        spans=spans,
    )


_NONE: Rows = np.zeros(1, dtype=np.int64)


def _beside(before: list[Rows], after: list[Rows], row: int, count: int) -> None:
    rows = np.arange(row, row + count)
    previous, following = rows - 1, rows + 1
    previous[0] = following[-1] = 0
    before.append(previous)
    after.append(following)
