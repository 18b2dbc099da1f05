"""karat reproduce"""

from __future__ import annotations

from pathlib import Path

import click


@click.command("reproduce", short_help="Print a paper's figures beside Karat's.")
@click.argument("paper", required=False)
@click.option("--data", metavar="FILE", type=click.Path(), help="A released file that some figures need.")
@click.option(
    "--copy", metavar="DIRECTORY", type=click.Path(path_type=Path), help="Also copy the paper's example there."
)
@click.pass_context
def command(ctx: click.Context, paper: str | None, data: str | None, copy: Path | None) -> None:
    """Print a paper's figures beside Karat's.

    Without a name: the papers. The worked examples come with Karat as JSONL, in words of our own. Exit code 1 if a
    figure differs without a known reason.

    \b
    Example:
      karat reproduce white2008
      karat reproduce dang2007 --data trec15answers_other_pyramid
    """
    from karat.evaluate.reproduce import PAPERS, reproduce
    from karat.report.reproduce import reproduction_tables
    from karat.report.tables import print_table

    if paper is None:
        print_table(["paper", "what"], [list(row) for row in PAPERS.items()])
        return
    found = reproduce(paper, data=data)
    if copy is not None:
        _copy(paper, copy)
    for table in reproduction_tables(found):
        table.print()
    if copy is None and found.commands:
        click.echo(f"by hand, after `karat reproduce {paper} --copy .`:", err=True)
    for line in found.commands:
        click.echo(f"  {line}", err=True)
    for note in found.notes:
        click.echo(note, err=True)
    same = sum(one.same for one in found.figures)
    explained = len(found.figures) - same - len(found.differing)
    known = f", {explained} differ for a known reason" if explained else ""
    click.echo(f"{same} of {len(found.figures)} figures are the same{known}.", err=True)
    if found.differing:
        ctx.exit(1)


def _copy(paper: str, folder: Path) -> None:
    from importlib.resources import files

    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{paper}.jsonl"
    content = (files("karat.evaluate.reproduce") / target.name).read_bytes()
    if target.exists() and target.read_bytes() != content:
        raise click.UsageError(f"{target} is there and differs; name another directory.")
    target.write_bytes(content)
    click.echo(f"The example is in {target}.", err=True)
