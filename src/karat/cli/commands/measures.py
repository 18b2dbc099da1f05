"""karat measures"""

from __future__ import annotations

import click

from karat.cli.printing import echo


@click.command("measures")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the measures, or explain one.

    A name may have settings in brackets: `proficiency(prior=bayes,other=1e5)`. The number of an F measure is its beta:
    `F3`, `F1`, `pyramid_F3`.

    \b
    Example:
      karat measures
      karat measures pyramid_F3
    """
    from karat.measures.registry import measure_help, measure_rows
    from karat.report.tables import print_table

    if name is None:
        print_table(["measure", "description", "settings"], [list(row) for row in measure_rows()])
    else:
        echo(measure_help(name))
