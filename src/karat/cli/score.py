"""karat score"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.options import from_format, input_files, on_error, output_format

if TYPE_CHECKING:
    from karat.evaluate.scoring import Scoring


@click.command("score", short_help="Score runs from a key and judgements.")
@input_files()
@from_format
@click.option("--measures", metavar="NAME,...", help="Which measures; all four where none is named.")
@click.option(
    "--by",
    type=click.Choice(["run", "query"]),
    default="run",
    show_default=True,
    help="A row a run, or a row a run and query.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "zero", "skip"]),
    default="error",
    show_default=True,
    help="What a query without a response is.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
@on_error
@output_format("table", "tsv", "jsonl")
def command(
    files: tuple[str, ...], from_format: str | None, measures: str | None, by: str, missing: str, seed: int,
    on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Score runs from a key and judgements.

    Give the files that belong together: a key, the judgements, the runs. Measures: strict_vital, lenient_vital,
    strict_all, lenient_all. Every mean comes with its 95 % bootstrap interval over queries; below the table stands
    what was undefined, missing or failed.

    \b
    Example:
      karat score assignments.jsonl
      karat score key.jsonl judgements.jsonl runs.jsonl --by query --format jsonl
    """
    from karat.cli.trouble import say_noted, say_skipped
    from karat.evaluate.scoring import measures_called, score_collection
    from karat.formats import open_inputs
    from karat.measure.rag import RAG_MEASURES
    from karat.model import Collection

    names = [name.strip() for name in measures.split(",")] if measures else list(RAG_MEASURES)
    measures_called(names)
    inputs = open_inputs(*files, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    collection = Collection(inputs)
    say_noted(inputs.warnings)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    print_scores(score_collection(collection, measures=names, missing=missing, seed=seed), by, output_format)  # type: ignore[arg-type]


def print_scores(scoring: Scoring, by: str, output_format: str) -> None:
    """The scores on stdout, the notes on stderr."""
    from karat.model import encode_record
    from karat.report.scores import print_score_table, score_tsv

    scores = scoring.of_all() if by == "run" else scoring.by_query()
    if output_format == "jsonl":
        for one in scores:
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(score_tsv(scores), nl=False)
    else:
        print_score_table(scores, by_query=by == "query")
    for note in scoring.notes:
        click.echo(note, err=True)
    if output_format == "table" and scores and scores[0].signature is not None:
        names = ",".join(dict.fromkeys(one.measure for one in scores))
        click.echo(f"signature: {names}|{scores[0].signature.partition('|')[2]}", err=True)
