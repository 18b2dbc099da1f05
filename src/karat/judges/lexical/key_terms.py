"""What the nugs of a query ask for: their terms, and how much each term weighs.

A term is a stemmed content word of a description. A row is a description (a nug may have several), a column a term.
With N texts in the pool, df(t) of them with the term, and K nugs, k(t) of them with the term:

    idf(t) = max(0.1, ln((N + 1) / (df(t) + 1/2)))      inf(t) = max(0.1, ln((K + 1) / k(t)))
    mixed(t) = sqrt(idf(t) inf(t))

The weights of a description's terms are divided by their sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.text.idf import idf_from_table
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Spelling, Vocabulary
from karat.text.words import has_digit, is_negated, spelt_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
SPELLING = Spelling("english", stop_words=False)
GRAM = 4
LEAST = 0.1
"""The smallest weight of a term before weights are divided by their sum: even a word that is everywhere counts."""


@dataclass(frozen=True)
class KeyTerms:
    """The descriptions of a query's nugs as rows of weights.

    What only scores need (all but `mixed`) is made when it is first used: the words of the evidence need no more.
    """

    starts: NDArray[np.int64]
    """The first description of each nug, and the number of descriptions."""
    texts: Sequence[str]
    """The descriptions."""
    question: str
    vocabulary: Vocabulary
    terms: Sequence[Sequence[int]]
    """The terms of each description."""
    each: csr_array
    inf: Floats
    mixed: csr_array

    @property
    def rows(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def weights(self) -> Mapping[str, csr_array]:
        """Descriptions x terms: `each` (1), and shares of `inf`, `mixed`, `new` (mixed, for the terms that are not in
        the question), `top` (the heaviest), `number` and `name`; `asked` is the part of `mixed` whose terms are in it.
        """
        from scipy.sparse import diags_array

        vocabulary, mixed, count = self.vocabulary, self.mixed, len(self.vocabulary)
        asked = {vocabulary.id_of.get(form) for form in SPELLING.forms(self.question)}
        new = [[term for term in row if term not in asked] or row for row in self.terms]
        old = [[term for term in row if term in asked] for row in self.terms]
        digits = {at for at, form in enumerate(vocabulary.forms) if has_digit(form)}
        heaviest = [
            [int(mixed.indices[begin + np.argmax(mixed.data[begin:end])])] if end > begin else []
            for begin, end in pairwise(mixed.indptr)
        ]
        return {
            "each": self.each,
            "inf": shares(self.each @ diags_array(self.inf)),
            "mixed": mixed,
            "new": shares(mixed.multiply(ones(new, count))),
            "asked": mixed.multiply(ones(old, count)).tocsr(),
            "top": ones(heaviest, count),
            "number": shares(ones([[term for term in row if term in digits] for row in self.terms], count)),
            "name": shares(ones([sorted(names(text, vocabulary)) for text in self.texts], count)),
        }

    @cached_property
    def bigrams(self) -> NgramSpace | None:
        """Pairs of adjacent terms; None where no description has two terms."""
        space = NgramSpace(self.vocabulary, self.texts, n=2) if len(self.vocabulary) else None
        return None if space is None or not _are_bigrams(space).any() else space

    @cached_property
    def grams(self) -> Mapping[str, int]:
        """The columns of `by_gram`: character 4-grams of the terms."""
        return _gram_columns(self.vocabulary)

    @cached_property
    def by_gram(self) -> csr_array:
        return self.mixed @ _terms_by_gram(self.vocabulary, self.grams)

    @cached_property
    def by_bigram(self) -> csr_array:
        return _by_bigram(self.bigrams, self.texts, self.starts)

    @cached_property
    def negated(self) -> NDArray[np.bool_]:
        return np.array([is_negated(text) for text in self.texts], bool)

    def heaviest(self, nug: int) -> dict[int, float]:
        """The terms of a nug, each with the greatest weight (`mixed`) that it has in one of its descriptions."""
        begin, end = self.mixed.indptr[self.starts[nug]], self.mixed.indptr[self.starts[nug + 1]]
        found: dict[int, float] = {}
        for term, value in zip(
            self.mixed.indices[begin:end].tolist(), self.mixed.data[begin:end].tolist(), strict=True
        ):
            found[term] = max(value, found.get(term, 0.0))
        return found


def key_terms(task: Task) -> KeyTerms:
    """The terms of a task's nugs; a nug without a description has an empty one."""
    from scipy.sparse import diags_array

    by_nug = [nug.descriptions or ("",) for nug in task.nugs]
    texts = [text for descriptions in by_nug for text in descriptions]
    starts = np.cumsum([0, *map(len, by_nug)])
    vocabulary = Vocabulary(texts, SPELLING)
    terms = [sorted({term for term in vocabulary.ids(text) if term >= 0}) for text in texts]
    each = ones(terms, len(vocabulary))
    inf = informativeness(each, starts)
    mixed = shares(each @ diags_array(np.sqrt(rarity(vocabulary, task) * inf)))
    return KeyTerms(starts, texts, task.question, vocabulary, terms, each, inf, mixed)


def names(text: str, vocabulary: Vocabulary) -> set[int]:
    """The terms with a capital letter; the first word counts only if it has capitals after its first letter.

    >>> text = "Voyager left Earth for NASA"
    >>> words = Vocabulary([text], SPELLING)
    >>> sorted(words.forms[term] for term in names(text, words))
    ['earth', 'nasa']
    """
    terms: set[int] = set()
    for at, token in enumerate(spelt_words(text)):
        if token[0].isupper() and (at > 0 or not token[1:].islower()):
            terms.update(term for term in vocabulary.ids(token) if term >= 0)
    return terms


def grams_of(form: str, size: int = GRAM) -> set[str]:
    """The character n-grams of a form, with its beginning and end marked.

    >>> sorted(grams_of("bees"))
    ['<bee', 'bees', 'ees>']
    """
    marked = f"<{form}>"
    return {marked[at : at + size] for at in range(max(1, len(marked) - size + 1))}


def _gram_columns(vocabulary: Vocabulary) -> dict[str, int]:
    grams = dict.fromkeys(gram for form in vocabulary.forms for gram in sorted(grams_of(form)))
    return {gram: at for at, gram in enumerate(grams)}


def _terms_by_gram(vocabulary: Vocabulary, columns: Mapping[str, int]) -> csr_array:
    """A term's weight is spread evenly over its 4-grams."""
    return shares(ones([sorted(columns[gram] for gram in grams_of(form)) for form in vocabulary.forms], len(columns)))


def _by_bigram(space: NgramSpace | None, texts: Sequence[str], starts: NDArray[np.int64]) -> csr_array:
    """Descriptions x bigrams, weighted ln((K + 1) / nugs with it)."""
    from scipy.sparse import diags_array

    if space is None:
        return ones([[] for _ in texts], 0)
    rows = space.rows(texts)
    return shares(rows @ diags_array(informativeness(rows, starts) * _are_bigrams(space)))


def _are_bigrams(space: NgramSpace) -> NDArray[np.bool_]:
    is_bigram: NDArray[np.bool_] = space.codes >= space.base
    return is_bigram


def informativeness(rows: csr_array, starts: NDArray[np.int64]) -> Floats:
    """max(0.1, ln((K + 1) / nugs with it)) for each column; the rows of the K nugs begin at `starts`."""
    from scipy.sparse import csr_array

    count = len(starts) - 1
    owner = np.repeat(np.arange(count), np.diff(starts))
    by_nug = csr_array((np.ones(rows.shape[0]), (owner, np.arange(rows.shape[0]))), shape=(count, rows.shape[0])) @ rows
    having = np.bincount(by_nug.indices, minlength=rows.shape[1])
    weights: Floats = np.maximum(LEAST, np.log((count + 1) / np.maximum(1, having)))
    return weights


def rarity(vocabulary: Vocabulary, task: Task) -> Floats:
    """The idf of each term, from the pool or the table of the task."""
    idf = task.texts().idf(vocabulary) if task.idf is None else idf_from_table(vocabulary, task.idf)
    return np.maximum(LEAST, idf)


def shares(matrix: csr_array) -> csr_array:
    """Every row divided by its sum; empty rows stay empty."""
    from scipy.sparse import csr_array, diags_array

    total = np.asarray(matrix.sum(axis=1)).ravel()
    return csr_array((diags_array(1 / np.where(total > 0, total, 1)) @ matrix).astype(np.float32))


def ones(rows: Sequence[Sequence[int]], columns: int) -> csr_array:
    """A matrix with 1 in the columns that each row lists, and 0 elsewhere."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((column for row in rows for column in row), np.int64, count=int(ends[-1]))
    return csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows), columns))
