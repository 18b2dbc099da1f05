"""What makes a record the one it is: two records with the same identity speak of the same thing."""

from __future__ import annotations

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
DEFINITIONS: frozenset[type[Record]] = frozenset({Query, Run, Response, Nugget, Nug})
"""The records that others refer to."""


def identity(record: Record) -> tuple[str | None, ...]:
    """The values that no two records of a kind may share."""
    return tuple(getattr(record, field) for field in IDENTITY_FIELDS[type(record)])


def identity_text(record: Record) -> str:
    """The identity in words, for a message: `query_id 'q1', nug_id 'n2'`."""
    named = ((field, getattr(record, field)) for field in IDENTITY_FIELDS[type(record)])
    return ", ".join(f"{field} {value!r}" for field, value in named if value is not None)
