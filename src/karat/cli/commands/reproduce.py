"""karat reproduce"""

from __future__ import annotations

from pathlib import Path

import click

from karat.cli.printing import echo


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option("--data", metavar="FILE", type=click.Path(), help="A published data file that some figures need.")
@click.option(
    "--copy",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    help="Also copy the paper's example to this directory.",
)
@click.pass_context
def command(ctx: click.Context, paper: str | None, data: str | None, copy: Path | None) -> None:
    """Print a paper's figures beside Karat's.

    Without PAPER, it lists the papers. Their worked examples come with Karat as JSONL files, in our own words. The exit
    code is 1 if a figure differs without a known reason.

    \b
    Example:
      karat reproduce white2008
      karat reproduce dang2007 --data trec15answers_other_pyramid
      karat reproduce marton2006 --data trec14answers_other
    """
    from karat.evaluate.reproduce import PAPERS, reproduce
    from karat.report.tables import print_table
    from karat.report.validate import reproduction_tables

    if paper is None:
        print_table(["paper", "figures"], [list(row) for row in PAPERS.items()])
        return
    reproduction = reproduce(paper, data=data)
    if copy is not None:
        _copy(paper, copy)
    for table in reproduction_tables(reproduction):
        table.print()
    if copy is None and reproduction.commands:
        echo(f"to compute it yourself, after `karat reproduce {paper} --copy .`:", err=True)
    for line in reproduction.commands:
        echo(f"  {line}", err=True)
    for note in reproduction.notes:
        echo(note, err=True)
    same = sum(figure.same for figure in reproduction.figures)
    explained = len(reproduction.figures) - same - len(reproduction.differing)
    known = f", {explained} differ for a known reason" if explained else ""
    echo(f"{same} of {len(reproduction.figures)} figures are the same{known}.", err=True)
    if reproduction.differing:
        ctx.exit(1)


def _copy(paper: str, folder: Path) -> None:
    from importlib.resources import files

    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{paper}.jsonl"
    content = (files("karat.evaluate.reproduce") / target.name).read_bytes()
    if target.exists() and target.read_bytes() != content:
        raise click.UsageError(f"{target} already exists and is different; name another directory.")
    target.write_bytes(content)
    echo(f"The example is in {target}.", err=True)
