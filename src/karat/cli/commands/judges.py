"""karat judges"""

from __future__ import annotations

import click


@click.command("judges")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the judges, or explain one.

    \b
    Example:
      karat judges
      karat judges nuggeteer
    """
    import inspect
    import sys

    from karat.judges.registry import JUDGES, parse_judge
    from karat.report.tables import print_table

    if name is None:
        print_table(["judge", "description"], [[judge, text] for judge, (_, text) in JUDGES.items()])
        return
    judge = parse_judge(name)
    kind = type(judge)
    click.echo(f"{judge.name}\n\n{inspect.getdoc(sys.modules[kind.__module__])}\n\n{inspect.getdoc(kind)}\n")
    click.echo("Settings:")
    for setting, value in judge.settings().items():
        click.echo(f"  {setting}={value}")
