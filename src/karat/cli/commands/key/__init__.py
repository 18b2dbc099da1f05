"""karat key: one module per subcommand."""

from __future__ import annotations

import click

from karat.cli.commands.key.hash import hash_command


@click.group("key")
def command() -> None:
    """Tell versions of a key apart, and see what changed.

    \b
    Example:
      karat key hash key.jsonl
    """


for subcommand in (hash_command,):
    command.add_command(subcommand)
