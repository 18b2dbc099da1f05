"""Who may see and change which layer of a query.

An assessor has the own layer of the queries that are assigned to the person. An adjudicator reads all layers and writes
the adjudicated one (owner 0). An organiser reads everything and annotates nothing.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.errors import NotAllowed

ADJUDICATED = 0
"""The owner of the adjudicated layer."""


class Person(Protocol):
    """An account, as far as work asks for it."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...


class QueryRow(NamedTuple):
    """A query as the store has it."""

    number: int
    query_id: str
    language: str | None
    record: str


def query_row(connection: Connection, query_number: int, *, lock: bool = False) -> QueryRow:
    """The query; NotAllowed where there is none. `lock`: others who want to write to the query wait."""
    columns = tables.query.c
    chosen = select(columns.number, columns.query_id, columns.language, columns.record).where(
        columns.number == query_number
    )
    if lock:
        # SQLite's writers wait for each other anyway, and it does not know this clause.
        chosen = chosen.with_for_update(key_share=True)
    row = connection.execute(chosen).first()
    if row is None:
        raise NotAllowed
    return QueryRow(*row)


def check_may_see(connection: Connection, person: Person, query_number: int, owner: int) -> None:
    """Raise NotAllowed unless the person may read this layer of the query."""
    if person.role in ("organiser", "adjudicator"):
        return
    if person.role != "assessor" or owner != person.number or not is_assigned(connection, person, query_number):
        raise NotAllowed


def check_may_change(connection: Connection, person: Person, query_number: int, owner: int) -> None:
    """Raise NotAllowed unless the person may write this layer of the query."""
    if person.role == "adjudicator" and owner == ADJUDICATED:
        return
    if person.role != "assessor" or owner != person.number or not is_assigned(connection, person, query_number):
        raise NotAllowed


def is_assigned(connection: Connection, person: Person, query_number: int) -> bool:
    """Whether the query is one of the person's."""
    columns = tables.assignment.c
    chosen = select(columns.query).where(columns.query == query_number, columns.account == person.number)
    return connection.execute(chosen).first() is not None
