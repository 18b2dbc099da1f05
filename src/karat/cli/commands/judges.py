"""karat judges"""

from __future__ import annotations

import click

from karat.cli.outputs import output_format, print_result, prints_result


@click.command("judges")
@click.argument("name", required=False)
@output_format()
@prints_result
def command(name: str | None, output_format: str) -> None:
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
    from karat.judges.registry import JUDGES, default_judge, parse_judge
    from karat.reports.results.lists import text_result
    from karat.reports.validate import judges_result

    if name is None:
        print_result(judges_result(auto=default_judge()), output_format)
        return
    # A cascade has no levels of its own: the two that every install can read explain it.
    judge = parse_judge("cascade(lexical,human)" if name == "cascade" else name)
    kind = type(judge)
    lines = [
        f"{judge.name}: {JUDGES[judge.name][1]}\nwhen to use it: {USES[judge.name]}\n",
        f"{inspect.getdoc(sys.modules[kind.__module__])}\n\n{inspect.getdoc(kind)}\n",
        "Settings:",
    ]
    choices = {name: get_args(kind_of) for name, kind_of in get_type_hints(kind).items()}
    for setting, value in judge.settings().items():
        others = [str(choice) for choice in choices.get(setting, ()) if str(choice) != value]
        lines.append(f"  {setting}={value}" + (f" (or {', '.join(others)})" if others else ""))
    print_result(text_result("judges", judge.name, "\n".join(lines)), output_format)
