"""karat stability"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import spreading
from karat.cli.options import from_format, input_files, on_error, scoring_options
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selection


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Whole numbers, separated by commas."""
    if value is None:
        return None
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers such as 5,10,25") from None


@click.command("stability")
@input_files()
@from_format
@selection
@click.option(
    "--sizes",
    metavar="N,...",
    callback=_numbers,
    help="Numbers of queries to draw; by default a quarter, half, three quarters and all.",
)
@click.option(
    "--panels", metavar="N,...", callback=_numbers,
    help="Numbers of assessors to draw, for measures that depend on votes; by default a quarter, half, three quarters "
    "and all.",
)  # fmt: skip
@click.option(
    "--trials", metavar="N", type=click.IntRange(min=1), default=100, show_default=True, help="How many times to draw."
)
@scoring_options
@spreading
@no_cache
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, sizes: tuple[int, ...] | None, panels: tuple[int, ...] | None,
    trials: int, measures: str | None, beta: float | None, average: str, seed: int, jobs: int, rules: Any,
    on_error: str,    output_format: str,
) -> None:  # fmt: skip
    """Measure how stable the ranking of runs is.

    Queries are drawn at random, in several numbers. For each number it prints how many pairs of runs have the opposite
    order on other queries, how many pairs differ significantly (paired t test, Holm's correction), and the expected
    reliability of differences. If several assessors voted and the measure depends on votes (pyramid_F3, macro_F3), it
    prints the same for numbers of assessors. Then it prints how much of the variance comes from runs, queries and
    assessors. Last, it checks whether a run that did not help to build the key would be at a disadvantage: each run is
    scored without the nugs that only it (or only its group) found. Where --judge names a program it judges first; its
    expected scores are used, and its error is in none of the figures.

    \b
    Example:
      karat stability key.jsonl judgements.jsonl --measures strict_vital --sizes 5,10,25
      karat stability key.jsonl judgements.jsonl runs.jsonl --measures pyramid_F3,macro_F3 --format jsonl
    """
    from karat.cli.inputs import read_judged
    from karat.evaluate.plan.stability import stability_collection

    judged = read_judged(files, from_format, on_error, judge=rules["judge"], labels=None, jobs=jobs, only_scores=True)
    stability = stability_collection(
        judged.collection, sizes=sizes, panels=panels, trials=trials, seed=seed,
        measures=measures, beta=beta, average=average,  # type: ignore[arg-type]
        **{**rules, "judge": judged.judge}, track=_track,
    )  # fmt: skip
    print_result(stability, output_format)


def _track(items: Sequence[Any], what: str) -> Iterable[Any]:
    """A progress bar on stderr, if that is a terminal."""
    from karat.cli.progress import counted

    return counted(what, items, total=len(items), fewest=2)
