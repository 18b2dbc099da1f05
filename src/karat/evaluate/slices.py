"""Queries by a field: the language, the medium, the template, ..."""

from __future__ import annotations

from karat.evaluate.cases import ALL_QUERIES, Cases
from karat.model import Query, UsageError

NONE = "(none)"


def slices_by(cases: Cases, field: str | None) -> dict[str, list[int]]:
    """`FIELD=value` -> the columns of the queries that have it; without a field, all queries as "all"."""
    if field is None:
        return {ALL_QUERIES: list(range(len(cases.query_ids)))}
    found: dict[str, list[int]] = {}
    known: dict[str, None] = {}
    for column, query_id in enumerate(cases.query_ids):
        pool = cases.pools.get(query_id)
        fields = fields_of(pool.query if pool else None)
        known |= dict.fromkeys(fields)
        found.setdefault(f"{field}={fields.get(field, NONE)}", []).append(column)
    if field not in known:
        choices = f"choose from {', '.join(known)}" if known else "the queries have no conditions"
        raise UsageError(f"no query has a field {field!r}; {choices}")
    return dict(sorted(found.items()))


def fields_of(query: Query | None) -> dict[str, str]:
    """The conditions of a query, and its template."""
    if query is None:
        return {}
    template = {"template": query.template} if query.template else {}
    return {**template, **query.conditions}
