"""Rows on their way into the tables: with numbers drawn at random, kept aside until all are known, references last.

While rows are written nobody else can save (SQLite has one writer at a time), so that everything that takes long is
done before: reading, checking, finding passages, drawing numbers. Rows wait in a file, so that the memory does not grow
with the texts.
"""

from __future__ import annotations

import pickle
import secrets
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from sqlalchemy import Connection, Executable, Table, func, insert, select

from karat.campaign.store import tables

BITS = 40
"""Random numbers stay below 2^40, so that JavaScript holds them exactly."""
BATCH = 5_000
"""How many rows of a table are kept in memory."""
IN_MEMORY = 16 * 2**20
"""Bytes of waiting rows that need no file."""
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
    """Collects rows and what is to be done after them; `write_all` writes everything into another transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: dict[Table, list[tuple[Any, ...]]] = {table: [] for table in ORDER}
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)
        self._places: dict[Table, list[int]] = {table: [] for table in ORDER}
        self._columns = {table: tuple(column.name for column in table.columns) for table in ORDER}
        self._afterwards: list[Executable] = []
        self._numbers: dict[Table, RandomNumbers] = {}
        self.is_stopped = False

    def number(self, table: Table) -> int:
        """A new random number for a row."""
        if table not in self._numbers:
            self._numbers[table] = RandomNumbers(self._connection, table)
        return self._numbers[table].next()

    def write(self, table: Table, row: dict[str, Any]) -> None:
        """A row that is to be written; it has all columns of the table."""
        if self.is_stopped:
            return
        waiting = self._rows[table]
        waiting.append(tuple(row.get(name) for name in self._columns[table]))
        if len(waiting) >= BATCH:
            self._places[table].append(self._file.tell())
            pickle.dump(waiting, self._file, pickle.HIGHEST_PROTOCOL)
            waiting.clear()

    def afterwards(self, statement: Executable) -> None:
        """A change of what is there already, to be made after the rows were written."""
        self._afterwards.append(statement)

    def stop(self) -> None:
        """Collect nothing more: nothing will be written."""
        self.is_stopped = True
        self._rows = {table: [] for table in ORDER}

    def write_all(self, connection: Connection) -> None:
        """Write everything, parents before what refers to them."""
        for table in ORDER:
            names = self._columns[table]
            for rows in self._batches(table):
                if connection.dialect.name == "sqlite":
                    # As the driver takes them: a dict per row would take as long as SQLite itself.
                    statement = str(insert(table).compile(dialect=connection.dialect))
                    connection.exec_driver_sql(statement, rows)
                else:
                    connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in rows])
        for change in self._afterwards:
            connection.execute(change)
        self.close()

    def close(self) -> None:
        """Forget what waits."""
        self._file.close()

    def _batches(self, table: Table) -> Iterator[list[tuple[Any, ...]]]:
        for place in self._places[table]:
            self._file.seek(place)
            yield pickle.load(self._file)  # noqa: S301 - written above
        if self._rows[table]:
            yield self._rows[table]


def material_state(connection: Connection) -> tuple[object, ...]:
    """Differs when material, templates or settings have changed: rows have random numbers, whose sum tells."""
    state: list[object] = []
    for table in ORDER:
        counted = (func.count(), func.sum(table.c.number)) if "number" in table.c else (func.count(),)
        state.append(
            tuple(map(int, (value or 0 for value in connection.execute(select(*counted).select_from(table)).one())))
        )
    for table in (tables.setting, tables.template):
        first, second = table.columns
        state.append(tuple(map(tuple, connection.execute(select(first, second).order_by(first)))))
    return tuple(state)
