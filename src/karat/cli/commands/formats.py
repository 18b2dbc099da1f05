"""karat formats"""

from __future__ import annotations

import click

from karat.cli.options import complete_format
from karat.cli.outputs import output_format, print_result, prints_result


@click.command("formats")
@click.argument("name", required=False, shell_complete=complete_format)
@output_format()
@prints_result
def command(name: str | None, output_format: str) -> None:
    """List the file formats that Karat reads and writes.

    With NAME, print what files of that format look like and which records Karat makes of them.

    \b
    Example:
      karat formats
      karat formats csv
    """
    from karat.formats import all_formats, get_format
    from karat.formats.registry import DATASET_NAMES, about_format
    from karat.reports.results import DataTable, ShownResult
    from karat.reports.results.lists import text_result
    from karat.reports.results.tables import TextTable

    if name is not None:
        print_result(text_result("formats", name, about_format(get_format(name))), output_format)
        return
    shown: dict[str, list[list[str]]] = {"format": [], "data set": []}
    rows = []
    for format in all_formats():
        kind = "data set" if format.name in DATASET_NAMES else "format"
        shown[kind].append([format.name, "read, write" if format.write else "read", format.title])
        rows.append({"format": format.name, "title": format.title, "writes": format.write is not None, "kind": kind})
    result = ShownResult(
        parts=lambda width: [TextTable([kind, "Karat can", "description"], listed) for kind, listed in shown.items()],
        tables=lambda: [DataTable.of("formats", rows)],
    )
    print_result(result, output_format)
