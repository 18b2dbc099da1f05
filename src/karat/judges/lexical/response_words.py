"""The words of responses as rows of forms: per response, per window of three sentences, and per sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.key_terms import SPELLING
from karat.text.response_units import WINDOW
from karat.text.words import find_words, negates

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scope = Literal["response", "window", "sentence"]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ResponseWords:
    """The words of some responses; an empty response has one empty sentence, so that each has a row in every scope."""

    forms: list[str]
    """The different forms, each once."""
    tokens: Ints
    """The forms of all sentences, as numbers, in the order of the text."""
    ends: Ints
    """The first token of each sentence, and the number of tokens."""
    first: Ints
    """The first sentence of each response, and the number of sentences."""
    units: Ints
    """The number of each sentence among those given; -1 for the empty sentence of an empty response."""
    negated: NDArray[np.bool_]

    def starts(self, scope: Scope) -> Ints:
        """The first row of each response, and the number of rows."""
        if scope == "sentence":
            return self.first
        sentences = np.diff(self.first)
        rows = np.ones_like(sentences) if scope == "response" else np.maximum(1, sentences - WINDOW + 1)
        return np.concatenate([[0], np.cumsum(rows)])

    @cached_property
    def said(self) -> Ints:
        """The sentence and the form of every word, in order; a form that is repeated in a sentence is there once."""
        sentence = np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))
        # Sorted, because hashing numbers that are close together is slow.
        cell = np.sort(sentence * len(self.forms) + self.tokens)
        first = np.ones(len(cell), bool)
        first[1:] = cell[1:] != cell[:-1]
        return np.stack(np.divmod(cell[first], max(1, len(self.forms))))

    def presence(self, links: csr_array, scope: Scope) -> csr_array:
        """Rows of a scope x columns of the links (forms x columns): the best link of any form that occurs there."""
        linked = np.diff(links.indptr)
        # Few forms of a long text match the key.
        sentence, form = self.said[:, linked[self.said[1]] > 0]
        row, which = self._placed(sentence, scope)
        form = form[which]
        count = linked[form]
        # The links of each form, one after the other, counted from the first.
        begins = np.repeat(links.indptr[:-1][form] - np.cumsum(count) + count, count)
        at = begins + np.arange(int(count.sum()))
        return _best_of(
            np.repeat(row, count), links.indices[at], links.data[at], (int(self.starts(scope)[-1]), links.shape[1])
        )

    def _placed(self, sentence: Ints, scope: Scope) -> tuple[Ints, Ints]:
        """The rows that each sentence belongs to, and the number of the sentence."""
        every = np.arange(len(sentence))
        if scope == "sentence":
            return sentence, every
        response = np.searchsorted(self.first, sentence, side="right") - 1
        if scope == "response":
            return response, every
        starts = self.starts(scope)
        rows, which = [], []
        for back in range(WINDOW):
            window = starts[response] + sentence - self.first[response] - back
            inside = (window >= starts[response]) & (window < starts[response + 1])
            rows.append(window[inside])
            which.append(every[inside])
        return np.concatenate(rows), np.concatenate(which)


def read(sentences: Sequence[str], starts: Sequence[int] | Ints) -> ResponseWords:
    """Read sentences as forms; `starts` has the first sentence of each response, and their number at the end."""
    seen = _WordForms()
    tokens: list[int] = []
    ends, first, units, negated = [0], [0], [], []
    for begin, end in pairwise(starts):
        for unit in range(int(begin), int(end)) or (-1,):
            words = find_words(sentences[unit]) if unit >= 0 else []
            tokens.extend(number for number in map(seen.__getitem__, words) if number >= 0)
            ends.append(len(tokens))
            units.append(unit)
            negated.append(not seen.negations.isdisjoint(words))
        first.append(len(units))
    return ResponseWords(
        forms=list(seen.forms),
        tokens=np.array(tokens, np.int64),
        ends=np.array(ends, np.int64),
        first=np.array(first, np.int64),
        units=np.array(units, np.int64),
        negated=np.array(negated, bool),
    )


class _WordForms(dict[str, int]):
    """The form of every word seen so far, as a number; -1 for a stop word."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, int] = {}
        self.negations: set[str] = set()

    def __missing__(self, word: str) -> int:
        if negates(word):
            self.negations.add(word)
        form = SPELLING.form(word)
        self[word] = number = -1 if form is None else self.forms.setdefault(form, len(self.forms))
        return number


def _best_of(row: Ints, column: Ints, value: NDArray[np.float32], shape: tuple[int, int]) -> csr_array:
    """A sparse matrix; where a cell has several values, it gets the greatest."""
    from scipy.sparse import csr_array

    cell = row * max(1, shape[1]) + column
    order = np.argsort(cell, kind="stable")
    cell, value = cell[order], value[order]
    if not len(cell):
        return csr_array(shape, dtype=np.float32)
    begins = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    rows, columns = np.divmod(cell[begins], max(1, shape[1]))
    return csr_array((np.maximum.reduceat(value, begins), (rows, columns)), shape=shape)
