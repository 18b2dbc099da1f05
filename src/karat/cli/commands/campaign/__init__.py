"""karat campaign: one module per group of subcommands."""

from __future__ import annotations

import click

from karat.cli.commands.campaign.material import export_command, import_command
from karat.cli.commands.campaign.people import assign_command, invite_command, status_command
from karat.cli.commands.campaign.place import backup_command, create_command, demo_command, restore_command


@click.group("campaign")
def command() -> None:
    """Run a campaign, in which people annotate.

    A campaign is a folder (SQLite), or the URL of a PostgreSQL database. Create it, import queries and runs (and a key,
    where there is one), invite people and assign the queries; `karat serve` is where they work. What they make is
    exported as Karat's records, for `karat score` and `karat agree`.

    \b
    Example:
      karat campaign create facts --title "Facts 2026" --organiser Ana
      karat campaign import facts topics.jsonl runs/*.jsonl
      karat campaign invite facts Bo --role assessor --languages ar,zh
      karat campaign assign facts
      karat campaign export facts -o annotation.jsonl
    """


for subcommand in (
    create_command, import_command, invite_command, assign_command, status_command, export_command, backup_command,
    restore_command, demo_command,
):  # fmt: skip
    command.add_command(subcommand)
