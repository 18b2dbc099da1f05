"""The place of a campaign on the command line, and the people in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.printing import echo

if TYPE_CHECKING:
    from karat.campaign.campaign import Campaign

campaign_place = click.argument("place", metavar="DIR|URL")
link_base = click.option(
    "--url", metavar="URL", default="http://127.0.0.1:8000", show_default=True,
    help="Address of the server, for the link; the default is that of `karat serve` on this machine.",
)  # fmt: skip


def needs_workbench() -> None:
    """Say how to install the workbench, where it is not there."""
    from karat.model.errors import require

    for module in ("sqlalchemy", "alembic", "argon2"):
        require(module, extra="web", purpose="A campaign")


def open_campaign(place: str) -> Campaign:
    """The campaign in a folder or a PostgreSQL database."""
    needs_workbench()
    from karat.campaign.campaign import Campaign

    return Campaign.open(place)


def show_link(token: str, name: str, url: str) -> None:
    """The link of an invitation on stdout, and what to do with it on stderr."""
    echo(f"{url.rstrip('/')}/invitation/{token}")
    echo(
        f"Send this link to {name}, to choose a password. It works once, for 14 days, and is not shown again.",
        err=True,
    )
