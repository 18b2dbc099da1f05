"""karat demo"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.printing import echo

if TYPE_CHECKING:
    from karat.formats import Source

FILES = ("key.jsonl", "judgements.jsonl", "runs.jsonl")


@click.command("demo")
@click.option(
    "--copy",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    help="Also copy the files to this directory, so that you can try other commands.",
)
def command(copy: Path | None) -> None:
    """Score the small collection that comes with Karat.

    It has a key with the votes of three assessors, five runs (one of them by a person) with citations, and judgements.
    One line of the judgements is wrong on purpose: it is reported and left out, and the rest is scored.

    \b
    Example:
      karat demo --copy karat-demo
    """
    from importlib.resources import as_file, files

    from karat.cli.messages import say_skipped
    from karat.cli.outputs import print_scores
    from karat.evaluate.score.score import score_collection
    from karat.formats import open_inputs
    from karat.model import Collection, Record

    with as_file(files("karat.demo")) as folder:
        if copy is not None:
            copy.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                if (copy / name).exists() and (copy / name).read_bytes() != (folder / name).read_bytes():
                    raise click.UsageError(f"{copy / name} already exists and is different; name another directory.")
            for name in FILES:
                (copy / name).write_bytes((folder / name).read_bytes())
            echo(f"The files are in {copy.resolve()}.", err=True)
        sources = [_source(folder / name, name) for name in FILES]
        echo(f"karat score {' '.join(FILES)} --on-error skip", err=True)
        inputs = open_inputs(*sources, on_error="skip")
        collection = Collection(inputs)
        counts: dict[str, Sequence[Record]] = {
            "queries": collection.queries,
            "runs": collection.runs,
            "responses": collection.responses,
            "nugs": collection.nugs,
            "votes": collection.votes,
            "judgements": collection.judgements,
        }
        echo(f"Read {', '.join(f'{len(records)} {name}' for name, records in counts.items())}.", err=True)
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
        print_scores(score_collection(collection), "run", "table")
    first = "" if copy is not None else "`karat demo --copy DIRECTORY`, then "
    compare = "`karat compare key.jsonl judgements.jsonl --on-error skip`"
    echo(f"Next: {first}{compare} there (one line is broken on purpose).", err=True)


def _source(path: Path, name: str) -> Source:
    from karat.formats import Source as _Source

    return _Source(name, path.read_bytes())
