from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from karat.campaign.campaign import Campaign, Place
from karat.campaign.store.database import open_database
from karat.campaign.store.migrate import NEWEST, known_revisions, revision_of, upgrade
from karat.campaign.store.tables import metadata
from karat.model import UsageError


def schema(connection: Connection) -> dict[str, Any]:
    """Everything the database says about its tables, except Alembic's own."""
    inspector = inspect(connection)
    described = {}
    for table in sorted(set(inspector.get_table_names()) - {"alembic_version"}):
        described[table] = {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"], column.get("default"))
                for column in inspector.get_columns(table)
            ],
            "primary key": inspector.get_pk_constraint(table),
            "foreign keys": sorted(map(str, inspector.get_foreign_keys(table))),
            "unique": sorted(map(str, inspector.get_unique_constraints(table))),
            "checks": sorted(map(str, inspector.get_check_constraints(table))),
            "indexes": sorted(map(str, inspector.get_indexes(table))),
        }
    return described


def test_migrations_make_the_tables_that_the_code_uses(places: Callable[[], Place]) -> None:
    migrated, made = places(), places()
    with Campaign.create(migrated, "migrated") as campaign, campaign.database.read() as connection:
        by_migrations = schema(connection)
    if not isinstance(made, str):
        made.mkdir()
    database = open_database(made)
    with database.write() as connection:
        metadata.create_all(connection)
        by_metadata = schema(connection)
    database.close()
    assert set(by_metadata) == set(metadata.tables)
    assert by_migrations == by_metadata


def test_the_newest_migration_is_the_one_the_code_expects() -> None:
    assert known_revisions()[0] == NEWEST


def test_upgrading_again_changes_nothing(campaign: Campaign) -> None:
    upgrade(campaign.database)
    with campaign.database.read() as connection:
        assert revision_of(connection) == NEWEST


def test_a_campaign_of_a_newer_karat_is_refused(campaign: Campaign) -> None:
    with campaign.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UsageError, match=f"a newer Karat made this campaign .*9999.*{NEWEST}"):
        Campaign.open(campaign.place)
