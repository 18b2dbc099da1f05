"""What an analysis of English text holds: tokens, entities, a parse and predicates with their roles.

Positions of tokens count within their sentence; `start, end` of a token are code points of the original text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

import msgspec


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word or mark; `text` is always the original text from `start` to `end`."""

    index: int
    start: int
    end: int
    text: str
    lemma: str
    pos: str
    """The universal part of speech: VERB, NOUN, PROPN, ..."""
    tag: str
    """The Penn Treebank's: VBD, NNS, NNP, ..."""
    dep: str
    """The relation to `head`, in spaCy's (ClearNLP's) names: nsubj, dobj, prep, pobj, ..."""
    head: int
    """The index of the governing token; of a root its own."""
    ent_type: str
    """The label of the entity the token is in, or an empty string."""


class Entity(msgspec.Struct, frozen=True, gc=False):
    """A named entity or quantity: the tokens from `start_token` up to, not including, `end_token`."""

    start_token: int
    end_token: int
    label: str
    """OntoNotes' name: PERSON, ORG, GPE, DATE, CARDINAL, ..."""


class Argument(msgspec.Struct, frozen=True, gc=False):
    """A role of a predicate, in PropBank's names: ARG0, ARG1, ARGM-TMP, R-ARG0 (a relative pronoun), C-ARG1."""

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

    def argument(self, label: str) -> Argument | None:
        """The first argument with this label."""
        return next((argument for argument in self.arguments if argument.label == label), None)


class Sentence(msgspec.Struct, frozen=True, dict=True):
    """The tokens of a sentence and what was found on them."""

    tokens: tuple[Token, ...]
    entities: tuple[Entity, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    source: str = ""
    """The whole original text, into which all offsets point."""
    notes: tuple[str, ...] = ()
    """What was left undone, and why."""

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def text(self) -> str:
        return self.source[self.start : self.end]

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
        """Every token before its head."""
        order = [token.index for token in self.tokens if token.head == token.index]
        for index in order:
            order.extend(self._children[index])
        return order[::-1]

    def children(self, index: int, *deps: str) -> list[Token]:
        """The tokens that hang on a token, left to right; with `deps` only those in one of these relations."""
        tokens = [self.tokens[child] for child in self._children[index]]
        return [token for token in tokens if token.dep in deps] if deps else tokens

    def subtree(self, index: int) -> tuple[int, ...]:
        """A token and everything below it, left to right."""
        return self._subtrees[index]

    def subtree_span(self, index: int) -> tuple[int, int]:
        """First token and end of a token's subtree; where the parse crosses, tokens between belong to others."""
        subtree = self._subtrees[index]
        return subtree[0], subtree[-1] + 1

    def ancestors(self, index: int) -> Iterator[Token]:
        """The tokens above a token, nearest first."""
        while self.tokens[index].head != index:
            index = self.tokens[index].head
            yield self.tokens[index]

    def offsets(self, start_token: int, end_token: int) -> tuple[int, int]:
        """Code points from the first token up to the end of the last."""
        return self.tokens[start_token].start, self.tokens[end_token - 1].end

    def text_of(self, start_token: int, end_token: int) -> str:
        """The original text of a range of tokens."""
        start, end = self.offsets(start_token, end_token)
        return self.source[start:end]


class Analysis(msgspec.Struct, frozen=True):
    """A text and its sentences, none of which is empty."""

    text: str
    sentences: tuple[Sentence, ...]


class Analyzer(Protocol):
    """What turns text into an Analysis; a backend is anything with these three methods."""

    def analyze(self, text: str) -> Analysis:
        """The analysis of one text."""

    def analyze_many(self, texts: Iterable[str], *, batch: int = 64) -> Iterator[Analysis]:
        """The analyses of many texts, in their order, `batch` texts at a time."""

    def signature(self) -> dict[str, str]:
        """Everything that changes the result: the models and their versions."""
