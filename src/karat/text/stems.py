"""Stems of words: the same word in its other forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

StemmerName = Literal["none", "porter", "english"]
Stem = Callable[[str], str]


@lru_cache
def stemmer(name: StemmerName) -> Stem:
    """`english` is Porter's second stemmer (Snowball), `porter` his first, `none` leaves words alone.

    >>> stemmer("english")("studies"), stemmer("none")("studies")
    ('studi', 'studies')
    """
    if name == "none":
        return _same
    import Stemmer

    stem = Stemmer.Stemmer(name).stemWord
    # A text repeats its words: each is stemmed once.
    return lru_cache(maxsize=1 << 18)(stem)


def _same(word: str) -> str:
    return word
