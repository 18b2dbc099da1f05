"""karat validate"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error, output_format, prints_result


@click.command("validate", short_help="Tell how good a judge is, where people judged.")
@input_files(metavar="LABELLED...")
@from_format
@click.option("--judge", "judges", metavar="NAME,...", default="lexical", show_default=True,
              help="Which judges, with settings in brackets (see `karat judges`).")  # fmt: skip
@click.option("--cv", type=click.Choice(["query", "run", "group"]), default="query", show_default=True,
              help="Thresholds are learned from other queries, other runs, or other institutions.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all draws.")
@on_error
@output_format("table", "jsonl")
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, judges: str, cv: str, seed: int, on_error: str, output_format: str
) -> None:
    """Tell how good a judge is, where people judged.

    Give files with a key, responses and people's judgements. The labels are hidden, the judge judges, and the two are
    compared: pair by pair (AUC, precision, recall, F1, kappa, Brier score) and run by run (tau of runs, mean tau within
    a query, tau over all cells, R2, RMSE, and the share of official scores inside the judge's 95 % interval, with its
    mean width).

    \b
    Example:
      karat validate assignments.jsonl --judge nuggeteer,rouge
      karat validate key.jsonl runs.jsonl judgements.jsonl --cv group --format jsonl
    """
    import msgspec

    from karat.cli.progress import tracked
    from karat.cli.score import read_collection
    from karat.evaluate.validating import validate_collection
    from karat.measure.registry import split_names
    from karat.report.validation import print_validations

    collection = read_collection(files, from_format, on_error)
    found = [
        validate_collection(collection, judge=name, cv=cv, seed=seed, track=tracked(name))  # type: ignore[arg-type]
        for name in split_names(judges)
    ]
    if output_format == "jsonl":
        for one in found:
            ends = {f"{name}_interval": [own.low, own.high] for name, own in one.figures.items() if own.low is not None}
            row = {"judge": one.judge, **{name: own.value for name, own in one.figures.items()}, **ends}
            click.echo(msgspec.json.encode({**row, "signature": one.signature}).decode())
    else:
        print_validations(found)
    for one in found:
        click.echo(f"signature: {one.signature}", err=True)
