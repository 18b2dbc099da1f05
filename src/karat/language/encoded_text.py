"""A text as vectors of its content words, and how such vectors are kept in the cache.

Only numbers are kept: the words are read from the text again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.engines.cache import current_cache, name_of
from karat.text.words import STOP_WORDS, word_spans

Vectors = NDArray[np.float16]
SIZE = 384
KIND = "vectors"
"""Their kind in the cache."""
TOGETHER = 256
"""How many texts are encoded before their vectors are kept."""


@dataclass(frozen=True)
class EncodedText:
    """The content words of a text (stop words are left out), each with its vector of length 1."""

    words: tuple[str, ...]
    """In lower case, in the order of the text; numbers without separators."""
    vectors: Vectors
    """Words x 384."""
    whole: Vectors
    """The mean of all pieces, normalised: for how near two texts are as a whole."""

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return int(self.vectors.nbytes + self.whole.nbytes) + 80 * len(self.words) + 500


def content_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text are that are no stop words."""
    spans = word_spans(text)
    return [(start, end) for start, end in spans if text[start:end].lower().replace("’", "'") not in STOP_WORDS]


def plain_word(word: str) -> str:
    lower = word.lower().replace("’", "'")
    return "".join(filter(str.isalnum, lower)) if lower[0].isdigit() and not lower.isalnum() else lower


def kept_or_made(
    texts: Sequence[str], make: Callable[[Sequence[str]], Sequence[EncodedText]], maker: Callable[[], bytes]
) -> dict[str, EncodedText]:
    """Different texts with their vectors: from the cache where they are kept, else made and kept.

    maker: the name of everything that the vectors depend on besides the text.
    """
    cache = current_cache()
    if cache is None or not texts:
        return dict(zip(texts, make(texts), strict=True))
    by = maker()
    names = {text: name_of(by, text) for text in texts}
    kept = cache.get(KIND, list(names.values()))
    found = {text: _unpacked(text, kept[name]) for text, name in names.items() if name in kept}
    encoded = {text: each for text, each in found.items() if each is not None}
    missing = [text for text in texts if text not in encoded]
    # A part at a time: what was made is kept when the work is stopped.
    for start in range(0, len(missing), TOGETHER):
        part = missing[start : start + TOGETHER]
        made = dict(zip(part, make(part), strict=True))
        encoded |= made
        cache.put(KIND, {names[text]: _packed(each) for text, each in made.items() if each.words == _words(text)})
    return {text: encoded[text] for text in texts}


def _words(text: str) -> tuple[str, ...]:
    return tuple(plain_word(text[start:end]) for start, end in content_spans(text))


def _packed(encoded: EncodedText) -> bytes:
    return np.concatenate([encoded.whole, encoded.vectors.ravel()]).astype("<f2").tobytes()


def _unpacked(text: str, kept: bytes) -> EncodedText | None:
    """None where it cannot be the vectors of this text."""
    words = _words(text)
    if len(kept) != 2 * SIZE * (len(words) + 1):
        return None
    numbers: Vectors = np.frombuffer(kept, "<f2").astype(np.float16)
    return EncodedText(words, numbers[SIZE:].reshape(-1, SIZE), numbers[:SIZE])
