"""karat judges"""

from __future__ import annotations

import click

from karat.cli.printing import echo


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
    from typing import get_args, get_type_hints

    from karat.judges.registry import AUTO, JUDGES, default_judge, parse_judge
    from karat.report.tables import print_table

    if name is None:
        print_table(["judge", "description"], [[judge, text] for judge, (_, text) in JUDGES.items()])
        echo(f"--judge {AUTO} is {default_judge()} here.", err=True)
        return
    judge = parse_judge(name)
    kind = type(judge)
    echo(f"{judge.name}\n\n{inspect.getdoc(sys.modules[kind.__module__])}\n\n{inspect.getdoc(kind)}\n")
    echo("Settings:")
    choices = {name: get_args(kind_of) for name, kind_of in get_type_hints(kind).items()}
    for setting, value in judge.settings().items():
        others = [str(choice) for choice in choices.get(setting, ()) if str(choice) != value]
        echo(f"  {setting}={value}" + (f" (or {', '.join(others)})" if others else ""))
