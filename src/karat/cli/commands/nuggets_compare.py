"""karat nuggets-compare"""

from __future__ import annotations

import click

from karat.cli.options import from_format, on_error, seed_number
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selection


@click.command("nuggets-compare", short_help="Compare automatic nuggets with those of people.")
@click.argument("auto", type=click.Path())
@click.argument("gold", type=click.Path())
@from_format
@selection
@click.option(
    "--match", metavar="overlap|jaccard:X", default="overlap", show_default=True,
    help="When two nuggets of the same type match. overlap: they share a letter or digit (EVT and STM with anchors: "
    "in their anchors). jaccard:X: the Jaccard coefficient of their characters is at least X.",
)  # fmt: skip
@click.option(
    "--by", metavar="FIELD,...",
    help="Compare also for each value of this field of the rows or of the queries' conditions, or for each `run` or "
    "`query`. Several fields: for each combination of their values.",
)  # fmt: skip
@click.option(
    "--missing", type=click.Choice(["error", "zero", "skip"]), default="error", show_default=True,
    help="What to do with a snippet that is in only one file: stop with an error, count it as without nuggets in the "
    "other file (zero), or leave it out (skip).",
)  # fmt: skip
@click.option("--assessor", metavar="NAME", help="Use only the nuggets of this person from the gold file; by default "
              "the adjudicated ones, if there are any.")  # fmt: skip
@seed_number
@on_error
@output_format()
@prints_result
def command(
    auto: str, gold: str, from_format: str | None, match: str, by: str | None, missing: str, assessor: str | None,
    seed: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Compare automatic nuggets with those of people.

    Give two files with nuggets of the same snippets (`karat nuggetize` writes such a file; Karat's own records work,
    too). If one file has both kinds of nuggets, give it twice. Two snippets are the same if query, run, id and text
    are the same, or otherwise if the text is the same. A snippet without gold nuggets counts only if a person is
    known to have looked there: by a record `reviewed` with the step "nuggets", or by a row with an empty list.

    The first table compares counts: the number of gold (people's) and automatic nuggets; the difference as a share of
    gold, above zero if the program finds too few; the mean difference per snippet with its 95 % interval; and the
    p-value of the hypothesis that this mean is zero (paired t test). For the second table, nuggets of the same type are
    matched one to one: precision, recall and F1 over all snippets, with 95 % bootstrap intervals. Both tables have one
    row for all nuggets, one per value of --by, and one per type.

    \b
    Example:
      karat nuggets-compare auto.jsonl gold.jsonl
      karat nuggets-compare auto.jsonl gold.jsonl --by style --match jaccard:0.8 --format jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.evaluate.nuggets.compare import compare_nugget_collections

    comparisons = compare_nugget_collections(
        read_collection((auto,), from_format, on_error), read_collection((gold,), from_format, on_error),
        match=match, by=by, missing=missing, assessor=assessor, seed=seed,  # type: ignore[arg-type]
    )  # fmt: skip
    print_result(comparisons, output_format)
