"""How rare words are: inverse document frequency (idf)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from karat.text.vocabulary import Spelling, Vocabulary


class TextPool:
    """Texts from which the rarity of words is computed; each text is read only once per spelling."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.texts = list(dict.fromkeys(texts))
        self.total = len(self.texts)
        self._counts: dict[Spelling, Counter[str]] = {}

    @property
    def name(self) -> str:
        """What the signature says about it: another set of texts has another name, another order has not."""
        return f"responses@{texts_hash(self.texts)}"

    def content(self) -> list[str]:
        """Everything that its idf depends on."""
        return ["texts", *sorted(self.texts)]

    def idf(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """idf(w) = log((N + 1) / (df(w) + 1/2)) of each word of the vocabulary over the N texts.

        >>> TextPool(["a fox", "the fox", "red"]).idf(Vocabulary(["red fox"])).round(2).tolist()
        [0.98, 0.47]
        """
        spelling = vocabulary.spelling
        if spelling not in self._counts:
            self._counts[spelling] = text_counts(self.texts, spelling)
        known = self._counts[spelling]
        df = np.array([known[form] for form in vocabulary.forms])
        idf: NDArray[np.float64] = np.log((self.total + 1) / (df + 0.5))
        return idf


def text_counts(texts: Iterable[str], spelling: Spelling) -> Counter[str]:
    """How many of the texts have each form."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(spelling.forms(text)))
    return counts


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

    def content(self) -> list[str]:
        """Everything that its idf depends on."""
        return ["table", *(f"{word}\t{value!r}" for word, value in sorted(self.values.items()))]

    def _of_forms(self, spelling: Spelling) -> dict[str, float]:
        if spelling not in self._forms:
            by_form: dict[str, float] = {}
            for word, value in self.values.items():
                form = spelling.form(word.lower())
                if form is not None:
                    by_form[form] = min(value, by_form.get(form, value))
            self._forms[spelling] = by_form
        return self._forms[spelling]


class IdfOfTexts(IdfTable):
    """The idf of the words of fixed texts, such as those of a key, by the formula of `TextPool`."""

    def __init__(self, texts: Sequence[str], *, name: str) -> None:
        super().__init__({}, name=f"{name}@{texts_hash(texts)}")
        self._pool = TextPool(texts)

    def idf(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """The idf of each word of the vocabulary among the texts; a word that is in none of them is the rarest."""
        return self._pool.idf(vocabulary)

    def content(self) -> list[str]:
        return self._pool.content()


class CountedTexts(TextPool):
    """A pool of which only the counts are held: how many texts have each form, per spelling.

    It says the same as a pool of the texts, and is small enough for any number of them.
    """

    def __init__(self, total: int, counts: Mapping[Spelling, Counter[str]], digest: int) -> None:
        super().__init__()
        self.total, self._digest = total, digest
        self._counts = dict(counts)

    def __bool__(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"responses@{digits(self._digest)}"

    def content(self) -> list[str]:
        return ["counted", str(self.total), f"{self._digest:x}"]


def text_digest(text: str) -> int:
    """A text as a number of 256 bits. The sum over texts is the same in any order."""
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest(), "big")


def digits(digest: int) -> str:
    """Eight hexadecimal digits of a sum of digests."""
    return f"{digest % (1 << 256):064x}"[:8]


def texts_hash(texts: Iterable[str]) -> str:
    """Eight hexadecimal digits of what the texts say, in whatever order and however often each."""
    return digits(sum(map(text_digest, set(texts))))


def idf_from_table(vocabulary: Vocabulary, table: Mapping[str, float] | IdfTable) -> NDArray[np.float64]:
    """The idf of each word of the vocabulary from a table of words: see `IdfTable.idf`."""
    return (table if isinstance(table, IdfTable) else IdfTable(table)).idf(vocabulary)
