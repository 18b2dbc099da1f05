"""Ids for things that a file leaves unnamed: from their content, so that every reader gives the same."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b


def content_id(*parts: str) -> str:
    """Sixteen hex digits of the content: the same text has the same id in every file and on every machine.

    >>> content_id("born in Brooklyn")
    'd27c861053a67bdd'
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


class ContentIds:
    """Gives out content ids within one query; a repeated text gets an ordinal, never the same id twice."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def next(self, *parts: str) -> str:
        """The id of the next thing with this content: `id`, then `id-2`, `id-3`, ..."""
        first = content_id(*parts)
        self._seen[first] += 1
        times = self._seen[first]
        return first if times == 1 else f"{first}-{times}"
