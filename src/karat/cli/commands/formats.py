"""karat formats"""

from __future__ import annotations

import click

from karat.cli.options import complete_format
from karat.cli.outputs import output_format


@click.command("formats", short_help="List the file formats that Karat reads and writes.")
@click.argument("name", required=False, shell_complete=complete_format)
@output_format("table", "jsonl")
def command(name: str | None, output_format: str) -> None:
    """List the file formats that Karat reads and writes.

    With NAME, tell what files of that format look like and how they map to Karat's nouns.

    \b
    Example:
      karat formats
      karat formats csv
    """
    import msgspec

    from karat.formats import all_formats, get_format
    from karat.formats.registry import DATASET_NAMES, about_format
    from karat.report.tables import print_table

    if name is not None:
        click.echo(about_format(get_format(name)))
        return
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
