"""karat nuggets-compare"""

from __future__ import annotations

import click

from karat.cli.options import from_format, on_error
from karat.cli.outputs import output_format, prints_result


@click.command("nuggets-compare", short_help="Compare automatic nuggets with people's.")
@click.argument("auto", type=click.Path())
@click.argument("gold", type=click.Path())
@from_format
@click.option(
    "--match", metavar="overlap|jaccard:X", default="overlap", show_default=True,
    help="Nuggets of one type match if they share a letter or digit (EVT and STM: in their anchors, where both have "
    "one), or if the Jaccard coefficient of their characters is X at least.",
)  # fmt: skip
@click.option(
    "--by", metavar="FIELD,...",
    help="Also for each value of this field of the rows or of the queries' conditions, or for each `run` or `query`; "
    "several are crossed.",
)  # fmt: skip
@click.option(
    "--missing", type=click.Choice(["error", "zero", "skip"]), default="error", show_default=True,
    help="What a snippet of one file alone is: an error, one without nuggets in the other, or left out.",
)  # fmt: skip
@click.option(
    "--assessor", metavar="NAME", help="Whose nuggets count, where the gold file has those of several people."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap.")
@on_error
@output_format("table", "jsonl")
@prints_result
def command(
    auto: str, gold: str, from_format: str | None, match: str, by: str | None, missing: str, assessor: str | None,
    seed: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Compare automatic nuggets with people's.

    Give two files with nuggets of the same snippets (`karat nuggetize` writes one; Karat's own records do, too), or one
    file twice that holds both. Snippets are the same by query, run and id, or else by their text.

    First the counts: gold and automatic nuggets and the difference as a share of gold, above zero where the program
    makes too few; then the difference a snippet, its 95 % interval and the p-value of a mean of zero (paired t). Below,
    nuggets of one type are matched one to one: precision, recall and F1 over all snippets, with 95 % bootstrap
    intervals. Each for all nuggets, by --by, and by type.

    \b
    Example:
      karat nuggets-compare auto.jsonl gold.jsonl
      karat nuggets-compare auto.jsonl gold.jsonl --by style --match jaccard:0.8 --format jsonl
    """
    import msgspec

    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.evaluate.nuggets.compare import compare_nuggets
    from karat.report.nuggets import nugget_comparison_rows, print_nugget_comparisons

    comparisons = compare_nuggets(
        read_collection((auto,), from_format, on_error), read_collection((gold,), from_format, on_error),
        match=match, by=by, missing=missing, assessor=assessor, seed=seed,  # type: ignore[arg-type]
    )  # fmt: skip
    if output_format == "jsonl":
        for row in nugget_comparison_rows(comparisons):
            click.echo(msgspec.json.encode(row).decode())
    else:
        print_nugget_comparisons(comparisons)
    say_notes(comparisons.notes)
    if output_format == "table":
        click.echo(f"signature: {comparisons.signature}", err=True)
