"""Stems of words, so that different forms of one word count as the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

StemmerName = Literal["none", "porter", "english"]
Stem = Callable[[str], str]


@lru_cache
def stemmer(name: StemmerName) -> Stem:
    """`english` is Porter's second stemmer (Snowball), `porter` his first, `none` does not change words.

    >>> stemmer("english")("studies"), stemmer("none")("studies")
    ('studi', 'studies')
    """
    if name == "none":
        return _same
    import Stemmer

    stem = Stemmer.Stemmer(name).stemWord
    # Texts repeat words, so stems are remembered.
    return lru_cache(maxsize=1 << 18)(stem)


def _same(word: str) -> str:
    return word
