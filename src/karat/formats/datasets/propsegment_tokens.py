"""PropSegmEnt's sentences, their tokens, and the spans that sets of tokens cover."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from karat.formats.io.fields import Fields
from karat.model import SpanSet


class SentenceKey(NamedTuple):
    """The ids of a sentence; its index counts from 0."""

    cluster_id: str
    document_id: str
    sentence_index: int


class TokenizedSentence(NamedTuple):
    """A sentence and the half-open spans of its tokens, in code points."""

    text: str
    tokens: list[tuple[int, int]]


class TokenSet(NamedTuple):
    """A proposition: some tokens of a sentence, by their numbers from 0, and the spans they cover."""

    tokens: tuple[int, ...]
    spans: SpanSet

    @property
    def name(self) -> str:
        """The token numbers in a short form: `0-2,9`."""
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(self.tokens))


def read_key(item: Fields, cluster_id: str) -> SentenceKey:
    return SentenceKey(cluster_id, item.id("document_id"), item.integer("sentence_index"))


def read_sentence(item: Fields) -> TokenizedSentence:
    """The sentence with its tokens; with no tokens if one is not at its stated place, for then numbers mean nothing."""
    sentence = TokenizedSentence(item.text("sentence_text"), [])
    with item.unit():
        sentence = sentence._replace(tokens=[_read_token(token, sentence.text) for token in item.items("tokens")])
    return sentence


def _read_token(token: Fields, text: str) -> tuple[int, int]:
    word, start = token.text("text"), token.integer("character_offset_of_token_in_sentence")
    if not word or start < 0 or not text.startswith(word, start):
        token.bad("text", f"{word!r} is not at position {start} of the sentence", code="span-outside")
    return start, start + len(word)


def read_proposition(item: Fields, sentence: TokenizedSentence) -> TokenSet:
    """A set of tokens; the blanks between neighbouring tokens are part of the spans."""
    places = sentence.tokens
    tokens = item.members("token_indices")
    for index, token in enumerate(tokens):
        if type(token) is not int or not 0 <= token < len(places):
            message = f"{token!r} is not one of the {len(places)} tokens of the sentence, counted from 0"
            item.bad(f"token_indices[{index}]", message, code="dangling-reference")
    if not tokens:
        item.bad("token_indices", "is empty", code="missing-field")
    spans = SpanSet([(places[first][0], places[last][1]) for first, last in _runs(tokens)])
    return TokenSet(tuple(sorted({*tokens})), spans)


def _runs(tokens: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last number of each sequence of neighbours."""
    runs: list[tuple[int, int]] = []
    for token in sorted({*tokens}):
        if runs and token == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], token)
        else:
            runs.append((token, token))
    return runs
