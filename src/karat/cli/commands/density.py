"""karat density"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.codes import Code
from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.measures.distillation.density import Density

ALL_RUNS = "all"


@click.command("density")
@input_files()
@from_format
@selection
@click.option(
    "--text",
    type=click.Choice(["irrelevant", "all"]),
    default="irrelevant",
    show_default=True,
    help="Use the nuggetized snippets that are labelled irrelevant, or all nuggetized snippets.",
)
@click.option("--by", type=click.Choice(["run"]), help="Also print one row per run.")
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, text: str, by: str | None, on_error: str, output_format: str
) -> None:
    """Estimate how many characters there are per nug.

    With this number, the distillation measures estimate how many wrong nugs there are in text that was not nuggetized:
    proficiency(density=38.5). It is the number of characters of nuggetized snippets, without white space, divided by
    the number of their nuggets. Give files with responses, nuggets and relevance labels. The exit code is 3 if it
    cannot be estimated.

    \b
    Example:
      karat density runs.jsonl nuggets.jsonl
      karat density annotated.jsonl --text all --by run
    """
    from karat.cli.inputs import read_collection
    from karat.measures.distillation.density import estimate_density

    collection = read_collection(files, from_format, on_error)
    run_ids = list(dict.fromkeys(nugget.run_id for nugget in collection.nuggets)) if by == "run" else []
    by_run = {run_id: estimate_density(collection, text=text, run_id=run_id) for run_id in run_ids}  # type: ignore[arg-type]
    total = estimate_density(collection, text=text)  # type: ignore[arg-type]
    _print([*by_run.items(), (ALL_RUNS, total)], output_format)
    for run_id, density in by_run.items():
        if density.reason is not None and total.reason is None:
            echo(f"run {run_id}: {density.reason}", err=True)
    if total.reason is not None:
        hint = "; use all nuggetized text with --text all" if text == "irrelevant" and collection.nuggets else ""
        echo(f"The density cannot be estimated: {total.reason}{hint}.", error=True)
        raise click.exceptions.Exit(Code.INPUT)


def _print(rows: list[tuple[str, Density]], output_format: str) -> None:
    import msgspec

    from karat.reports.results import DataTable, ShownResult
    from karat.reports.results.tables import TextTable

    cells = [
        [
            run_id,
            f"{density.chars:,}",
            f"{density.nuggets:,}",
            "-" if density.density is None else f"{density.density:.2f}",
        ]
        for run_id, density in rows
    ]
    columns = ["run", "characters", "nuggets", "characters per nug"]
    data = [{"run_id": run_id, **msgspec.structs.asdict(density)} for run_id, density in rows]
    shown = ShownResult(
        parts=lambda width: [TextTable(columns, cells, right=columns[1:])],
        tables=lambda: [DataTable.of("density", data)],
    )
    print_result(shown, output_format)
