"""Words as numbers: each word of a vocabulary has an id, all other words are UNKNOWN."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.text.stems import StemmerName, stemmer
from karat.text.words import STOP_WORDS, find_words, words

UNKNOWN = -1
_DROPPED = -2
MOST_REMEMBERED = 1_000_000
"""How many words a vocabulary remembers: rare words never end, so memory needs a limit."""
Ids = NDArray[np.int32]


class Spelling(msgspec.Struct, frozen=True):
    """Which words count as the same word."""

    stem: StemmerName = "english"
    stop_words: bool = True
    """Whether stop words count."""

    def settings(self) -> dict[str, str]:
        return {"stem": self.stem, "stop": "keep" if self.stop_words else "drop"}

    def form(self, word: str) -> str | None:
        """The form (stem) of a word in lower case; None for a stop word that does not count."""
        if not self.stop_words and word in STOP_WORDS:
            return None
        return stemmer(self.stem)(word)

    def forms(self, text: str) -> list[str]:
        """The forms of the words of a text, in order.

        >>> Spelling(stop_words=False).forms("The bees were dancing in the hive")
        ['bee', 'danc', 'hive']
        """
        return [form for word in words(text) if (form := self.form(word)) is not None]


class Vocabulary:
    """The word forms of some texts (a key, for example), numbered; other texts become lists of these numbers."""

    def __init__(self, texts: Iterable[str], spelling: Spelling | None = None) -> None:
        self.spelling = spelling or Spelling()
        self.id_of: dict[str, int] = {}
        for text in texts:
            for form in self.spelling.forms(text):
                self.id_of.setdefault(form, len(self.id_of))
        self.forms = list(self.id_of)
        """The form of each id."""
        self._of_word = _Numbers(self._number)

    def __len__(self) -> int:
        return len(self.id_of)

    def ids(self, text: str) -> list[int]:
        """The ids of the words of a text; UNKNOWN for other words. Stop words that do not count are left out."""
        return list(self._numbers(text))

    def sequence(self, texts: Sequence[str]) -> tuple[Ids, NDArray[np.int64]]:
        """All texts as one array of ids, and where each text begins (with the end of the last as one more entry)."""
        flat: list[int] = []
        starts = [0]
        for text in texts:
            flat.extend(self._numbers(text))
            starts.append(len(flat))
        return np.array(flat, np.int32), np.array(starts, np.int64)

    def _numbers(self, text: str) -> Iterable[int]:
        if len(self._of_word) > MOST_REMEMBERED:
            self._of_word.clear()
        numbers = map(self._of_word.__getitem__, find_words(text))
        return numbers if self.spelling.stop_words else [number for number in numbers if number != _DROPPED]

    def _number(self, word: str) -> int:
        form = self.spelling.form(word)
        return _DROPPED if form is None else self.id_of.get(form, UNKNOWN)


class _Numbers(dict[str, int]):
    """The number of every word seen so far, so that each different word is looked up only once."""

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self.number = number

    def __missing__(self, word: str) -> int:
        number = self[word] = self.number(word)
        return number
