"""karat show"""

from __future__ import annotations

import click

from karat.cli.codes import Code
from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import binary_output, output_format, print_result, prints_result
from karat.cli.printing import echo
from karat.cli.selection import Matching, selection


@click.command("show")
@input_files()
@from_format
@selection
@click.option(
    "-n",
    "--records",
    default=3,
    show_default=True,
    type=click.IntRange(0),
    help="How many records of each kind to show.",
)
@output_format()
@on_error
@prints_result
def command(files: tuple[str, ...], from_format: str | None, records: int, output_format: str, on_error: str) -> None:
    """Show what is in a file.

    It prints the format, the number of records of each kind, and the first records. With --format jsonl it prints all
    records, as Karat's own JSON; with json, what is in each file, as one object.

    \b
    Example:
      karat show answers.jsonl.gz
      karat show key.txt --format jsonl | head
    """
    from karat.cli.messages import say_noted, say_problems
    from karat.evaluate.lint.show import summarize
    from karat.formats.inputs.reading import open_readings
    from karat.reports.show import summaries_result, summary_tables

    readings = [each for file in files for each in open_readings(file, format=from_format, on_error="skip")]
    bad = False
    matching = Matching()
    summaries = []
    for reading in readings:
        if output_format == "jsonl":
            from karat.model import encode_record

            out = binary_output()
            for record in filter(matching, reading):
                out.write(encode_record(record) + b"\n")
            out.flush()
        else:
            summaries.append(summarize(reading, samples=records, keep=matching if matching else None))
        if output_format == "table":
            for part in summary_tables(summaries[-1]):
                echo(part) if isinstance(part, str) else part.print()
        say_noted(reading.source.warnings)
        if reading.source.problems:
            say_problems(reading.source.problems, unlisted=reading.source.unlisted)
            bad = True
    matching.check()
    if output_format not in ("table", "jsonl"):
        print_result(summaries_result(summaries), output_format)
    if bad and on_error == "stop":
        raise click.exceptions.Exit(Code.INPUT)
