"""karat correlate"""

from __future__ import annotations

from typing import Any

import click

from karat.cli.options import from_format, on_error, rule_options, seed_number
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selection


@click.command("correlate")
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@from_format
@selection
@click.option("--with", "shared", metavar="FILE", multiple=True, type=click.Path(),
              help="A file that both A and B need, such as the key; may be given several times.")  # fmt: skip
@click.option("--measures", metavar="NAME[,NAME]", help="One measure for A and B, or one for each.")
@click.option("--level", type=click.Choice(["run", "query", "within-query"]), multiple=True,
              help="run: totals of runs; query: all scores of a run and a query; within-query: runs of each query. "
              "May be given several times; by default all three.")  # fmt: skip
@click.option("--resample", type=click.Choice(["queries", "runs"]), default="queries", show_default=True,
              help="What to resample for the intervals.")  # fmt: skip
@click.option("--target", type=click.Choice(["queries", "population"]), default="queries", show_default=True,
              help="What values and intervals are about: as many other queries, or infinitely many "
              "(without the noise of few queries; by run).")  # fmt: skip
@click.option("--interval", type=click.Choice(["bootstrap", "fisher"]), default="bootstrap", show_default=True,
              help="The interval of Pearson's r by run: bootstrap, or Fisher's z, as papers print it.")  # fmt: skip
@click.option("--one-sided", is_flag=True, help="Print lower limits, as Dang & Lin (2007) do; of errors, upper limits.")
@rule_options
@seed_number
@on_error
@output_format()
@prints_result
def command(
    a: str, b: str, from_format: str | None, shared: tuple[str, ...], measures: str | None, level: tuple[str, ...],
    resample: str, target: str, interval: str, one_sided: bool, rules: Any, seed: int, on_error: str,
    output_format: str,
) -> None:  # fmt: skip
    """Correlate two scorings of the same runs.

    A is the reference, and B is compared with it: another judge, another measure, another tool. Each is a file of
    judgements or of scores. It prints Pearson, Spearman, Kendall's tau-b, tau-AP, weighted tau and the root mean
    square error, each with an interval, at three levels: the totals of runs (run), all scores of a run and a query
    (query), and the runs of each query (within-query). Then it prints how many pairs of runs have the opposite order
    in B, by the size of their difference in A, and how many pairs each of the two separates.

    Few queries make both scorings noisy, and that lowers a correlation. An interval is about the value that as many
    other queries would give, noise included; --target population is about infinitely many queries.

    \b
    Example:
      karat correlate people.jsonl machine.jsonl --with key.jsonl --measures strict_vital
      karat correlate official.tsv scores.jsonl
      karat correlate people.tsv machine.tsv --target population
      karat correlate binary.tsv pyramid.tsv --level run --interval fisher --one-sided
    """
    from karat.cli.inputs import read_collection
    from karat.evaluate.compare.correlate import correlate_collections

    sides = [read_collection((side, *shared), from_format, on_error) for side in (a, b)]
    correlated = correlate_collections(
        *sides, measures=measures, levels=level or ("run", "query", "within-query"), resample=resample,  # type: ignore[arg-type]
        target=target, side="low" if one_sided else "both", interval=interval, sides=(a, b), seed=seed, **rules,  # type: ignore[arg-type]
    )  # fmt: skip
    print_result(correlated, output_format)
