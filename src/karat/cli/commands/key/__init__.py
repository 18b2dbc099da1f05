"""karat key: one module per subcommand."""

from __future__ import annotations

import click

from karat.cli.commands.key.diff import diff_command
from karat.cli.commands.key.hash import hash_command


@click.group("key")
def command() -> None:
    """Tell versions of a key apart, and see what changed.

    \b
    Example:
      karat key diff old.jsonl new.jsonl judgements.jsonl
      karat key hash key.jsonl
    """


for subcommand in (diff_command, hash_command):
    command.add_command(subcommand)
