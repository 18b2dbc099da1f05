"""karat compare"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import from_format, input_files, labels_name, on_error, scoring_options
from karat.cli.outputs import output_format, print_parts, prints_result

if TYPE_CHECKING:
    from karat.evaluate.compare.comparison import Comparison


@click.command("compare")
@input_files()
@from_format
@scoring_options
@labels_name
@click.option("--baseline", metavar="RUN", help="Compare every run with this run only.")
@click.option(
    "--fail-if-worse", is_flag=True,
    help="Exit with code 1 if a run is significantly worse than the baseline (one-sided tests); for continuous "
    "integration.",
)  # fmt: skip
@click.option(
    "--max-loss", type=click.FloatRange(min=0), metavar="X",
    help="Also exit with code 1 if a run is worse than the baseline by more than X, significant or not.",
)  # fmt: skip
@click.option("--tukey", is_flag=True, help="Also print the groups of Tukey's HSD.")
@click.option(
    "--nugs", type=click.IntRange(min=0), default=5, show_default=True,
    help="How many gained nugs, and how many lost nugs, to show per run.",
)  # fmt: skip
@on_error
@output_format("table", "tsv", "jsonl")
@click.pass_context
@prints_result
def command(
    ctx: click.Context, files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None,
    average: str, seed: int, rules: Any, labels: str | None, baseline: str | None, fail_if_worse: bool,
    max_loss: float | None, tukey: bool, nugs: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Show which differences between runs are real.

    Give a key and judgements as for `karat score`, or scores per query (`karat score --by query --format jsonl`). For
    each pair of runs it prints the difference with its 95 % interval, the p-value of a paired permutation test, and the
    p-value that is corrected for the number of pairs (--format tsv and jsonl also have the paired t test); then the
    two-way analysis of variance, and which nugs each run gained or lost against the baseline (or the best run). Without
    --measures, one measure is compared. NAME=FILE gives the run of a file the name NAME: two versions of one system
    often have the same run id.

    \b
    Example:
      karat compare key.jsonl judgements.jsonl --measures strict_vital
      karat compare old=monday.jsonl new=tuesday.jsonl --baseline old
      karat compare scores.jsonl --baseline main --fail-if-worse
    """
    from karat.cli.inputs import read_judged
    from karat.cli.messages import say_notes
    from karat.evaluate.compare.compare import compare_collection
    from karat.model import encode_record
    from karat.report.compare import comparison_scores, comparison_tables, comparison_tsv

    if (fail_if_worse or max_loss is not None) and baseline is None:
        raise click.UsageError("--fail-if-worse and --max-loss need --baseline RUN.")
    judged = read_judged(files, from_format, on_error, judge=rules["judge"], labels=labels)
    comparison = compare_collection(
        judged.collection, measures=measures, beta=beta, average=average,  # type: ignore[arg-type]
        seed=seed, baseline=baseline, alternative="less" if fail_if_worse else "two-sided",
        sigma=judged.sigma, run_sigma=judged.run_sigma, common=judged.common, **{**rules, "judge": judged.judge},
    )  # fmt: skip
    if output_format == "jsonl":
        for score in comparison_scores(comparison):
            click.echo(encode_record(score).decode())
    elif output_format == "tsv":
        click.echo(comparison_tsv(comparison), nl=False)
    else:
        print_parts(comparison_tables(comparison, nugs=nugs, tukey=tukey))
    say_notes(comparison.notes)
    for compared in comparison.measures:
        click.echo(f"signature: {compared.signature}", err=True)
    if fail_if_worse or max_loss is not None:
        _verdict(ctx, comparison, fail_if_worse, max_loss)


def _verdict(ctx: click.Context, comparison: Comparison, fail_if_worse: bool, max_loss: float | None) -> None:
    """Exit with 1 if a run is worse, and also if nothing could be decided: a check must not pass by default."""
    failures = []
    for compared in comparison.measures:
        for pair in compared.differences:
            if pair.value is None:
                failures.append(
                    f"undecided: {pair.run_id} and {pair.versus} have no query with {pair.measure} in common"
                )
            elif fail_if_worse and pair.worse:
                failures.append(
                    f"worse: {pair.run_id} is {pair.loss:.3f} worse than {pair.versus} in {pair.measure} "
                    f"(p = {pair.p_adjusted:.4f} after correction)"
                )
            elif max_loss is not None and pair.loss > max_loss:
                failures.append(f"worse: {pair.run_id} is {pair.loss:.3f} worse than {pair.versus} in {pair.measure}")
        if fail_if_worse and max_loss is None and compared.powerless:
            failures.append(f"undecided: {compared.powerless}; --max-loss X checks the difference without a test")
    for line in failures:
        click.echo(line, err=True)
    if failures:
        ctx.exit(1)
    losses = [pair.detectable for compared in comparison.measures for pair in compared.differences if pair.detectable]
    power = ""
    if fail_if_worse and losses:
        power = f"; a true loss of {max(losses):.3f} would be found four times in five"
        if max(losses) > 1:
            power = "; with so few queries even a loss of 1 would not be found four times in five"
    how = "significantly " if fail_if_worse else ""
    click.echo(f"not worse: no run is {how}worse than {comparison.baseline}{power}", err=True)
