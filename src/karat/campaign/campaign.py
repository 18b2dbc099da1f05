"""A campaign: people annotate material in one place, a folder (SQLite) or a PostgreSQL database."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

from karat.campaign.material.settings import Settings, change_settings, read_settings
from karat.campaign.store.backup import read_head, restore
from karat.campaign.store.database import DATABASE_FILE, Database, open_database
from karat.campaign.store.migrate import revision_of, upgrade
from karat.model import UnfitInput, UsageError
from karat.model.errors import require

Place = str | Path
"""A folder, or the URL of a PostgreSQL database."""


class Campaign:
    """An open campaign. `database` gives connections; rooms of work take those."""

    def __init__(self, place: Place, database: Database) -> None:
        self.place = place
        self.database = database

    @classmethod
    def create(cls, place: Place, title: str, **settings: Any) -> Campaign:
        """A new campaign in a folder that does not exist or is empty, or in an empty PostgreSQL database.

        settings: see `Settings`.

        Raises:
            UsageError: there is something in the place already, or a setting is not possible.
        """
        if not title.strip():
            raise UsageError("a campaign needs a title")

        def fill(database: Database) -> None:
            upgrade(database)
            with database.write() as connection:
                change_settings(connection, {"title": title, **settings})

        fill_empty_place(place, fill)
        return cls.open(place)

    @classmethod
    def open(cls, place: Place) -> Campaign:
        """The campaign in a place; one that an older Karat made is upgraded.

        Raises:
            UsageError: there is no campaign, or a newer Karat made it.
        """
        database = _existing(place)
        try:
            upgrade(database)
        except BaseException:
            database.close()
            raise
        return cls(place, database)

    @classmethod
    def restore(cls, file: str | Path, place: Place) -> Campaign:
        """The campaign of a backup (store/backup.py), in an empty place: a folder or a PostgreSQL database.

        Raises:
            UsageError: there is something in the place already, or the file is no complete backup.
        """
        read_head(file)
        fill_empty_place(place, lambda database: restore(database, file))
        return cls.open(place)

    @property
    def settings(self) -> Settings:
        with self.database.read() as connection:
            return read_settings(connection)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_url(place: Place) -> bool:
    """Whether a place is a database server's and not a folder."""
    return isinstance(place, str) and "://" in place


def shown(place: Place) -> str:
    """The place as messages and logs may show it: without a password."""
    if not is_url(place):
        return str(place)
    try:
        return make_url(str(place)).render_as_string(hide_password=True)
    except ArgumentError:
        return "the URL"


def fill_empty_place(place: Place, fill: Callable[[Database], object]) -> None:
    """Let `fill` make a campaign in an empty place: whole, or not at all."""
    if is_url(place):
        _fill_server(place, fill)
    else:
        _fill_folder(Path(place), fill)


def _fill_folder(folder: Path, fill: Callable[[Database], object]) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "a campaign in it already" if (folder / DATABASE_FILE).exists() else "something in it"
        raise UsageError(f"{folder}: there is {what}; name a new folder")
    # Made under another name: a program that is killed in between leaves no half campaign. An empty folder is kept,
    # because it may be a disk of its own.
    is_there = folder.exists()
    around = folder if is_there else folder.absolute().parent
    try:
        around.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".new-campaign-", dir=around))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror or error}") from None
    try:
        database = open_database(temporary)
        try:
            fill(database)
        finally:
            database.close()
        if is_there:
            os.replace(temporary / DATABASE_FILE, folder / DATABASE_FILE)
            shutil.rmtree(temporary)
        else:
            os.replace(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _fill_server(place: Place, fill: Callable[[Database], object]) -> None:
    database = _connected(place)
    try:
        with database.read() as connection:
            if inspect(connection).get_table_names():
                raise UsageError(f"{shown(place)}: the database has tables already; name an empty database")
        try:
            fill(database)
        except BaseException:
            with database.write() as connection:
                _drop_all(connection)
            raise
    finally:
        database.close()


def _drop_all(connection: Any) -> None:
    """Take back a campaign that could not be filled: the database was empty before."""
    from sqlalchemy import MetaData

    made = MetaData()
    made.reflect(connection)
    made.drop_all(connection)


def _existing(place: Place) -> Database:
    """The database of a campaign."""
    if not is_url(place) and not (Path(place) / DATABASE_FILE).is_file():
        raise UnfitInput(_no_campaign(place))
    database = _connected(place) if is_url(place) else open_database(place)
    try:
        with database.read() as connection:
            is_campaign = revision_of(connection) is not None
    except DatabaseError as error:
        database.close()
        raise UnfitInput(f"{shown(place)}: cannot be opened as a campaign: {_reason(error)}") from None
    if not is_campaign:
        database.close()
        raise UnfitInput(_no_campaign(place))
    return database


def _no_campaign(place: Place) -> str:
    return f"{shown(place)}: there is no campaign; make one with: karat campaign create {shown(place)} --organiser NAME"


def _reason(error: DatabaseError) -> str:
    """The first line of what the database said."""
    return (str(error.orig).strip().splitlines() or ["no answer"])[0]


def _connected(place: Place) -> Database:
    """A PostgreSQL database that answers."""
    try:
        url = make_url(str(place))
    except ArgumentError:
        raise UsageError("the URL cannot be read; a database is named as postgresql://user@host/database") from None
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise UsageError(f"{shown(place)}: not a folder and not a postgresql:// URL; other databases do not work")
    require("psycopg", extra="postgres", purpose="A campaign in PostgreSQL")
    database = open_database(str(place))
    try:
        # Not `database.read()`: what the server answers is wanted here, not that it may be tried again.
        with database.engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")
    except OperationalError as error:
        database.close()
        raise UnfitInput(f"{shown(place)}: cannot be opened: {_reason(error)}") from None
    return database
