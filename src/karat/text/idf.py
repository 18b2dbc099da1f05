"""How rare words are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat.model import UsageError
from karat.text.vocabulary import Vocabulary


def pool_idf(vocabulary: Vocabulary, texts: Sequence[str]) -> NDArray[np.float64]:
    """idf(w) = log((N + 1) / (df(w) + 1/2)) of each word of the vocabulary over N texts; a text counts once.

    >>> pool_idf(Vocabulary(["red fox"]), ["a fox", "the fox", "red"]).round(2).tolist()
    [0.98, 0.47]
    """
    distinct = list(dict.fromkeys(texts))
    counts = np.zeros(len(vocabulary), np.int64)
    for text in distinct:
        present = {one for one in vocabulary.ids(text) if one >= 0}
        counts[list(present)] += 1
    found: NDArray[np.float64] = np.log((len(distinct) + 1) / (counts + 0.5))
    return found


def idf_from_table(vocabulary: Vocabulary, table: Mapping[str, float]) -> NDArray[np.float64]:
    """The idf of each word of the vocabulary from a table of words; a word that is not there is as rare as the rarest.

    Words of the table that fall together in one form have the idf of the commonest of them.
    """
    by_form: dict[str, float] = {}
    for word, value in table.items():
        form = vocabulary.spelling.form(word.lower())
        if form is not None:
            by_form[form] = min(value, by_form.get(form, value))
    rarest = max(by_form.values(), default=1.0)
    return np.array([by_form.get(form, rarest) for form in vocabulary.forms])


def load_idf(path: str | Path) -> dict[str, float]:
    """A file of `word<TAB>idf`, one a line; blanks will do for the tab."""
    table: dict[str, float] = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            cells = line.split()
            if not cells:
                continue
            try:
                word, value = cells[0], float(cells[1])
            except (IndexError, ValueError):
                raise UsageError(f"{path}:{number}: is not `word idf`") from None
            table[word] = value
    if not table:
        raise UsageError(f"{path}: no words in it")
    return table
