"""How Alembic runs the migrations: inside the transaction that `upgrade` (migrate.py) opened."""

from __future__ import annotations

from alembic import context

from karat.campaign.store.tables import metadata


def migrate() -> None:
    """Run the migrations on the connection in the configuration's attributes."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        # SQLite can take back changes of tables, too; Alembic does not expect it.
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


# Alembic loads this file under this name. Tools that import every module of the package must not start a migration.
if __name__ == "env_py":
    migrate()
