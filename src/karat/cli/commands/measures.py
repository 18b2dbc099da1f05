"""karat measures"""

from __future__ import annotations

import click

from karat.cli.outputs import output_format, print_result, prints_result


@click.command("measures")
@click.argument("name", required=False)
@output_format()
@prints_result
def command(name: str | None, output_format: str) -> None:
    """List the measures, or explain one.

    A name may have settings in brackets: `proficiency(prior=bayes,other=1e5)`. The number of an F measure is its beta:
    `F3`, `F1`, `pyramid_F3`.

    \b
    Example:
      karat measures
      karat measures pyramid_F3
    """
    from karat.measures.registry import measure_help, measure_rows
    from karat.reports.results.lists import list_result, text_result

    if name is not None:
        print_result(text_result("measures", name, measure_help(name)), output_format)
        return
    rows = [dict(zip(("measure", "description", "settings"), row, strict=True)) for row in measure_rows()]
    print_result(list_result({"measures": rows}), output_format)
