"""PropSegmEnt's sentences, their tokens, and the places that sets of tokens cover."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from karat.formats.io.fields import Fields
from karat.model import SpanSet


class SentenceKey(NamedTuple):
    """Which sentence; its index counts from 0."""

    cluster_id: str
    document_id: str
    sentence_index: int


class TokenizedSentence(NamedTuple):
    """A sentence and the places of its tokens, half-open, in code points."""

    text: str
    tokens: list[tuple[int, int]]


class TokenSet(NamedTuple):
    """Some tokens of a sentence, by their numbers from 0, and what they cover."""

    tokens: tuple[int, ...]
    spans: SpanSet

    @property
    def name(self) -> str:
        """The tokens in short: `0-2,9`."""
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(self.tokens))


def read_key(item: Fields, cluster_id: str) -> SentenceKey:
    return SentenceKey(cluster_id, item.id("document_id"), item.integer("sentence_index"))


def read_sentence(item: Fields) -> TokenizedSentence:
    """The sentence with its tokens; none where one is not where it is said to be, for then numbers mean nothing."""
    sentence = TokenizedSentence(item.text("sentence_text"), [])
    with item.unit():
        sentence = sentence._replace(tokens=[_read_token(token, sentence.text) for token in item.items("tokens")])
    return sentence


def _read_token(token: Fields, text: str) -> tuple[int, int]:
    word, start = token.text("text"), token.integer("character_offset_of_token_in_sentence")
    if not word or start < 0 or not text.startswith(word, start):
        token.bad("text", f"{word!r} is not at {start} of the sentence", code="span-outside")
    return start, start + len(word)


def read_proposition(item: Fields, sentence: TokenizedSentence) -> TokenSet:
    """A set of tokens; blanks between neighbouring ones belong to what they cover."""
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
    """The first and last of each run of neighbours."""
    runs: list[tuple[int, int]] = []
    for token in sorted({*tokens}):
        if runs and token == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], token)
        else:
            runs.append((token, token))
    return runs
