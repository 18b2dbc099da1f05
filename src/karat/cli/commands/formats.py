"""karat formats"""

from __future__ import annotations

import click

from karat.cli.options import complete_format
from karat.cli.outputs import output_format
from karat.cli.printing import echo


@click.command("formats")
@click.argument("name", required=False, shell_complete=complete_format)
@output_format("table", "jsonl")
def command(name: str | None, output_format: str) -> None:
    """List the file formats that Karat reads and writes.

    With NAME, print what files of that format look like and which records Karat makes of them.

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
        echo(about_format(get_format(name)))
        return
    if output_format == "jsonl":
        for format in all_formats():
            row = {"format": format.name, "title": format.title, "writes": format.write is not None}
            echo(msgspec.json.encode(row).decode())
        return
    rows: dict[str, list[list[str]]] = {"format": [], "data set": []}
    for format in all_formats():
        kind = "data set" if format.name in DATASET_NAMES else "format"
        rows[kind].append([format.name, "read, write" if format.write else "read", format.title])
    for kind, listed in rows.items():
        print_table([kind, "Karat can", "description"], listed)
