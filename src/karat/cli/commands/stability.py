"""karat stability"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from karat.cli.options import from_format, input_files, on_error, scoring_options
from karat.cli.outputs import output_format, print_parts, prints_result


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Whole numbers with commas between."""
    if value is None:
        return None
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not whole numbers with commas between, such as 5,10,25") from None


@click.command("stability", short_help="Tell how far rankings can be trusted.")
@input_files()
@from_format
@click.option("--sizes", metavar="N,...", callback=_numbers, help="Numbers of queries to draw; by default quarters.")
@click.option(
    "--panels", metavar="N,...", callback=_numbers,
    help="Numbers of assessors to draw, for measures that hang on their votes; by default quarters.",
)  # fmt: skip
@click.option(
    "--trials", metavar="N", type=click.IntRange(min=1), default=100, show_default=True, help="How often to draw."
)
@scoring_options
@on_error
@output_format("table", "tsv", "jsonl")
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, sizes: tuple[int, ...] | None, panels: tuple[int, ...] | None,
    trials: int, measures: str | None, beta: float | None, average: str, seed: int, rules: Any, on_error: str,
    output_format: str,
) -> None:  # fmt: skip
    """Tell how far rankings can be trusted.

    Queries are drawn at random: how many pairs of runs are swapped between two sets without a common query, how many
    pairs a paired t test tells apart (after Holm's correction), and how reliable differences are expected to be, by the
    number of queries. With the votes of
    several assessors and a measure that hangs on them (pyramid_F3, macro_F3), the same by the number of assessors. What
    part of the variance comes from runs, queries and assessors. And whether a run that did not help to build the key
    would be at a disadvantage: each run scored without the nugs that it alone (or its group alone) found.

    \b
    Example:
      karat stability key.jsonl judgements.jsonl --measures strict_vital --sizes 5,10,25
      karat stability key.jsonl judgements.jsonl runs.jsonl --measures pyramid_F3,macro_F3 --format jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.evaluate.plan.stability import stability_collection
    from karat.model import encode_record
    from karat.report.plan import stability_scores, stability_tables, stability_tsv

    found = stability_collection(
        read_collection(files, from_format, on_error), sizes=sizes, panels=panels, trials=trials, seed=seed,
        measures=measures, beta=beta, average=average, **rules, track=_track,  # type: ignore[arg-type]
    )  # fmt: skip
    if output_format == "jsonl":
        for one in stability_scores(found):
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(stability_tsv(found), nl=False)
    else:
        print_parts(stability_tables(found))
    say_notes(found.notes)
    for measured in found.measures:
        click.echo(f"signature: {measured.signature}", err=True)


def _track(items: Sequence[Any], what: str) -> Iterable[Any]:
    """A progress bar on stderr, where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return items
    return _with_bar(items, what)


def _with_bar(items: Sequence[Any], what: str) -> Iterator[Any]:
    with click.progressbar(items, label=what, file=sys.stderr) as bar:
        yield from bar
