"""How much material a campaign has."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.store import tables


class MaterialCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The number of rows of each kind."""

    queries: int
    runs: int
    responses: int
    passages: int
    occurrences: int
    citations: int
    documents: int
    key_nugs: int
    suggestions: int


def material_counts(connection: Connection) -> MaterialCounts:
    """What was imported so far."""
    counted = {
        "queries": tables.query,
        "responses": tables.response,
        "passages": tables.passage,
        "occurrences": tables.occurrence,
        "citations": tables.citation,
        "documents": tables.document,
        "key_nugs": tables.key_nug,
        "suggestions": tables.suggestion,
    }
    counts = {
        name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for name, table in counted.items()
    }
    # A run is known by its responses, too: not every file has records of runs.
    runs = connection.execute(select(func.count(func.distinct(tables.response.c.run_id)))).scalar_one()
    return MaterialCounts(runs=runs, **counts)


def queries_without_assessors(connection: Connection, wanted: int) -> int:
    """How many queries have fewer assessors than wanted."""
    assignment = tables.assignment.c
    enough = select(assignment.query).group_by(assignment.query).having(func.count() >= wanted)
    lacking = select(func.count()).select_from(tables.query).where(tables.query.c.number.not_in(enough))
    return connection.execute(lacking).scalar_one()
