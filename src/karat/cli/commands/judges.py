"""karat judges"""

from __future__ import annotations

import click

from karat.cli.printing import echo


@click.command("judges")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Say which judge to use when, or explain one.

    \b
    Example:
      karat judges
      karat judges nuggeteer
    """
    import inspect
    import sys
    from typing import get_args, get_type_hints

    from karat.judges.measured import USES
    from karat.judges.registry import AUTO, JUDGES, default_judge, parse_judge
    from karat.report.validate import JUDGES_LEGEND, judge_tables

    if name is None:
        for table in judge_tables():
            table.print()
        for line in JUDGES_LEGEND:
            echo(line, err=True)
        echo(f"--judge {AUTO} is {default_judge()} here; `karat judges NAME` explains one and its settings", err=True)
        return
    # A cascade has no levels of its own: the two that every install can read explain it.
    judge = parse_judge("cascade(lexical,human)" if name == "cascade" else name)
    kind = type(judge)
    echo(f"{judge.name}: {JUDGES[judge.name][1]}\nwhen to use it: {USES[judge.name]}\n")
    echo(f"{inspect.getdoc(sys.modules[kind.__module__])}\n\n{inspect.getdoc(kind)}\n")
    echo("Settings:")
    choices = {name: get_args(kind_of) for name, kind_of in get_type_hints(kind).items()}
    for setting, value in judge.settings().items():
        others = [str(choice) for choice in choices.get(setting, ()) if str(choice) != value]
        echo(f"  {setting}={value}" + (f" (or {', '.join(others)})" if others else ""))
