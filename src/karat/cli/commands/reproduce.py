"""karat reproduce"""

from __future__ import annotations

from pathlib import Path

import click

from karat.cli.codes import Code
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option("--data", metavar="FILE", type=click.Path(), help="A published data file that some figures need.")
@click.option(
    "--copy",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    help="Also copy the files to this directory, so that you can try other commands.",
)
@output_format()
@click.pass_context
@prints_result
def command(
    ctx: click.Context, paper: str | None, data: str | None, copy: Path | None, output_format: str
) -> None:  # fmt: skip
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
    from karat.reports.results.lists import list_result
    from karat.reports.validate import reproduction_result

    if paper is None:
        papers = [{"paper": name, "figures": figures} for name, figures in PAPERS.items()]
        print_result(list_result({"papers": papers}), output_format)
        return
    reproduction = reproduce(paper, data=data)
    if copy is not None:
        _copy(paper, copy)
    if copy is None and reproduction.commands:
        echo(f"to compute it yourself, after `karat reproduce {paper} --copy .`:", err=True)
    for line in reproduction.commands:
        echo(f"  {line}", err=True)
    print_result(reproduction_result(reproduction), output_format)
    if reproduction.differing:
        ctx.exit(Code.FINDING)


def _copy(paper: str, folder: Path) -> None:
    from importlib.resources import files

    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{paper}.jsonl"
    content = (files("karat.evaluate.reproduce") / target.name).read_bytes()
    if target.exists() and target.read_bytes() != content:
        raise click.UsageError(f"{target} already exists and is different; name another directory.")
    target.write_bytes(content)
    echo(f"The example is in {target}.", err=True)
