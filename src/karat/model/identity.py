"""What makes a record the one it is: two records with the same identity speak of the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from operator import attrgetter

from karat.model.records import (
    CitationJudgement,
    Judgement,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    Vote,
)


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


IDENTITY_FIELDS: dict[type[Record], tuple[str, ...]] = {
    Query: ("query_id",),
    Run: ("run_id",),
    Response: ("query_id", "run_id"),
    Relevance: ("query_id", "run_id", "snippet_id", "assessor"),
    Nugget: ("query_id", "nugget_id"),
    Nug: ("query_id", "nug_id"),
    Vote: ("query_id", "nug_id", "assessor", "occasion"),
    Judgement: ("query_id", "run_id", "snippet_id", "nug_id", "judge", "assessor"),
    CitationJudgement: ("query_id", "run_id", "snippet_id", "nugget_id", "doc_id", "assessor"),
    Score: ("run_id", "query_id", "measure", "signature"),
}
# Without a second field attrgetter gives no tuple; the version of the record is the same for all.
_IDENTITIES: dict[type[Record], Callable[[Record], tuple[str | None, ...]]] = {
    kind: attrgetter(*(fields if len(fields) > 1 else (*fields, "v"))) for kind, fields in IDENTITY_FIELDS.items()
}
DEFINITIONS: frozenset[type[Record]] = frozenset({Query, Run, Response, Nugget, Nug})
"""The records that others refer to."""


def identity(record: Record) -> tuple[str | None, ...]:
    """The values that no two records of a kind may share."""
    return _IDENTITIES[type(record)](record)


def identity_text(record: Record) -> str:
    """The identity in words, for a message: `query_id 'q1', nug_id 'n2'`."""
    named = ((field, getattr(record, field)) for field in IDENTITY_FIELDS[type(record)])
    return ", ".join(f"{field} {value!r}" for field, value in named if value is not None)
