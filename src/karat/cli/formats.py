"""karat formats"""

from __future__ import annotations

import click

from karat.cli.options import output_format


@click.command("formats", short_help="List the file formats that Karat reads and writes.")
@output_format("table", "jsonl")
def command(output_format: str) -> None:
    """List the file formats that Karat reads and writes.

    \b
    Example:
      karat formats
    """
    import msgspec

    from karat.formats import all_formats
    from karat.formats.registry import DATASET_NAMES
    from karat.report.tables import print_table

    found = all_formats()
    if output_format == "jsonl":
        for one in found:
            row = {"format": one.name, "title": one.title, "writes": one.write is not None}
            click.echo(msgspec.json.encode(row).decode())
        return
    rows = [[one.name, "read, write" if one.write else "read", one.title] for one in found]
    kinds = ["data set" if one.name in DATASET_NAMES else "format" for one in found]
    print_table(["name", "can", "what it is"], [r for r, k in zip(rows, kinds, strict=True) if k == "format"])
    print_table(["data set", "can", "what it is"], [r for r, k in zip(rows, kinds, strict=True) if k == "data set"])
