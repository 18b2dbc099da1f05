"""Queries by a field: the language, the medium, the template, ..."""

from __future__ import annotations

from karat.measures.cases.cases import ALL_QUERIES, Cases
from karat.model import Query, Score, UsageError

NONE = "(none)"
SLICE = "by"


def slices_by(cases: Cases, field: str | None) -> dict[str, list[int]]:
    """`FIELD=value` -> the columns of the queries that have it, and all queries as "all"."""
    if field is None:
        return {ALL_QUERIES: list(range(len(cases.query_ids)))}
    slices: dict[str, list[int]] = {}
    known: dict[str, None] = {}
    for column, query_id in enumerate(cases.query_ids):
        pool = cases.pools.get(query_id)
        fields = fields_of(pool.query if pool else None)
        known |= dict.fromkeys(fields)
        slices.setdefault(f"{field}={fields.get(field, NONE)}", []).append(column)
    if field not in known:
        choices = f"choose from {', '.join(known)}" if known else "the queries have no conditions"
        raise UsageError(f"no query has a field {field!r}; {choices}")
    return {**dict(sorted(slices.items())), ALL_QUERIES: list(range(len(cases.query_ids)))}


def fields_of(query: Query | None) -> dict[str, str]:
    """The conditions of a query, and its template."""
    if query is None:
        return {}
    template = {"template": query.template} if query.template else {}
    return {**template, **query.conditions}


def slice_mark(name: str) -> dict[str, str]:
    """The mark of a slice's score, so that nobody takes it for the score of a query whose id has = in it."""
    return {} if name == ALL_QUERIES else {SLICE: name.partition("=")[0]}


def is_over_many(score: Score) -> bool:
    """Whether a score is over all queries, or over a slice of them."""
    return score.query_id == ALL_QUERIES or SLICE in score.extra
