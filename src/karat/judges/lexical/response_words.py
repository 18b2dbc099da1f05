"""Responses as rows of forms, seen whole, by windows of three sentences, and by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.weighing import SPELLING
from karat.judges.units import WINDOW
from karat.text.words import find_words, negates

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Scope = Literal["response", "window", "sentence"]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ResponseWords:
    """Some responses; one without words has a sentence without words, so that each has a row in every scope."""

    forms: list[str]
    """The different forms that occur."""
    tokens: Ints
    """The forms of all sentences, as numbers, one after the other."""
    ends: Ints
    """Where the tokens of each sentence begin, and the end."""
    first: Ints
    """Where the sentences of each response begin, and the end."""
    units: Ints
    """The number of each sentence among those given; -1 for one that stands in for none."""
    negated: NDArray[np.bool_]

    def starts(self, scope: Scope) -> Ints:
        """Where the rows of each response begin, and the end."""
        if scope == "sentence":
            return self.first
        sentences = np.diff(self.first)
        rows = np.ones_like(sentences) if scope == "response" else np.maximum(1, sentences - WINDOW + 1)
        return np.concatenate([[0], np.cumsum(rows)])

    @cached_property
    def said(self) -> Ints:
        """The sentence and the form of everything that is said, once a sentence, in order."""
        sentence = np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))
        # Sorted, because hashing of numbers that lie close together takes long.
        cell = np.sort(sentence * len(self.forms) + self.tokens)
        first = np.ones(len(cell), bool)
        first[1:] = cell[1:] != cell[:-1]
        return np.stack(np.divmod(cell[first], max(1, len(self.forms))))

    def presence(self, links: csr_array, scope: Scope) -> csr_array:
        """Rows of a scope x columns of the links (forms x columns): the best link of any form that occurs there."""
        linked = np.diff(links.indptr)
        # Few forms of a long text speak of the key.
        sentence, form = self.said[:, linked[self.said[1]] > 0]
        row, which = self._placed(sentence, scope)
        form = form[which]
        count = linked[form]
        # The links of each form, one after the other: counted on from where they begin.
        begins = np.repeat(links.indptr[:-1][form] - np.cumsum(count) + count, count)
        at = begins + np.arange(int(count.sum()))
        return _best_of(
            np.repeat(row, count), links.indices[at], links.data[at], (int(self.starts(scope)[-1]), links.shape[1])
        )

    def _placed(self, sentence: Ints, scope: Scope) -> tuple[Ints, Ints]:
        """The rows that each sentence belongs to, and which sentence it was."""
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
    """Sentences in terms of their forms; those of each response begin at `starts`, which ends with their number."""
    seen = _Words()
    tokens: list[int] = []
    ends, first, units, negated = [0], [0], [], []
    for begin, end in pairwise(starts):
        for unit in range(int(begin), int(end)) or (-1,):
            own = find_words(sentences[unit]) if unit >= 0 else []
            tokens.extend(number for number in map(seen.__getitem__, own) if number >= 0)
            ends.append(len(tokens))
            units.append(unit)
            negated.append(not seen.negations.isdisjoint(own))
        first.append(len(units))
    return ResponseWords(
        forms=list(seen.forms),
        tokens=np.array(tokens, np.int64),
        ends=np.array(ends, np.int64),
        first=np.array(first, np.int64),
        units=np.array(units, np.int64),
        negated=np.array(negated, bool),
    )


class _Words(dict[str, int]):
    """The form of every word met so far, as a number; -1 for a stop word."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, int] = {}
        self.negations: set[str] = set()

    def __missing__(self, word: str) -> int:
        if negates(word):
            self.negations.add(word)
        form = SPELLING.form(word)
        self[word] = found = -1 if form is None else self.forms.setdefault(form, len(self.forms))
        return found


def _best_of(row: Ints, column: Ints, value: NDArray[np.float32], shape: tuple[int, int]) -> csr_array:
    """A sparse matrix in which of several values for a cell the greatest stands."""
    from scipy.sparse import csr_array

    cell = row * max(1, shape[1]) + column
    order = np.argsort(cell, kind="stable")
    cell, value = cell[order], value[order]
    if not len(cell):
        return csr_array(shape, dtype=np.float32)
    begins = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    rows, columns = np.divmod(cell[begins], max(1, shape[1]))
    return csr_array((np.maximum.reduceat(value, begins), (rows, columns)), shape=shape)
