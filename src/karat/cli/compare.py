"""karat compare"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error, output_format, prints_result, scoring_options


@click.command("compare", short_help="Tell which differences between runs are real.")
@input_files()
@from_format
@scoring_options
@click.option("--baseline", metavar="RUN", help="Compare every run with this one alone.")
@click.option(
    "--fail-if-worse", is_flag=True,
    help="Exit with 1 if a run is significantly worse than the baseline (one-sided tests), for continuous integration.",
)  # fmt: skip
@click.option("--tukey", is_flag=True, help="Also print the groups of Tukey's HSD.")
@click.option(
    "--nugs", type=click.IntRange(min=0), default=5, show_default=True,
    help="How many nugs gained and lost to show for each run.",
)  # fmt: skip
@on_error
@output_format("table", "tsv", "jsonl")
@click.pass_context
@prints_result
def command(
    ctx: click.Context, files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None,
    average: str, missing: str, seed: int, baseline: str | None, fail_if_worse: bool, tukey: bool, nugs: int,
    on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Tell which differences between runs are real.

    Give a key with judgements as for `karat score`, or scores by query (`karat score --by query --format jsonl`). For
    each pair of runs: the difference with its 95 % interval, the p-value of a paired permutation test, the same after
    Holm's correction, and that of a paired t test; then the two-way analysis of variance, and which nugs each run
    gained or lost against the baseline (or the best run). One measure is compared where none is named.

    \b
    Example:
      karat compare key.jsonl judgements.jsonl --measures strict_vital
      karat compare scores.jsonl --baseline main --fail-if-worse
    """
    from karat.cli.score import read_collection, say_notes
    from karat.evaluate.comparing import compare_collection
    from karat.model import encode_record
    from karat.report.comparison import comparison_scores, comparison_tsv, print_comparison

    if fail_if_worse and baseline is None:
        raise click.UsageError("--fail-if-worse needs --baseline RUN.")
    comparison = compare_collection(
        read_collection(files, from_format, on_error), measures=measures, beta=beta, average=average,  # type: ignore[arg-type]
        missing=missing, seed=seed, baseline=baseline, alternative="less" if fail_if_worse else "two-sided",  # type: ignore[arg-type]
    )  # fmt: skip
    if output_format == "jsonl":
        for one in comparison_scores(comparison):
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(comparison_tsv(comparison), nl=False)
    else:
        for line in print_comparison(comparison, nugs=nugs, tukey=tukey):
            click.echo(line, err=True)
    say_notes(comparison.notes)
    for compared in comparison.measures:
        click.echo(f"signature: {compared.signature}", err=True)
    if fail_if_worse:
        _verdict(ctx, comparison)


def _verdict(ctx: click.Context, comparison: object) -> None:
    from karat.evaluate.comparison import Comparison

    assert isinstance(comparison, Comparison)
    for one in comparison.regressions:
        click.echo(f"worse: {one.run_id} is {one.loss:.3f} worse than {one.versus} in {one.measure} "
                   f"(p {one.p_holm:.4f} after correction)", err=True)  # fmt: skip
    if comparison.regressions:
        ctx.exit(1)
    for one in (one for compared in comparison.measures for one in compared.differences if one.value is None):
        click.echo(f"undecided: {one.run_id} and {one.versus} have no query with {one.measure} in common", err=True)
    known = [one.detectable for compared in comparison.measures for one in compared.differences if one.detectable]
    power = f"; a true loss of {max(known):.3f} would show four times in five" if known else ""
    click.echo(f"not worse: no run is significantly below {comparison.baseline}{power}", err=True)
