"""karat pyramid"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output, output_format

WIDTH = 80


@click.command("pyramid", short_help="Weigh nugs by the votes of assessors.")
@input_files(metavar="VOTES...")
@from_format
@on_error
@output
@output_format("table", "tsv", "jsonl")
def command(
    files: tuple[str, ...], from_format: str | None, on_error: str, output: str, output_format: str
) -> None:  # fmt: skip
    """Weigh nugs by the votes of assessors.

    A nug's weight is the number of votes for vital divided by the largest such number of its query (Lin &
    Demner-Fushman 2006, Dang & Lin 2007). Votes may be graded from 0 to 1; who votes on two occasions counts twice.
    As jsonl (always so where -o names a file) it is the key with weights, which `karat score --measures pyramid_F3`
    takes.

    \b
    Example:
      karat pyramid key.jsonl
      karat pyramid key.jsonl votes.jsonl -o pyramid.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.evaluate.pyramid import pyramid_of
    from karat.formats import write
    from karat.model import encode_record
    from karat.report.tables import print_table

    found = pyramid_of(read_collection(files, from_format, on_error))
    records = [one.record() for one in found.weights]
    rows = [
        [
            one.nug.query_id,
            one.nug.nug_id,
            f"{one.votes:g}",
            str(one.raters),
            _weight(one.weight),
            _text(one.nug.descriptions),
        ]
        for one in found.weights
    ]
    columns = ["query", "nug", "votes", "of", "weight", "description"]
    if output != "-":
        write(records, output)
    elif output_format == "jsonl":
        for record in records:
            click.echo(encode_record(record).decode())
    elif output_format == "tsv":
        click.echo("\n".join("\t".join(row) for row in [["query_id", "nug_id", *columns[2:]], *rows]))
    else:
        print_table(columns, [[*row[:5], _cut(row[5])] for row in rows], right=columns[2:5])
    say_notes(found.notes)


def _weight(weight: float | None) -> str:
    return "" if weight is None else f"{weight:.3f}"


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _text(descriptions: tuple[str, ...]) -> str:
    return " ".join(" / ".join(descriptions).split())
