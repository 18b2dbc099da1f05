"""Connections to a campaign's database: SQLite in a folder, or PostgreSQL by URL.

SQLite runs with a write-ahead log, so that readers never wait for a writer, and every writing transaction begins with
BEGIN IMMEDIATE: a transaction that reads first and then wants to write is refused by SQLite ("database is locked") when
another one wrote in between, however long it is ready to wait.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url

DATABASE_FILE = "campaign.sqlite"
WAIT_SECONDS = 30


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
        self._turn: AbstractContextManager[object] = threading.RLock() if self.is_sqlite else nullcontext()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view; nothing is written."""
        with self.engine.connect() as connection:
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def write(self, *, check_references: bool = True) -> Iterator[Connection]:
        """All changes or none. Writers wait for each other.

        Without check_references SQLite does not look up the rows that new rows refer to, which takes a quarter of the
        time of a large import: for rows whose references were all drawn or read by the writer.
        """
        with (
            self._turn,
            self.engine.connect().execution_options(karat_write=True) as connection,
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
    cursor.execute(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000}")
    cursor.close()


def _sqlite_begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("karat_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
