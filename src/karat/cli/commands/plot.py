"""karat plot"""

from __future__ import annotations

from typing import Any

import click

from karat.cli.commands.report import contents_options, gathered
from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import on_error
from karat.cli.outputs import output
from karat.cli.printing import echo


@click.command("plot")
@click.argument("kind")
@contents_options
@llm_options
@no_cache
@on_error
@output
@click.option(
    "--format", "output_format", type=click.Choice(["svg", "png", "json"]),
    help="SVG, PNG or the chart's Vega-Lite spec; by default what the name of the file says, and svg for standard "
    "output.",
)  # fmt: skip
def command(
    kind: str, files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None, average: str,
    seed: int, rules: Any, labels: str | None, labelled_at_random: bool, idf: str | None, jobs: int,
    baseline: str | None, less_is_better: str | None, on_error: str, output: str, output_format: str | None,
) -> None:  # fmt: skip
    """Draw one chart of the report, for a paper or a slide.

    KIND is leaderboard, differences, stability, calibration, judge-and-people, bland-altman, contingency, citations or
    pyramid.
    Give files as for `karat score`. The first of the measures is drawn. `karat report` has all charts on one page.

    \b
    Example:
      karat plot leaderboard key.jsonl judgements.jsonl -o scores.svg
      karat plot calibration key.jsonl judgements.jsonl runs.jsonl --judge lexical -o curve.png
    """
    from karat.reports.page.charts.drawing import altair
    from karat.reports.page.plot import check_kind, format_of, plot_of

    # Before the work: whoever named a wrong chart, or lacks the library, should not wait for scores first.
    check_kind(kind)
    chosen: Any = output_format or ("svg" if output == "-" else format_of(output))
    altair()
    contents = gathered(
        files, from_format, on_error, rules=rules, labels=labels, labelled_at_random=labelled_at_random, idf=idf,
        jobs=jobs, baseline=baseline, measures=measures, seed=seed, beta=beta, average=average,
        less_is_better=less_is_better,
    )  # fmt: skip
    drawn = plot_of(contents, kind)
    drawn.save(output, format=chosen)
    echo(drawn.label, err=True)
