"""Which sentences contradict each other, by the typed checks: another number, date or name, a denial, an opposite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karat.judges.semantic.checks import find_conflicts, read_text
from karat.judges.semantic.checks.reading import LEAST_SHARED
from karat.text.words import content_words, has_digit

Flags = NDArray[np.bool_]
SAME_BUT_DENIED = 0.75
"""The share of common words from which on a denial alone is a contradiction."""


def contradict(first: str, second: str) -> bool:
    """Whether the checks find a conflict, whichever of two sentences is read as the nug.

    >>> contradict("The storm killed 40 people.", "The storm killed 4 people.")
    True
    """
    one, other = read_text(first), read_text(second)
    kinds = {conflict.kind for conflict in (*find_conflicts(one, other), *find_conflicts(other, one))}
    if kinds != {"negation"}:
        return bool(kinds)
    # A sentence may deny something ("is not a planet") that the other says in other words ("lost its place").
    left, right = one.words.content, other.words.content
    return len(set(left) & set(right)) >= SAME_BUT_DENIED * max(len(left), len(right))


def contradictions(sentences: Sequence[str]) -> Flags:
    """Row i, column j: whether sentences i and j contradict each other."""
    from scipy.sparse import csr_array

    found = np.zeros((len(sentences), len(sentences)), np.bool_)
    contents = [sorted(read_text(sentence).words.content) for sentence in sentences]
    column = {word: at for at, word in enumerate(sorted({word for words in contents for word in words}))}
    if not column:
        return found
    rows = np.repeat(np.arange(len(contents)), [len(words) for words in contents])
    columns = np.array([column[word] for words in contents for word in words], np.int64)
    has = csr_array((np.ones(len(rows), np.int32), (rows, columns)), shape=(len(contents), len(column)))
    shared = (has @ has.T).tocoo()
    # The checks find nothing in pairs with fewer words in common; most pairs are such.
    for one, other, count in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        enough = count >= LEAST_SHARED * min(len(contents[one]), len(contents[other]))
        if one < other and enough and contradict(sentences[one], sentences[other]):
            found[one, other] = found[other, one] = True
    return found


def other_numbers(sentences: Sequence[str]) -> Flags:
    """Row i, column j: whether each of two sentences has a number in digits that the other does not have.

    They may be two ways to say the same (metres and feet), so that they contradict nothing, but not one nug.
    """
    numbers = [frozenset(word for word in content_words(sentence) if has_digit(word)) for sentence in sentences]
    found = np.zeros((len(sentences), len(sentences)), np.bool_)
    having = [at for at, some in enumerate(numbers) if some]
    for one in having:
        for other in having:
            found[one, other] = bool(numbers[one] - numbers[other] and numbers[other] - numbers[one])
    return found
