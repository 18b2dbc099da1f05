"""karat pyramid"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output, output_format
from karat.cli.printing import echo


@click.command("pyramid")
@input_files(metavar="VOTES...")
@from_format
@on_error
@output
@output_format("table", "tsv", "jsonl")
def command(
    files: tuple[str, ...], from_format: str | None, on_error: str, output: str, output_format: str
) -> None:  # fmt: skip
    """Weight nugs by the votes of assessors.

    A nug's weight is its number of votes for vital divided by the largest such number in its query (Lin &
    Demner-Fushman 2006, Dang & Lin 2007). Votes may be graded from 0 to 1; an assessor who votes on two occasions
    counts twice. Votes without a key give weights, too, of nugs without descriptions. With --format jsonl, and always
    with -o FILE, the result is the key with weights, which
    `karat score --measures pyramid_F3` can read.

    \b
    Example:
      karat pyramid key.jsonl
      karat pyramid key.jsonl votes.jsonl -o pyramid.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.evaluate.keys.pyramid import pyramid_of
    from karat.formats import write
    from karat.model import encode_record
    from karat.report.keys.pyramid import pyramid_table, pyramid_tsv

    pyramid = pyramid_of(read_collection(files, from_format, on_error))
    records = pyramid.records()
    if output != "-":
        write(records, output)
    elif output_format == "jsonl":
        for record in records:
            echo(encode_record(record).decode())
    elif output_format == "tsv":
        echo(pyramid_tsv(pyramid), nl=False)
    else:
        pyramid_table(pyramid).print()
    say_notes(pyramid.notes)
