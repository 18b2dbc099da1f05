"""karat data"""

from __future__ import annotations

import os
from pathlib import Path

import click

from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.command("data")
@click.argument("name", required=False)
@output_format()
@prints_result
def command(name: str | None, output_format: str) -> None:
    """List public collections that Karat can read.

    For each collection it prints where it is published, its licence, and whether it is here. Put each collection into
    a folder with the name shown, put these folders into one folder, and set the environment variable KARAT_DATA to that
    folder. With NAME (the name of a collection's folder, or a part of it), it prints how to get that collection and
    which of its files are here.

    \b
    Example:
      karat data
      KARAT_DATA=~/data karat data trec-rag-2024
    """
    import msgspec

    from karat.formats.datasets.catalog import public_collections
    from karat.model import UsageError
    from karat.reports.results.lists import list_result

    data = Path(os.environ["KARAT_DATA"]).expanduser() if os.environ.get("KARAT_DATA") else None
    if data is not None and not data.is_dir():
        raise UsageError(f"KARAT_DATA is set to {data}, but there is no such folder")
    collections = public_collections()
    if name is not None:
        wanted = name.lower()
        collections = [each for each in collections if wanted in each.folder or wanted in each.name.lower()]
        if not collections:
            raise UsageError(f"no collection is called {name!r}; `karat data` lists all collections")
    rows = [(each, each.paths(data) if data is not None else []) for each in collections]
    if output_format != "table":
        listed = [msgspec.to_builtins(each) | {"found": [str(path) for path, _ in paths]} for each, paths in rows]
        print_result(list_result({"collections": listed}), output_format)
        if output_format == "jsonl":
            return
    elif name is None:
        for collection, paths in rows:
            here = f"{len(paths)} here" if paths else "not here"
            echo(f"{collection.folder} ({here}): {collection.name}")
            for line in (collection.holds, collection.published, f"licence: {collection.licence}"):
                echo(f"    {line}")
    else:
        for collection, paths in rows:
            echo(f"{collection.name}: {collection.holds}")
            echo(f"  licence: {collection.licence}\n  published: {collection.published}")
            echo(f"  to get it: download it from there and put its files into $KARAT_DATA/{collection.folder}, so that")
            for pattern, format in collection.files.items():
                echo(f"    {collection.folder}/{'' if pattern == '.' else pattern} can be read as {format}")
            for path, format in paths:
                echo(f"  here: {path} ({format})")
    if data is None:
        echo("KARAT_DATA is not set, so no files were searched for.", err=True)
    else:
        present = sum(bool(paths) for _, paths in rows)
        echo(f"{present} of {len(rows)} collections are in {data}.", err=True)
