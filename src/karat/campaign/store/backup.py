"""Backups: one file that holds a whole campaign, and can be restored to a folder or to PostgreSQL.

The file is gzipped JSON lines: first what it is, then for each table its columns and its rows, at the end how many rows
there are. All of it is read in one transaction, so that people can go on working: what they save in the meantime is in
the next backup. Keep it like the campaign itself: it has everybody's work, and the hashes of passwords.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, LargeBinary, MetaData, Table, delete, func, insert, select, text

from karat import __version__
from karat.campaign.store.database import Database
from karat.campaign.store.migrate import NEWEST, known_revisions, newer, revision_of, upgrade_connection
from karat.campaign.store.tables import metadata
from karat.formats.io.overwriting import check_target
from karat.model import UnfitInput, UsageError

VERSION = 1
BATCH = 1_000
_encode = msgspec.json.Encoder().encode


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a backup."""

    karat_backup: int
    revision: str
    made: float
    by: str


def backup(database: Database, file: str | Path) -> int:
    """Write a backup; returns the number of rows. The file is complete or absent, and only its owner can read it."""
    target = Path(file)
    check_target(target)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise UsageError(f"{file}: is a folder, or in a folder that is not there; name a file")
    # mkstemp lets only the owner read, and renaming keeps that.
    descriptor, temporary = tempfile.mkstemp(prefix=".karat-", suffix=".part", dir=target.absolute().parent)
    try:
        with (
            os.fdopen(descriptor, "wb") as raw,
            gzip.GzipFile("", "wb", fileobj=raw, compresslevel=6) as packed,
            database.read() as connection,
        ):
            rows = _write(connection, packed)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return rows


def _write(connection: Connection, packed: gzip.GzipFile) -> int:
    if connection.dialect.name == "postgresql":
        # PostgreSQL's usual transactions see what others commit in between.
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    revision = revision_of(connection)
    assert revision is not None
    head = Head(karat_backup=VERSION, revision=revision, made=time.time(), by=f"karat {__version__}")
    packed.write(_encode(head) + b"\n")
    rows = 0
    for table in metadata.sorted_tables:
        packed.write(
            _encode({"table": str(table.name), "columns": [str(column.name) for column in table.columns]}) + b"\n"
        )
        in_order = select(table).order_by(*table.primary_key.columns)
        result = connection.execution_options(yield_per=BATCH).execute(in_order)
        for row in result:
            packed.write(_encode(list(row)) + b"\n")
            rows += 1
    packed.write(_encode({"rows": rows}) + b"\n")
    return rows


def restore(database: Database, file: str | Path) -> int:
    """Fill an empty database from a backup, in one transaction; returns the number of rows.

    Raises:
        UsageError: the file is no backup, is not complete, or a newer Karat made it.
    """
    with database.write() as connection:
        rows = _fill(connection, file)
        upgrade_connection(connection)
    return rows


def read_head(file: str | Path) -> Head:
    """What a backup is; UsageError for a file that is none."""
    try:
        head = msgspec.convert(next(_lines(file), None), Head)
    except msgspec.ValidationError:
        raise UnfitInput(f"{file}: is not a backup of a campaign") from None
    if head.karat_backup > VERSION or head.revision not in known_revisions():
        raise UnfitInput(f"{file}: {newer(head.revision)}")
    return head


def _fill(connection: Connection, file: str | Path) -> int:
    head = read_head(file)
    upgrade_connection(connection, to=head.revision)
    known = metadata
    if head.revision != NEWEST:
        # The tables as they were then.
        known = MetaData()
        known.reflect(connection)
    table: Table | None = None
    columns: list[str] = []
    waiting: list[dict[str, Any]] = []
    rows, is_complete = 0, False
    for line in _lines(file, skip=1):
        if isinstance(line, list) and table is not None and len(line) == len(columns):
            waiting.append(dict(zip(columns, line, strict=True)))
            rows += 1
            if len(waiting) >= BATCH:
                _insert(connection, table, waiting)
            continue
        if waiting and table is not None:
            _insert(connection, table, waiting)
        if isinstance(line, dict) and line.get("table") in known.tables:
            table, columns = known.tables[line["table"]], line["columns"]
        elif line == {"rows": rows}:
            is_complete = True
        else:
            raise UnfitInput(f"{file}: is damaged after {rows:,} rows")
    if not is_complete:
        raise UnfitInput(f"{file}: is not complete: the end is missing after {rows:,} rows")
    if connection.dialect.name == "postgresql":
        _continue_counting(connection, known)
    _close_doors(connection, known)
    return rows


def _close_doors(connection: Connection, known: MetaData) -> None:
    """Nobody is logged in to a restored campaign, and no link opens it: a backup may be old, or in other hands."""
    sessions, invitations = known.tables["session"], known.tables["invitation"]
    connection.execute(delete(sessions))
    connection.execute(delete(invitations).where(invitations.c.used.is_(None)))


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    binary = [column.name for column in table.columns if isinstance(column.type, LargeBinary)]
    for row in rows:
        for name in binary:
            row[name] = msgspec.convert(row[name], bytes | None)
    connection.execute(insert(table), rows)
    rows.clear()


def _continue_counting(connection: Connection, known: MetaData) -> None:
    """PostgreSQL counts rows by itself, and does not notice rows that come with a number."""
    for table in known.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            highest = connection.execute(select(func.max(column))).scalar()
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            if highest is not None:
                connection.execute(select(func.setval(sequence, highest)))


def _lines(file: str | Path, *, skip: int = 0) -> Iterator[Any]:
    """The values of a backup, one per line."""
    try:
        with gzip.open(file, "rb") as lines:
            for number, line in enumerate(lines):
                if number >= skip:
                    yield msgspec.json.decode(line)
    except FileNotFoundError:
        raise UnfitInput(f"{file}: there is no such file") from None
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "is not a complete backup"
        raise UnfitInput(f"{file}: {reason}") from None
