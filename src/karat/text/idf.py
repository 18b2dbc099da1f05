"""How rare words are: inverse document frequency (idf)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from karat.text.vocabulary import Spelling, Vocabulary


class TextPool:
    """Texts from which the rarity of words is computed; each text is read only once per spelling."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.texts = list(dict.fromkeys(texts))
        self._counts: dict[Spelling, Counter[str]] = {}

    def idf(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """idf(w) = log((N + 1) / (df(w) + 1/2)) of each word of the vocabulary over the N texts.

        >>> TextPool(["a fox", "the fox", "red"]).idf(Vocabulary(["red fox"])).round(2).tolist()
        [0.98, 0.47]
        """
        spelling = vocabulary.spelling
        if spelling not in self._counts:
            counts: Counter[str] = Counter()
            for text in self.texts:
                counts.update(set(spelling.forms(text)))
            self._counts[spelling] = counts
        known = self._counts[spelling]
        df = np.array([known[form] for form in vocabulary.forms])
        idf: NDArray[np.float64] = np.log((len(self.texts) + 1) / (df + 0.5))
        return idf


class IdfTable:
    """A table of words and their idf; each spelling of the words is made only once."""

    def __init__(self, values: Mapping[str, float], *, name: str = "table") -> None:
        self.values = dict(values)
        self.name = name
        """What the signature says about it."""
        self._forms: dict[Spelling, dict[str, float]] = {}

    def idf(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """The idf of each word of the vocabulary; a word that is not in the table counts as the rarest.

        Where several words of the table have the same form (stem), the lowest of their values counts.

        >>> IdfTable({"fox": 3.0, "foxes": 2.0, "zebra": 9.0}).idf(Vocabulary(["foxes", "gnu"])).tolist()
        [2.0, 9.0]
        """
        by_form = self._of_forms(vocabulary.spelling)
        rarest = max(by_form.values(), default=1.0)
        return np.array([by_form.get(form, rarest) for form in vocabulary.forms])

    def _of_forms(self, spelling: Spelling) -> dict[str, float]:
        if spelling not in self._forms:
            by_form: dict[str, float] = {}
            for word, value in self.values.items():
                form = spelling.form(word.lower())
                if form is not None:
                    by_form[form] = min(value, by_form.get(form, value))
            self._forms[spelling] = by_form
        return self._forms[spelling]


def idf_from_table(vocabulary: Vocabulary, table: Mapping[str, float] | IdfTable) -> NDArray[np.float64]:
    """The idf of each word of the vocabulary from a table of words: see `IdfTable.idf`."""
    return (table if isinstance(table, IdfTable) else IdfTable(table)).idf(vocabulary)
