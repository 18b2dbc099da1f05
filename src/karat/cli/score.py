"""karat score"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.options import (
    by_field,
    from_format,
    input_files,
    on_error,
    output_format,
    prints_result,
    scoring_options,
)

if TYPE_CHECKING:
    from karat.evaluate.scoring import Scoring
    from karat.model import Collection

NOTES = 20
"""How many notes are printed in full."""


@click.command("score", short_help="Score runs from a key and judgements.")
@input_files()
@from_format
@scoring_options
@by_field("A row a run, a row a run and query, or a row a run and value of a field of the queries' conditions.")
@click.option("--relative-to", metavar="RUN|human", help="Add each score's ratio to that of a run, or of the people.")
@on_error
@output_format("table", "tsv", "jsonl", "latex")
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None, average: str,
    missing: str, seed: int, by: str, relative_to: str | None, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Score runs from a key and judgements.

    Give the files that belong together: a key, the judgements, the runs. `karat measures` lists the measures; where
    none is named, those are taken that suit the records. Every score comes with its 95 % bootstrap interval over
    queries and a tie group: runs that share a letter cannot be told apart (Holm-corrected paired permutation tests at
    0.05). Below the table stands what was undefined, missing or failed.

    \b
    Example:
      karat score assignments.jsonl
      karat score key.jsonl judgements.jsonl runs.jsonl --measures F3,pyramid_F3 --by query --format jsonl
      karat score key.jsonl judgements.jsonl runs.jsonl --by language --relative-to human
    """
    from karat.evaluate.scoring import score_collection

    scoring = score_collection(
        read_collection(files, from_format, on_error), measures=measures, beta=beta, average=average,  # type: ignore[arg-type]
        missing=missing, seed=seed, by=None if by in ("run", "query") else by, relative_to=relative_to,  # type: ignore[arg-type]
    )  # fmt: skip
    print_scores(scoring, by, output_format)


def read_collection(files: tuple[str, ...], from_format: str | None, on_error: str) -> Collection:
    """The records of all files; what was noted or skipped is told on stderr."""
    from karat.cli.trouble import say_noted, say_skipped
    from karat.formats import open_inputs
    from karat.model import Collection as _Collection

    inputs = open_inputs(*files, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    collection = _Collection(inputs)
    say_noted(inputs.warnings)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    return collection


def print_scores(scoring: Scoring, by: str, output_format: str) -> None:
    """The scores on stdout, the notes on stderr."""
    from karat.model import encode_record
    from karat.report.scores import print_query_spread, print_score_table, score_latex, score_tsv

    scores = scoring.by_query() if by == "query" else scoring.of_all()
    if output_format == "jsonl":
        for one in scores:
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(score_tsv(scores), nl=False)
    elif output_format == "latex":
        click.echo(score_latex(scores, by=by), nl=False)
    else:
        print_score_table(scores, by=by)
        if by == "query":
            print_query_spread(scores)
    say_notes(scoring.notes)
    if output_format in ("table", "latex") and scores and scores[0].signature is not None:
        names = ",".join(dict.fromkeys(one.measure for one in scores))
        click.echo(f"signature: {names}|{scores[0].signature.partition('|')[2]}", err=True)


def say_notes(notes: tuple[str, ...]) -> None:
    """What was left out, a line each; of very many, the first."""
    from karat.report.tables import printable

    for note in notes[:NOTES]:
        click.echo(printable(note), err=True)
    if len(notes) > NOTES:
        click.echo(f"... and {len(notes) - NOTES:,} more notes", err=True)
