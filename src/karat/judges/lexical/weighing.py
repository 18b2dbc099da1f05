"""How much a term weighs.

With N texts in the pool, df(t) of them with the term, and K nugs, k(t) of them with the term:

    idf(t) = max(0.1, ln((N + 1) / (df(t) + 1/2)))      inf(t) = max(0.1, ln((K + 1) / k(t)))
    mixed(t) = sqrt(idf(t) inf(t))

The weights of a description's terms are divided by their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.judges.base import Task
from karat.text.idf import idf_from_table
from karat.text.vocabulary import Spelling, Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
SPELLING = Spelling("english", stop_words=False)
LEAST = 0.1
"""No term weighs nothing: a word that all have still has to be said."""


def informativeness(rows: csr_array, starts: NDArray[np.int64]) -> Floats:
    """max(0.1, ln((K + 1) / nugs with it)) of each column, of K nugs whose rows begin at `starts`."""
    from scipy.sparse import csr_array

    count = len(starts) - 1
    owner = np.repeat(np.arange(count), np.diff(starts))
    by_nug = csr_array((np.ones(rows.shape[0]), (owner, np.arange(rows.shape[0]))), shape=(count, rows.shape[0])) @ rows
    having = np.bincount(by_nug.indices, minlength=rows.shape[1])
    found: Floats = np.maximum(LEAST, np.log((count + 1) / np.maximum(1, having)))
    return found


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
    """A matrix of as many columns with 1 in the columns that each row names."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((one for row in rows for one in row), np.int64, count=int(ends[-1]))
    return csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows), columns))
