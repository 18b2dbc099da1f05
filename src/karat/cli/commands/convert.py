"""karat convert"""

from __future__ import annotations

import click

from karat.cli.codes import Code
from karat.cli.options import from_format, input_files, on_error, shard_size, to_format
from karat.cli.outputs import output
from karat.cli.printing import echo
from karat.cli.selection import Matching, selection


@click.command("convert")
@input_files(metavar="IN...")
@output
@to_format
@shard_size
@from_format
@selection
@click.option("--strict", is_flag=True, help="Write nothing if anything would be lost in the target format.")
@click.option(
    "--raw-cells",
    is_flag=True,
    help="In CSV, write cells that begin with =, +, - or @ as they are.",
)
@on_error
def command(
    files: tuple[str, ...], output: str, to_format: str | None, shards: str | None, from_format: str | None,
    strict: bool, raw_cells: bool, on_error: str,
) -> None:  # fmt: skip
    """Convert files to another format.

    Several files that belong together (a key, its judgements, the runs) are read as one collection. What the target
    format cannot hold is left out and reported on stderr; with --strict nothing is written then. Files whose names end
    in `.gz` are (de)compressed, and `-` is standard input or output. An output that ends in `/` is a folder of shards
    with a manifest: compressed JSONL, or Parquet with --to parquet.

    \b
    Example:
      karat convert key.jsonl answers.jsonl -o all.jsonl.gz
      karat convert judgements.jsonl --to parquet -o judgements/
      karat convert trec12answers_definition --to nuggetizer-bank -o bank.jsonl
    """
    from karat.cli.messages import say_noted, say_skipped
    from karat.formats import open_inputs
    from karat.formats.outputs.writing import LOSSLESS, LossRefused, format_by_name, writable_format, write
    from karat.measures.cases.saved_fields import each_unfolded

    to_format = writable_format(to_format or format_by_name(output)).name
    inputs = open_inputs(*files, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    try:
        # Only Karat's own files can hold several judgements in one line.
        chosen = matching.kept(inputs) if (matching := Matching()) else inputs
        records = chosen if to_format in LOSSLESS else each_unfolded(chosen)
        losses = write(records, output, format=to_format, strict=strict, raw_cells=raw_cells, shards=shards)
    except LossRefused as error:
        echo(f"{error}\nNothing was written.", error=True)
        raise click.exceptions.Exit(Code.FINDING) from None
    say_noted(inputs.warnings)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    if losses:
        echo(f"left out, because {to_format} cannot hold it:", err=True)
        for line in losses.lines():
            echo(f"  {line}", err=True)
