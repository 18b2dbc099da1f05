"""Whether anything changed: results that take long are computed again only then."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from karat.campaign.store import tables

Stamp = tuple[int, int]


def stamp(connection: Connection) -> Stamp:
    """Grows with every change of annotations, steps, settings, people and material."""
    batches = connection.execute(select(func.coalesce(func.max(tables.batch.c.number), 0))).scalar_one()
    events = connection.execute(select(func.coalesce(func.max(tables.event.c.number), 0))).scalar_one()
    return int(batches), int(events)
