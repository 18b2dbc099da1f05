"""Connections to a campaign's database: SQLite in a folder, or PostgreSQL by URL.

SQLite runs with a write-ahead log, so that readers never wait for a writer, and every writing transaction begins with
BEGIN IMMEDIATE: a transaction that reads first and then wants to write is refused by SQLite ("database is locked") when
another one wrote in between, however long it is ready to wait.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from karat.model import Unfinished

DATABASE_FILE = "campaign.sqlite"
WAIT_SECONDS = 10.0
"""How long a writer waits for others before it is told to come again."""
PASSING = ("database is locked", "database is busy", "disk is full", "disk I/O error", "readonly database")
"""What SQLite says when the place of a campaign is at fault, and not what was asked for."""


class Unavailable(Unfinished):
    """Nothing was written, and the same can be tried again."""


BUSY = "The campaign is being written to by others, and it takes long. Nothing was lost: try again in a moment."
FULL = "The campaign's disk is full or cannot be written to. Nothing was saved: tell the organiser, then try again."
NO_ANSWER = "The campaign's database does not answer. Nothing was saved: try again in a moment."


class KeepsWhatWasWritten(Exception):
    """The base of errors after which a writing transaction is kept: the history also has what was refused."""


class Database:
    """`read()` and `write()` each give a connection inside one transaction."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.importing = threading.Lock()
        """Imports of this process follow each other: each is prepared for what the campaign has then."""
        # Writers of this process queue here. SQLite would let them sleep and ask again, which takes many times as long
        # under load and is not fair; against other processes it still does.
        self._turn = threading.RLock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view; nothing is written."""
        with _in_plain_words(), self.engine.connect() as connection:
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def write(self, *, check_references: bool = True, wait: bool = True) -> Iterator[Connection]:
        """All changes or none. Writers wait for each other, but not for ever; without `wait`, not at all.

        Without check_references SQLite does not look up the rows that new rows refer to, which takes a quarter of the
        time of a large import: for rows whose references were all drawn or read by the writer.

        Raises:
            Unavailable: others write for too long, or the disk is full.
        """
        with (
            _in_plain_words(),
            self._its_turn(wait),
            self.engine.connect().execution_options(karat_write=True, karat_wait=wait) as connection,
            nullcontext() if check_references or not self.is_sqlite else _unchecked_references(connection),
        ):
            kept: KeepsWhatWasWritten | None = None
            with connection.begin():
                try:
                    yield connection
                except KeepsWhatWasWritten as error:
                    kept = error
            if kept is not None:
                raise kept

    @contextmanager
    def _its_turn(self, wait: bool) -> Iterator[None]:
        if not self.is_sqlite:
            yield
            return
        if not self._turn.acquire(timeout=WAIT_SECONDS if wait else 0):
            raise Unavailable(BUSY)
        try:
            yield
        finally:
            self._turn.release()

    @property
    def place(self) -> str:
        """What `open_database` takes, with the password: for a process of our own, never for a page or a message."""
        if self.is_sqlite:
            return str(Path(self.engine.url.database or "").parent)
        return self.engine.url.render_as_string(hide_password=False)

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        self.engine.dispose()


def open_database(place: str | Path) -> Database:
    """`place`: a campaign's folder, or the URL of a PostgreSQL database. Tables are made by `upgrade` (migrate.py)."""
    if isinstance(place, str) and "://" in place:
        url = make_url(place)
        if url.drivername in ("postgres", "postgresql"):
            url = url.set(drivername="postgresql+psycopg")
        return Database(create_engine(url, pool_size=10, max_overflow=20, pool_pre_ping=True))
    file = Path(place) / DATABASE_FILE
    engine = create_engine(
        f"sqlite:///{file}",
        connect_args={"timeout": WAIT_SECONDS, "check_same_thread": False},
        # As many as the web server has threads: a connection beyond these would be opened anew for every request.
        pool_size=20,
    )
    event.listen(engine, "connect", _sqlite_settings)
    event.listen(engine, "begin", _sqlite_begin)
    return Database(engine)


@contextmanager
def _in_plain_words() -> Iterator[None]:
    """What is not the fault of a request is said so, and can be tried again."""
    try:
        yield
    except PoolTimeout:
        raise Unavailable(BUSY) from None
    except OperationalError as error:
        said = str(error.orig)
        if type(error.orig).__module__ != "sqlite3":
            if error.connection_invalidated or error.statement is None:
                raise Unavailable(NO_ANSWER) from error
            raise
        if not any(words in said for words in PASSING):
            raise
        raise Unavailable(BUSY if "locked" in said or "busy" in said else FULL) from error


@contextmanager
def _unchecked_references(connection: Connection) -> Iterator[None]:
    """SQLite takes this setting only outside transactions."""
    driver = connection.connection.dbapi_connection
    assert driver is not None
    driver.cursor().execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        driver.cursor().execute("PRAGMA foreign_keys=ON")


def _sqlite_settings(connection: Any, _: Any) -> None:
    # The driver's own transactions begin too late and too weakly: BEGIN comes from `_sqlite_begin`.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000:.0f}")
    cursor.close()


def _sqlite_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("karat_write", False):
        connection.exec_driver_sql("BEGIN")
    elif options.get("karat_wait", True):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000:.0f}")
