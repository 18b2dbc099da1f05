"""Bring the tables of a campaign up to date.

Every version of the tables has a number (its revision). A campaign that an older Karat made is upgraded when it is
opened; one that a newer Karat made is refused, because nobody knows here what its tables mean.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from karat.campaign.store.database import Database
from karat.model import UnfitInput

if TYPE_CHECKING:
    from alembic.config import Config

NEWEST = "0001"
"""The revision that this Karat works with; a test compares it with the newest migration."""
MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x6B61726174
"""Two servers that start at once upgrade one after the other (PostgreSQL's advisory lock)."""


def upgrade(database: Database) -> None:
    """Make the tables, or upgrade them to those of this Karat. All of it happens, or none.

    Raises:
        UsageError: a newer Karat made the campaign.
    """
    with database.read() as connection:
        if revision_of(connection) == NEWEST:
            return
    with database.write() as connection:
        upgrade_connection(connection)


def upgrade_connection(connection: Connection, to: str = NEWEST) -> None:
    """The same inside the caller's transaction; to: an older revision, for backups that an older Karat made."""
    from alembic import command

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    config = _config(connection)
    known = known_revisions()
    for revision in (revision_of(connection), to):
        if revision is not None and revision not in known:
            raise UnfitInput(newer(revision))
    command.upgrade(config, to)


def newer(revision: str) -> str:
    """What to say of a revision that is not known here."""
    return (
        f"a newer Karat made this campaign (its tables have the version {revision}, this Karat knows {NEWEST}): "
        "install that Karat, or a newer one"
    )


def revision_of(connection: Connection) -> str | None:
    """The version of the tables; None: there are none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def known_revisions() -> list[str]:
    """All versions of the tables that this Karat can upgrade, newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def _config(connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    # The parser of the configuration reads % as the start of a name.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
