"""Rows on their way into the tables: with numbers drawn at random, written in batches, references last."""

from __future__ import annotations

import secrets
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from karat.campaign.store import tables

BITS = 40
"""Random numbers stay below 2^40, so that JavaScript holds them exactly."""
BATCH = 5_000
"""How many rows are kept before they are written."""
# What refers to others comes after them.
ORDER = (
    tables.query, tables.run, tables.document, tables.template, tables.response, tables.passage, tables.occurrence,
    tables.citation, tables.key_nug, tables.suggestion,
)  # fmt: skip


class RandomNumbers:
    """Numbers that a table does not have yet, in no order."""

    def __init__(self, connection: Connection, table: Table) -> None:
        self._taken = set(connection.execute(select(table.c.number)).scalars())

    def next(self) -> int:
        while (number := secrets.randbits(BITS)) in self._taken or not number:
            pass
        self._taken.add(number)
        return number


class Rows:
    """Collects rows, and writes some thousands at a time; `flush` writes the rest."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: dict[Table, list[dict[str, Any]]] = {table: [] for table in ORDER}
        self._waiting = 0
        self._numbers: dict[Table, RandomNumbers] = {}
        self.is_stopped = False

    def number(self, table: Table) -> int:
        """A new random number for a row."""
        if table not in self._numbers:
            self._numbers[table] = RandomNumbers(self._connection, table)
        return self._numbers[table].next()

    def write(self, table: Table, row: dict[str, Any]) -> None:
        """A row to be written with the next batch."""
        if self.is_stopped:
            return
        self._rows[table].append(row)
        self._waiting += 1
        if self._waiting >= BATCH:
            self.flush()

    def stop(self) -> None:
        """Write nothing more: the transaction will be taken back, and what waits may not be storable."""
        self.is_stopped = True
        self._rows = {table: [] for table in ORDER}

    def flush(self) -> None:
        """Write all rows that wait."""
        for table in ORDER:
            if self._rows[table]:
                self._connection.execute(insert(table), self._rows[table])
                self._rows[table] = []
        self._waiting = 0
