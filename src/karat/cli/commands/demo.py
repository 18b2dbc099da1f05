"""karat demo"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.printing import echo

if TYPE_CHECKING:
    from karat.formats import Source
    from karat.model import Collection, Problem

FILES = ("key.jsonl", "judgements.jsonl", "runs.jsonl")


@click.command("demo")
@click.option(
    "--copy",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    help="Also copy the files to this directory, so that you can try other commands.",
)
@click.option(
    "--report", metavar="FILE", help="Also write the report, one HTML file that shows everything, to this file."
)
def command(copy: Path | None, report: str | None) -> None:
    """Score the small collection that comes with Karat.

    It has a key with the votes of three assessors, five runs (one of them by a person) with citations, and judgements.
    One line of the judgements is wrong on purpose: it is reported and left out, and the rest is scored.

    \b
    Example:
      karat demo --copy karat-demo
      karat demo --report demo.html
    """
    from importlib.resources import as_file, files

    from karat.cli.messages import say_skipped
    from karat.cli.outputs import print_result
    from karat.evaluate.score.score import score_collection
    from karat.formats import open_inputs
    from karat.model import Collection as _Collection
    from karat.model import Record

    if report is not None:
        from karat.cli.outputs import check_output
        from karat.reports.page.page import load_libraries

        check_output(report, option="--report ")
        load_libraries()
    with as_file(files("karat.demo")) as folder:
        if copy is not None:
            copy.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                if (copy / name).exists() and (copy / name).read_bytes() != (folder / name).read_bytes():
                    raise click.UsageError(f"{copy / name} already exists and is different; name another directory.")
            for name in FILES:
                (copy / name).write_bytes((folder / name).read_bytes())
            echo(f"The files are in {copy}.", err=True)
        sources = [_source(folder / name, name) for name in FILES]
        echo(f"karat score {' '.join(FILES)} --on-error skip", err=True)
        inputs = open_inputs(*sources, on_error="skip")
        collection = _Collection(inputs)
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
        print_result(score_collection(collection), "table")
        if report is not None:
            _write_report(report, collection, inputs.problems, folder)
    first = "" if copy is not None else "`karat demo --copy DIRECTORY`, then "
    compare = "`karat compare key.jsonl judgements.jsonl --on-error skip`"
    if report is not None:
        echo(f"The report is in {report}: open it in a browser.", err=True)
    echo(f"Next: {first}{compare} there (one line is broken on purpose).", err=True)


def _write_report(output: str, collection: Collection, problems: Sequence[Problem], folder: Path) -> None:
    """The report of the demo, as `karat report` makes it of copies of its files."""
    from dataclasses import replace

    from karat.formats.io.sink import open_sink
    from karat.judges.judge import Judged
    from karat.reports.page.contents.gather import gather
    from karat.reports.page.contents.provenance import provenance_of
    from karat.reports.page.page import report_page
    from karat.reports.page.report import TITLE

    command = f"karat report {' '.join(FILES)} --on-error skip --made ''"
    found = provenance_of(command, [str(folder / name) for name in FILES], time="")
    # Where Karat is installed is of no use to a reader.
    named = replace(found, inputs=tuple(replace(file, name=Path(file.name).name) for file in found.inputs))
    contents = gather(Judged(collection, None), title=TITLE, provenance=named, judge=None, problems=problems)
    with open_sink(output) as sink:
        sink.write(report_page(contents))


def _source(path: Path, name: str) -> Source:
    from karat.formats import Source as _Source

    return _Source(name, path.read_bytes())
