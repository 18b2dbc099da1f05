"""What the nugs of a query ask for: their terms, and how much each of them weighs.

A term is a stemmed content word of a description. A row is a description (a nug may have several), a column a term.
The weights of terms are those of `lexical_weighing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.judges.lexical.weighing import SPELLING, informativeness, ones, rarity, shares
from karat.text.ngrams import NgramSpace
from karat.text.vocabulary import Vocabulary
from karat.text.words import has_digit, is_negated, spelt_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

GRAM = 4


@dataclass(frozen=True)
class KeyTerms:
    """The descriptions of a query's nugs as rows of weights."""

    starts: NDArray[np.int64]
    """Where the descriptions of each nug begin, and the end."""
    vocabulary: Vocabulary
    bigrams: NgramSpace | None
    """Adjacent terms; None where no description has two."""
    grams: Mapping[str, int]
    """The columns of `by_gram`: character 4-grams of the terms."""
    weights: Mapping[str, csr_array]
    """Descriptions x terms: `each` (1), and shares of `inf`, `mixed`, `new` (mixed, of the terms that the question
    lacks), `top` (the heaviest), `number` and `name`; `asked` is the part of `mixed` that the question has."""
    by_gram: csr_array
    by_bigram: csr_array
    negated: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        return int(self.starts[-1])


def key_terms(task: Task) -> KeyTerms:
    """The terms of a task's nugs; a nug without a description has an empty one."""
    from scipy.sparse import diags_array

    own = [nug.descriptions or ("",) for nug in task.nugs]
    texts = [text for descriptions in own for text in descriptions]
    starts = np.cumsum([0, *map(len, own)])
    vocabulary = Vocabulary(texts, SPELLING)
    terms = [sorted({one for one in vocabulary.ids(text) if one >= 0}) for text in texts]
    each = ones(terms, len(vocabulary))
    inf = informativeness(each, starts)
    mixed = shares(each @ diags_array(np.sqrt(rarity(vocabulary, task) * inf)))
    asked = {vocabulary.id_of.get(form) for form in SPELLING.forms(task.question)}
    new = [[one for one in row if one not in asked] or row for row in terms]
    old = [[one for one in row if one in asked] for row in terms]
    digits = {at for at, form in enumerate(vocabulary.forms) if has_digit(form)}
    heaviest = [
        [int(mixed.indices[begin + np.argmax(mixed.data[begin:end])])] if end > begin else []
        for begin, end in pairwise(mixed.indptr)
    ]
    weights = {
        "each": each,
        "inf": shares(each @ diags_array(inf)),
        "mixed": mixed,
        "new": shares(mixed.multiply(ones(new, len(vocabulary)))),
        "asked": mixed.multiply(ones(old, len(vocabulary))).tocsr(),
        "top": ones(heaviest, len(vocabulary)),
        "number": shares(ones([[one for one in row if one in digits] for row in terms], len(vocabulary))),
        "name": shares(ones([sorted(names(text, vocabulary)) for text in texts], len(vocabulary))),
    }
    space = NgramSpace(vocabulary, texts, n=2) if len(vocabulary) else None
    if space is not None and not _are_bigrams(space).any():
        space = None
    return KeyTerms(
        starts=starts,
        vocabulary=vocabulary,
        bigrams=space,
        grams=(columns := _gram_columns(vocabulary)),
        weights=weights,
        by_gram=mixed @ _terms_by_gram(vocabulary, columns),
        by_bigram=_by_bigram(space, texts, starts),
        negated=np.array([is_negated(text) for text in texts], bool),
    )


def names(text: str, vocabulary: Vocabulary) -> set[int]:
    """The terms with a capital letter; of the first word the capital must not be due to its place.

    >>> text = "Voyager left Earth for NASA"
    >>> words = Vocabulary([text], SPELLING)
    >>> sorted(words.forms[one] for one in names(text, words))
    ['earth', 'nasa']
    """
    found: set[int] = set()
    for at, token in enumerate(spelt_words(text)):
        if token[0].isupper() and (at > 0 or not token[1:].islower()):
            found.update(one for one in vocabulary.ids(token) if one >= 0)
    return found


def grams_of(form: str, size: int = GRAM) -> set[str]:
    """The character n-grams of a form, with its beginning and end marked.

    >>> sorted(grams_of("bees"))
    ['<bee', 'bees', 'ees>']
    """
    marked = f"<{form}>"
    return {marked[at : at + size] for at in range(max(1, len(marked) - size + 1))}


def _gram_columns(vocabulary: Vocabulary) -> dict[str, int]:
    found = dict.fromkeys(gram for form in vocabulary.forms for gram in sorted(grams_of(form)))
    return {gram: at for at, gram in enumerate(found)}


def _terms_by_gram(vocabulary: Vocabulary, columns: Mapping[str, int]) -> csr_array:
    """A term's weight is spread evenly over its 4-grams."""
    return shares(ones([sorted(columns[one] for one in grams_of(form)) for form in vocabulary.forms], len(columns)))


def _by_bigram(space: NgramSpace | None, texts: Sequence[str], starts: NDArray[np.int64]) -> csr_array:
    """Descriptions x bigrams, weighted ln((K + 1) / nugs with it)."""
    from scipy.sparse import diags_array

    if space is None:
        return ones([[] for _ in texts], 0)
    rows = space.rows(texts)
    return shares(rows @ diags_array(informativeness(rows, starts) * _are_bigrams(space)))


def _are_bigrams(space: NgramSpace) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = space.codes >= space.base
    return found
