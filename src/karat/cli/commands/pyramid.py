"""karat pyramid"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output, output_format, print_result


@click.command("pyramid")
@input_files(metavar="VOTES...")
@from_format
@on_error
@output
@output_format()
def command(
    files: tuple[str, ...], from_format: str | None, on_error: str, output: str, output_format: str
) -> None:  # fmt: skip
    """Weight nugs by the votes of assessors.

    A nug's weight is its number of votes for vital divided by the largest such number in its query (Lin &
    Demner-Fushman 2006, Dang & Lin 2007). Votes may be graded from 0 to 1; an assessor who votes on two occasions
    counts twice. Votes without a key give weights, too, of nugs without descriptions. With --format jsonl, and with -o
    FILE (unless it ends in .md, .json or .tex), the result is the key with weights, which `karat score --measures
    pyramid_F3` can read.

    \b
    Example:
      karat pyramid key.jsonl
      karat pyramid key.jsonl votes.jsonl -o pyramid.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.evaluate.keys.pyramid import pyramid_of
    from karat.formats import write
    from karat.formats.io.sink import open_sink
    from karat.reports.results import show

    pyramid = pyramid_of(read_collection(files, from_format, on_error))
    if output != "-" and output_format not in ("markdown", "json", "latex"):
        write(pyramid.records(), output)
        say_notes(pyramid.notes)
    elif output != "-":
        with open_sink(output) as sink:
            sink.write(show(pyramid).written(output_format))
        say_notes(pyramid.notes)
    else:
        print_result(pyramid, output_format)
