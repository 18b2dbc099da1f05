"""Words as numbers: each word of interest has an id, all others are UNKNOWN."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.text.stems import StemmerName, stemmer
from karat.text.words import STOP_WORDS, words

UNKNOWN = -1
Ids = NDArray[np.int32]
_TOKEN = re.compile(r"\w+(?:['’]\w+)*")
_DIGIT_GROUP = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}\b)")


class Spelling(msgspec.Struct, frozen=True):
    """What counts as the same word."""

    stem: StemmerName = "english"
    stop_words: bool = True
    """Whether stop words count."""

    def settings(self) -> dict[str, str]:
        return {"stem": self.stem, "stop": "keep" if self.stop_words else "drop"}

    def form(self, word: str) -> str | None:
        """The form under which a word in lower case is known; None for a stop word that does not count."""
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
    """The word forms of some texts (a key, say), numbered; other texts are read in terms of them."""

    def __init__(self, texts: Iterable[str], spelling: Spelling | None = None) -> None:
        self.spelling = spelling or Spelling()
        self.id_of: dict[str, int] = {}
        for text in texts:
            for form in self.spelling.forms(text):
                self.id_of.setdefault(form, len(self.id_of))
        # What a word is, whatever its form, is asked once a type and not once a token.
        self._of_word: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.id_of)

    @property
    def forms(self) -> list[str]:
        """The form of each id."""
        return list(self.id_of)

    def ids(self, text: str) -> list[int]:
        """The ids of the words of a text; UNKNOWN for words it does not have. Dropped stop words leave no gap."""
        known = self._of_word
        if "," in text or "\u00a0" in text or "\u202f" in text:
            text = _DIGIT_GROUP.sub("", text)
        tokens = _TOKEN.findall(text.lower().replace("’", "'"))
        try:
            found = [known[token] for token in tokens]
        except KeyError:
            found = [self._learn(token) for token in tokens]
        return found if self.spelling.stop_words else [one for one in found if one != _DROPPED]

    def _learn(self, token: str) -> int:
        found = self._of_word.get(token)
        if found is None:
            form = self.spelling.form(token)
            found = _DROPPED if form is None else self.id_of.get(form, UNKNOWN)
            self._of_word[token] = found
        return found

    def sequence(self, texts: Sequence[str]) -> tuple[Ids, NDArray[np.int64]]:
        """All texts as one array of ids, and where each begins (one more entry than texts: the end)."""
        lists = [self.ids(text) for text in texts]
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(one) for one in lists], out=starts[1:])
        flat = np.fromiter((one for ids in lists for one in ids), np.int32, count=int(starts[-1]))
        return flat, starts


_DROPPED = -2
