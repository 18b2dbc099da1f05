"""How much material a campaign has."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from karat.campaign.store import tables

COUNTED = {
    "queries": tables.query,
    "runs": tables.run,
    "responses": tables.response,
    "passages": tables.passage,
    "citations": tables.citation,
    "documents": tables.document,
    "nugs of imported keys": tables.key_nug,
    "suggestions of programs": tables.suggestion,
}


def material_counts(connection: Connection) -> dict[str, int]:
    """How many there are of each noun, for people to read."""
    return {
        name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for name, table in COUNTED.items()
    }


def queries_without_assessors(connection: Connection, wanted: int) -> int:
    """How many queries have fewer assessors than wanted."""
    assignment = tables.assignment.c
    enough = select(assignment.query).group_by(assignment.query).having(func.count() >= wanted)
    columns = tables.query.c
    lacking = select(func.count()).select_from(tables.query).where(columns.number.not_in(enough))
    return int(connection.execute(lacking).scalar_one())
