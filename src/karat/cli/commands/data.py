"""karat data"""

from __future__ import annotations

import os
from pathlib import Path

import click

from karat.cli.outputs import output_format


@click.command("data", short_help="List public collections that Karat can read.")
@click.argument("name", required=False)
@output_format("table", "jsonl")
def command(name: str | None, output_format: str) -> None:
    """List public collections that Karat can read.

    Where each is published, its licence, and whether it is found: put each in a folder of the name shown, all under
    one folder, and let the environment variable KARAT_DATA name that. With NAME (a folder's name, or a part of it),
    tell how to get that one and which of its files are here.

    \b
    Example:
      karat data
      KARAT_DATA=~/data karat data trec-rag-2024
    """
    import msgspec

    from karat.formats.datasets.catalog import public_collections
    from karat.model import UsageError

    data = Path(os.environ["KARAT_DATA"]).expanduser() if os.environ.get("KARAT_DATA") else None
    if data is not None and not data.is_dir():
        raise UsageError(f"KARAT_DATA names {data}, and there is no such folder")
    collections = public_collections()
    if name is not None:
        wanted = name.lower()
        collections = [one for one in collections if wanted in one.folder or wanted in one.name.lower()]
        if not collections:
            raise UsageError(f"no collection is called {name!r}; `karat data` lists them")
    rows = [(one, one.paths(data) if data is not None else []) for one in collections]
    if output_format == "jsonl":
        for one, paths in rows:
            row = msgspec.to_builtins(one) | {"found": [str(path) for path, _ in paths]}
            click.echo(msgspec.json.encode(row).decode())
        return
    if name is None:
        for one, paths in rows:
            here = f"{len(paths)} here" if paths else "not here"
            click.echo(f"{one.folder} ({here}): {one.name}")
            for line in (one.holds, one.published, f"licence: {one.licence}"):
                click.echo(f"    {line}")
    else:
        for one, paths in rows:
            click.echo(f"{one.name}: {one.holds}\n  licence: {one.licence}\n  published: {one.published}")
            click.echo(f"  to get it: download it from there and put its files into $KARAT_DATA/{one.folder}, so that")
            for pattern, format in one.files.items():
                click.echo(f"    {one.folder}/{'' if pattern == '.' else pattern} can be read as {format}")
            for path, format in paths:
                click.echo(f"  here: {path} ({format})")
    if data is None:
        click.echo("KARAT_DATA is not set, so nothing was looked for.", err=True)
    else:
        found = sum(bool(paths) for _, paths in rows)
        click.echo(f"{found} of {len(rows)} found under {data}.", err=True)
