"""N-grams as columns: texts become rows of a sparse matrix; each column is an n-gram of interest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.text.vocabulary import Ids, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Codes = NDArray[np.int64]
MOST_WORDS = 2_000_000
"""With a larger vocabulary the codes of trigrams would not fit into 64 bits."""


class NgramSpace:
    """The n-grams of 1 to n words that occur in the texts of a vocabulary; each is a column."""

    def __init__(self, vocabulary: Vocabulary, texts: Sequence[str], *, n: int = 1) -> None:
        if not 1 <= n <= 3:
            raise ValueError(f"n-grams have 1 to 3 words, not {n}")
        if len(vocabulary) > MOST_WORDS:
            raise ValueError(f"a vocabulary may have at most {MOST_WORDS:,} words, not {len(vocabulary):,}")
        self.vocabulary = vocabulary
        self.n = n
        self.base = len(vocabulary) + 1
        flat, starts = vocabulary.sequence(texts)
        self.codes: Codes = np.unique(np.concatenate([codes for codes, _ in self._codes(flat, starts)]))
        """The sorted codes of the n-grams; the position of a code is its column."""
        self._column_of_word = np.full(self.base, -1, np.int64)
        singles = self.codes[self.codes < self.base]
        self._column_of_word[singles] = np.arange(len(singles))

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, texts: Sequence[str], *, counts: bool = False) -> csr_array:
        """One row per text: 1 where it has the n-gram (with `counts`, how often)."""
        flat, starts = self.vocabulary.sequence(texts)
        return self.rows_of(flat, starts, counts=counts)

    def rows_of(self, flat: Ids, starts: NDArray[np.int64], *, counts: bool = False) -> csr_array:
        """The same for texts that are already word ids (see Vocabulary.sequence)."""
        from scipy.sparse import csr_array

        column, row = self._places(flat, starts)
        shape = (len(starts) - 1, len(self.codes))
        matrix = csr_array((np.ones(len(row), np.float32), (row, column)), shape=shape)
        matrix.sum_duplicates()
        if not counts:
            matrix.data[:] = 1.0
        return matrix

    def tables(self, texts: Sequence[str], *, width: int, counts: bool = False) -> Iterator[NDArray[np.float32]]:
        """The same as plain arrays of `width` texts each, with one row per n-gram and one column per text.

        All arrays share the same memory, because new memory costs more than the words: use each before taking the next.
        """
        room = np.zeros(len(self.codes) * width, np.float32)
        for start in range(0, len(texts), width):
            some = texts[start : start + width]
            column, row = self._places(*self.vocabulary.sequence(some))
            cell = column * len(some) + row
            if counts:
                np.add.at(room, cell, np.float32(1.0))
            else:
                room[cell] = 1.0
            yield room[: len(self.codes) * len(some)].reshape(len(self.codes), len(some))
            room[cell] = 0.0

    def _places(self, flat: Ids, starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The column and the text of every n-gram of interest; a repeated n-gram is listed as often as it occurs."""
        columns, rows = [], []
        text = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        for length, (codes, position) in enumerate(self._codes(flat, starts), 1):
            if length == 1:
                # The codes of single words are the smallest ones, so a table lookup is enough and no search is needed.
                column = self._column_of_word[codes]
            else:
                column = np.searchsorted(self.codes, codes)
                column[column == len(self.codes)] = 0
                column = np.where(self.codes[column] == codes, column, -1) if len(self.codes) else column
            known = column >= 0
            columns.append(column[known])
            rows.append(text[position[known]])
        return np.concatenate(columns), np.concatenate(rows)

    def words_of(self, column: int) -> tuple[int, ...]:
        """The ids of the words of an n-gram."""
        code, words = int(self.codes[column]), []
        while code:
            code, word = divmod(code, self.base)
            words.append(word - 1)
        return tuple(reversed(words))

    def text_of(self, column: int) -> str:
        """An n-gram in words."""
        forms = self.vocabulary.forms
        return " ".join(forms[word] for word in self.words_of(column))

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the values of its words, for every n-gram."""
        total = np.zeros(len(self.codes))
        rest = self.codes.copy()
        while rest.any():
            rest, word = np.divmod(rest, self.base)
            total += np.where(word > 0, values[np.maximum(word - 1, 0)], 0.0)
        return total

    def _codes(self, flat: Ids, starts: NDArray[np.int64]) -> list[tuple[Codes, NDArray[np.int64]]]:
        """Codes and positions of all n-grams, per length, that lie inside one text and have only known words."""
        words = flat.astype(np.int64) + 1  # 0: unknown
        last = np.repeat(starts[1:], np.diff(starts))  # where the text of each word ends
        by_length = []
        codes, usable = words.copy(), words > 0
        position = np.arange(len(flat))
        for length in range(1, self.n + 1):
            if length > 1:
                shifted = np.concatenate([words[length - 1 :], np.zeros(length - 1, np.int64)])[: len(words)]
                usable = usable & (shifted > 0) & (position + length <= last)
                codes = codes * self.base + shifted
            by_length.append((codes[usable], position[usable]))
        return by_length
