"""karat schema"""

from __future__ import annotations

import click

from karat.cli.outputs import output


@click.command("schema")
@output
def command(output: str) -> None:
    """Print the JSON Schema of Karat's own records.

    Every line of a Karat JSONL file is one of these records.

    \b
    Example:
      karat schema -o karat.schema.json
    """
    from karat.formats.io.sink import open_sink
    from karat.formats.karat.schema import record_schema

    with open_sink(output) as sink:
        sink.json_document(record_schema())
