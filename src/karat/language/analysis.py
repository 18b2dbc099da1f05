"""The records of an analysis of English text: tokens, entities, a parse, and predicates with their roles.

Tokens are numbered within their sentence; `start, end` of a token are code points of the original text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

import msgspec


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word or punctuation mark; `text` is always the original text from `start` to `end`."""

    index: int
    start: int
    end: int
    text: str
    lemma: str
    pos: str
    """The universal part of speech: VERB, NOUN, PROPN, ..."""
    tag: str
    """The part-of-speech tag of the Penn Treebank: VBD, NNS, NNP, ..."""
    dep: str
    """The relation to `head`, as spaCy (ClearNLP) names it: nsubj, dobj, prep, pobj, ..."""
    head: int
    """The index of the token that governs this one; a root has its own index."""
    ent_type: str
    """The label of the entity that the token is part of, or an empty string."""
    known: bool = True
    """Whether the dictionary of the model has the word; always true for a model without a dictionary."""


class Entity(msgspec.Struct, frozen=True, gc=False):
    """A named entity or quantity: the tokens from `start_token` up to, not including, `end_token`."""

    start_token: int
    end_token: int
    label: str
    """As OntoNotes names it: PERSON, ORG, GPE, DATE, CARDINAL, ..."""


class Argument(msgspec.Struct, frozen=True, gc=False):
    """A role of a predicate, as PropBank names it: ARG0, ARG1, ARGM-TMP, R-ARG0 (a relative pronoun), C-ARG1."""

    label: str
    start_token: int
    end_token: int


class Predicate(msgspec.Struct, frozen=True, gc=False):
    """A verb, or a noun or adjective that names an event, with its arguments in the order of the text."""

    token: int
    lemma: str
    nominal: bool
    """Whether it is a noun or an adjective ("the visit", "aware of") rather than a verb."""
    arguments: tuple[Argument, ...]


class ParsedSentence(msgspec.Struct, frozen=True, dict=True):
    """A sentence: its tokens with their parse, its entities and its predicates."""

    tokens: tuple[Token, ...]
    entities: tuple[Entity, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    source: str = ""
    """The whole original text; all offsets are positions in it."""
    notes: tuple[str, ...] = ()
    """What was not analysed, and why."""

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.index:
                children[token.head].append(token.index)
        return children

    @cached_property
    def _subtrees(self) -> list[tuple[int, ...]]:
        subtrees: list[list[int]] = [[index] for index in range(len(self.tokens))]
        for index in self._upwards():
            head = self.tokens[index].head
            if head != index:
                subtrees[head].extend(subtrees[index])
        return [tuple(sorted(subtree)) for subtree in subtrees]

    def _upwards(self) -> list[int]:
        """All tokens, each one before its head."""
        order = [token.index for token in self.tokens if token.head == token.index]
        for index in order:
            order.extend(self._children[index])
        return order[::-1]

    def children(self, index: int, *deps: str) -> list[Token]:
        """The tokens whose head is this token, left to right; with `deps`, only those with one of these relations."""
        tokens = [self.tokens[child] for child in self._children[index]]
        return [token for token in tokens if token.dep in deps] if deps else tokens

    def subtree(self, index: int) -> tuple[int, ...]:
        """A token and everything below it, left to right."""
        return self._subtrees[index]

    def ancestors(self, index: int) -> Iterator[Token]:
        """The tokens above a token, nearest first."""
        while self.tokens[index].head != index:
            index = self.tokens[index].head
            yield self.tokens[index]

    def text_of(self, start_token: int, end_token: int) -> str:
        """The original text of a range of tokens."""
        return self.source[self.tokens[start_token].start : self.tokens[end_token - 1].end]


class Analysis(msgspec.Struct, frozen=True):
    """A text and its sentences; no sentence is empty."""

    text: str
    sentences: tuple[ParsedSentence, ...]


class Analyzer(Protocol):
    """Something that makes an Analysis of a text; every class with these three methods will do."""

    def analyze(self, text: str) -> Analysis:
        """The analysis of one text."""

    def analyze_many(self, texts: Iterable[str], *, batch: int = 64) -> Iterator[Analysis]:
        """The analyses of many texts, in their order, `batch` texts at a time."""

    def signature(self) -> dict[str, str]:
        """Everything that changes the result: the models and their versions."""
