"""Which words of a text match which term: the same word, or one with a similar spelling.

    s(word, term) = 1 for the same stem, else the greater of
        Dice's coefficient of their character trigrams
        (letters of their common beginning) / (letters of the longer one), where these are at least 4

used where s >= 0.5 and at least the first 3 letters are the same; never for numbers, where every digit matters. Related
words (`related_words`) are linked as well, for the features that ask for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.lexical.key_terms import KeyTerms, grams_of
from karat.judges.lexical.related_words import load_related_words
from karat.text.words import has_digit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_BEGINNING = 3
_LEAST = 0.5
Link = tuple[int, float]


class Links:
    """From the forms of texts to the terms of a key; the links of a form are computed once."""

    def __init__(self, key: KeyTerms) -> None:
        self.key = key
        self._terms: dict[str, list[tuple[int, str]]] = {}
        for at, term in enumerate(key.vocabulary.forms):
            if not has_digit(term):
                self._terms.setdefault(term[:_BEGINNING], []).append((at, term))
        self._soft: dict[str, list[Link]] = {}

    def soft(self, form: str) -> list[Link]:
        """The terms that a form matches, and how similar they are."""
        links = self._soft.get(form)
        if links is None:
            links = self._soft[form] = self._similar(form)
        return links

    def _similar(self, form: str) -> list[Link]:
        same = self.key.vocabulary.id_of.get(form)
        links = [] if same is None else [(same, 1.0)]
        if len(form) > _BEGINNING and not has_digit(form):
            for at, term in self._terms.get(form[:_BEGINNING], ()):
                if at != same and (value := similarity(form, term)) >= _LEAST:
                    links.append((at, value))
        return links

    def soft_matrix(self, forms: Sequence[str]) -> csr_array:
        """Forms x terms."""
        return _matrix([self.soft(form) for form in forms], len(self.key.vocabulary))

    def related_matrix(self, forms: Sequence[str]) -> csr_array:
        """Forms x terms: the greater of the soft link and the relation of the words."""
        number = load_related_words().number
        at = np.array([number.get(form, -1) for form in forms], np.int64)
        known = np.flatnonzero(at >= 0)
        ones = np.ones(len(known), np.float32)
        related = _sparse(ones, (known, at[known]), (len(forms), len(number))) @ self._related
        return self.soft_matrix(forms).maximum(related)

    @cached_property
    def _related(self) -> csr_array:
        """All stems of the table x terms."""
        words, terms = load_related_words(), self.key.vocabulary.forms
        known = [at for at, term in enumerate(terms) if term in words.number]
        rows = [words.number[terms[at]] for at in known]
        return words.table @ _sparse(np.ones(len(known), np.float32), (rows, known), (len(words.number), len(terms)))

    def exact_matrix(self, forms: Sequence[str]) -> csr_array:
        """Forms x terms: 1 where they are the same."""
        ids = self.key.vocabulary.id_of
        return _matrix([[(ids[form], 1.0)] if form in ids else [] for form in forms], len(ids))

    def gram_matrix(self, forms: Sequence[str]) -> csr_array:
        """Forms x character 4-grams of the terms."""
        columns = self.key.grams
        rows = [[(columns[gram], 1.0) for gram in sorted(grams_of(form)) if gram in columns] for form in forms]
        return _matrix(rows, len(columns))

    @staticmethod
    def number_matrix(forms: Sequence[str]) -> csr_array:
        """Forms x the numbers among them."""
        numbers = [form for form in forms if has_digit(form)]
        column = {form: at for at, form in enumerate(numbers)}
        return _matrix([[(column[form], 1.0)] if form in column else [] for form in forms], len(numbers))


def similarity(form: str, term: str) -> float:
    """How similar two different forms with the same beginning are.

    >>> similarity("evacu", "evacue"), similarity("cat", "catalog")
    (0.8333333333333334, 0.4)
    """
    first, second = grams_of(form, 3), grams_of(term, 3)
    shorter = min(len(form), len(term))
    dice = 2 * len(first & second) / (len(first) + len(second))
    beginning = next((at for at, (left, right) in enumerate(zip(form, term, strict=False)) if left != right), shorter)
    return max(dice, beginning / max(len(form), len(term)) if beginning > _BEGINNING else 0.0)


def _sparse(values: NDArray[np.float32], places: tuple[object, object], shape: tuple[int, int]) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((values, places), shape=shape)


def _matrix(rows: Sequence[Sequence[Link]], columns: int) -> csr_array:
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    count = int(ends[-1])
    flat = np.fromiter((column for row in rows for column, _ in row), np.int64, count=count)
    values = np.fromiter((value for row in rows for _, value in row), np.float32, count=count)
    return csr_array((values, flat, ends), shape=(len(rows), columns))
