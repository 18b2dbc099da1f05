"""karat compare"""

from __future__ import annotations

from typing import Any

import click

from karat.cli.codes import Code
from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import spreading
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import (
    from_format,
    idf_file,
    input_files,
    labelled_at_random,
    labels_name,
    less_is_better,
    on_error,
    scoring_options,
)
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo
from karat.cli.selection import selection


@click.command("compare")
@input_files()
@from_format
@selection
@scoring_options
@less_is_better
@labels_name
@labelled_at_random
@idf_file
@click.option("--baseline", metavar="RUN", help="Compare every run with this run only.")
@click.option(
    "--fail-if-worse", is_flag=True,
    help="Exit with code 1 if a run is significantly worse than the baseline (one-sided tests, corrected for the "
    "number of runs and of measures), with code 4 if a run could not be tested; for continuous integration. That no "
    "loss was found does not show that there is none: see --max-loss.",
)  # fmt: skip
@click.option(
    "--max-loss", type=click.FloatRange(min=0, min_open=True), metavar="D",
    help="Exit with code 1 if a run is worse than the baseline and a loss of D is not ruled out, with code 4 if that "
    "is not ruled out for another run: each must be shown to be not worse by D or more (non-inferiority: one-sided "
    "95 % limits for all runs together).",
)  # fmt: skip
@click.option(
    "--equivalent", type=click.FloatRange(min=0, min_open=True), metavar="D",
    help="Say of each pair whether it is shown that the two runs differ by less than D (two one-sided tests).",
)  # fmt: skip
@click.option("--tukey", is_flag=True, help="Also print the groups of Tukey's HSD.")
@click.option(
    "--nugs", type=click.IntRange(min=0), default=5, show_default=True,
    help="How many gained nugs, and how many lost nugs, to show per run.",
)  # fmt: skip
@spreading
@llm_options
@no_cache
@on_error
@output_format()
@click.pass_context
@prints_result
def command(
    ctx: click.Context, files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None,
    average: str, seed: int, jobs: int, rules: Any, less_is_better: str | None, labels: str | None,
    labelled_at_random: bool, idf: str | None, baseline: str | None, fail_if_worse: bool, max_loss: float | None,
    equivalent: float | None,
    tukey: bool, nugs: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Show which differences between runs are real.

    Give a key and judgements as for `karat score`, or scores per query (`karat score --by query --format jsonl`). For
    each pair of runs it prints the difference with its 95 % interval; where there are several pairs, the interval that
    holds for all of them together, where there is one; the effect size (difference / its standard deviation over
    queries); and the p-value, corrected for the number of pairs. --format tsv and jsonl also have the p-values of each
    pair by itself (permutation and t test). Then come the two-way analysis of variance, and which nugs each run gained
    or lost against the baseline (or the best run). Without --measures, one measure is compared.
    NAME=FILE gives the run of a file the name NAME: two versions of one system often have the same run id.

    \b
    Example:
      karat compare key.jsonl judgements.jsonl --measures strict_vital
      karat compare old=monday.jsonl new=tuesday.jsonl --baseline old
      karat compare scores.jsonl --baseline main --fail-if-worse
      karat compare scores.jsonl --baseline main --max-loss 0.05
    """
    from karat.cli.inputs import read_idf, read_judged
    from karat.evaluate.compare.losses import checked_losses
    from karat.evaluate.compare.powered import compare_judged

    if (fail_if_worse or max_loss is not None) and baseline is None:
        raise click.UsageError("--fail-if-worse and --max-loss need --baseline RUN.")
    judged = read_judged(
        files,
        from_format,
        on_error,
        only_scores=True,
        judge=rules["judge"],
        labels=labels,
        labelled_at_random=labelled_at_random,
        jobs=jobs,
        idf=idf,
    )
    comparison = compare_judged(
        judged, labels=labels, labelled_at_random=labelled_at_random, idf=read_idf(idf, judged.collection),
        measures=measures, beta=beta, average=average,
        seed=seed, baseline=baseline, alternative="less" if fail_if_worse else "two-sided", max_loss=max_loss,
        equivalent=equivalent, less_is_better=less_is_better, **rules,
    )  # fmt: skip
    print_result(comparison, output_format, nugs=nugs, tukey=tukey)
    if fail_if_worse or max_loss is not None:
        found = checked_losses(comparison, significant=fail_if_worse)
        for line in found.lines:
            echo(line, err=True, error=found.failed)
        if found.failed:
            ctx.exit(Code.FINDING if found.worse else Code.UNDECIDED)
