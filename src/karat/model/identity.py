"""What makes a record the one it is: two records with the same identity speak of the same thing."""

from __future__ import annotations

from collections.abc import Callable
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
