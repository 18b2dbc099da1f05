"""The vocabulary of the role model: numbers for words, tags, relations, predicates and paths through the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

LEMMA_BUCKETS, AFFIX_BUCKETS, SHAPES = 8192, 2048, 8
FARTHEST = 12
"""A path that was not seen in training is represented by its length, up to this number."""
WORD_FIELDS = ("lemma", "suffix", "prefix", "tag", "dep", "ent", "shape")


class Lexicon(msgspec.Struct, frozen=True, dict=True):
    """Names and their numbers; 0 means unknown. `steps`: (path, relation and direction) -> the longer path."""

    words: Mapping[str, int]
    tags: Mapping[str, int]
    deps: Mapping[str, int]
    ents: Mapping[str, int]
    predicates: Mapping[str, int]
    steps: Mapping[tuple[int, int], int]
    labels: tuple[str, ...]

    def word(self, text: str) -> int:
        """The row of a word's vector: of the word as written, otherwise of the word in small letters."""
        row = self.words.get(text)
        return self.words.get(text.lower(), 0) if row is None else row

    def path_ids(self, predicate: int, heads: Sequence[int], deps: Sequence[int], order: Sequence[int]) -> list[int]:
        """The number of the path from a predicate to every token: up to the common head, then down.

        A known path has a number above FARTHEST; the number of an unknown path is its length.
        """
        steps = self.steps
        paths, lengths = [-1] * len(heads), [0] * len(heads)
        known = [False] * len(heads)
        paths[predicate], known[predicate] = 0, True
        here = predicate
        while heads[here] != here:
            above = heads[here]
            paths[above] = steps.get((paths[here], 2 * deps[here] + 1), -1)
            lengths[above], known[above] = lengths[here] + 1, True
            here = above
        for token in order:
            if not known[token]:
                above = heads[token]
                paths[token] = steps.get((paths[above], 2 * deps[token]), -1)
                lengths[token] = lengths[above] + 1
        return [
            path + FARTHEST + 1 if path >= 0 else min(length, FARTHEST)
            for path, length in zip(paths, lengths, strict=True)
        ]


@lru_cache(maxsize=100_000)
def bucket(text: str, buckets: int) -> int:
    """A hash of a text, below `buckets` and the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass")) % buckets


@lru_cache(maxsize=100_000)
def spelling(text: str) -> tuple[int, int, int]:
    """The hashes of the last and of the first three letters, and the shape: first capital, all capitals, digits."""
    low = text.lower()
    shape = text[:1].isupper() + 2 * (text.isupper() and len(text) > 1) + 4 * any(map(str.isdigit, text))
    return bucket(low[-3:] + "$", AFFIX_BUCKETS), bucket("^" + low[:3], AFFIX_BUCKETS), shape


def pack(lexicon: Lexicon) -> dict[str, NDArray[Any]]:
    """The lexicon as arrays; names are stored as lines of UTF-8."""
    known = {name: list(getattr(lexicon, name)) for name in ("tags", "deps", "ents", "predicates")}
    rows = {word: row for word, row in lexicon.words.items() if "\n" not in word}
    arrays = {f"names.{name}": _lines(names) for name, names in known.items()}
    arrays["names.labels"] = _lines(lexicon.labels)
    arrays["names.words"] = _lines(list(rows))
    arrays["word_rows"] = np.array(list(rows.values()), dtype=np.int32)
    arrays["steps"] = np.array([(*key, path) for key, path in lexicon.steps.items()], dtype=np.int32)
    return arrays


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Lexicon:
    """The lexicon from the arrays of `pack`."""
    names = {
        name: bytes(arrays[f"names.{name}"]).decode("utf-8", "surrogatepass").split("\n")
        for name in ("tags", "deps", "ents", "predicates", "labels", "words")
    }
    return Lexicon(
        words=dict(zip(names["words"], arrays["word_rows"].tolist(), strict=True)),
        tags=_numbered(names["tags"]),
        deps=_numbered(names["deps"]),
        ents=_numbered(names["ents"]),
        predicates=_numbered(names["predicates"]),
        steps={(path, step): following for path, step, following in arrays["steps"].tolist()},
        labels=tuple(names["labels"]),
    )


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, 1)}


def _lines(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode("utf-8", "surrogatepass"), dtype=np.uint8)
