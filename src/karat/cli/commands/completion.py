"""karat completion"""

from __future__ import annotations

import click

from karat.cli.printing import echo


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the shell completion script.

    \b
    Example:
      karat completion bash >> ~/.bashrc
      karat completion fish > ~/.config/fish/completions/karat.fish
    """
    from click.shell_completion import get_completion_class

    from karat.cli import cli

    completion = get_completion_class(shell)
    assert completion is not None
    echo(completion(cli, {}, "karat", "_KARAT_COMPLETE").source())
