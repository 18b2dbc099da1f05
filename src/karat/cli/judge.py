"""karat judge"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, judge_name, on_error, output


@click.command("judge", short_help="Decide which nugs each response contains.")
@input_files(metavar="KEY RUN...")
@from_format
@judge_name
@click.option("--known", metavar="FILE", multiple=True, type=click.Path(),
              help="Judgements by people, with the responses they are of: reused and learned from.")  # fmt: skip
@click.option("--threshold", type=float, help="Decide at this raw score, instead of giving probabilities.")
@click.option("--to", "to_format", metavar="FORMAT", default="karat", show_default=True,
              help="The format to write: karat, nuggetizer-assignments, ...")  # fmt: skip
@on_error
@output
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, known: tuple[str, ...], threshold: float | None,
    to_format: str, on_error: str, output: str,
) -> None:  # fmt: skip
    """Decide which nugs each response contains.

    Give the key and the runs. People's judgements among the files (or in --known) are reused exactly where they speak
    of the same text, and teach the judge how to read its scores; without any, probabilities are those of other
    collections. Each judgement has the probabilities of none, partial and full, and the words that decided. Settings
    stand in brackets: nuggeteer(n=2,stem=english).

    \b
    Example:
      karat judge key.jsonl run.jsonl --judge nuggeteer -o judgements.jsonl
      karat judge key.jsonl run.jsonl --known judged.jsonl --to nuggetizer-assignments -o assignments.jsonl
    """
    from karat.cli.progress import tracked
    from karat.cli.score import read_collection, say_notes
    from karat.evaluate.judging import judge_collection
    from karat.formats import write
    from karat.model import AnyRecord

    collection = read_collection(files, from_format, on_error)
    people = read_collection((*files, *known), from_format, on_error) if known else None
    judging = judge_collection(collection, judge=judge, threshold=threshold, known=people, track=tracked("judging"))
    records: list[AnyRecord] = list(judging.judgements)
    if to_format != "karat":
        # Other formats want the question, the answer and the nuggets beside their labels.
        records = [*collection.queries, *collection.runs, *collection.responses, *collection.nugs, *records]
    write(records, output, format=to_format)
    say_notes(judging.notes)
    found = sum(one.degree == 1 for one in judging.judgements)
    click.echo(f"{len(judging.judgements):,} judgements, {found:,} of them say contained", err=True)
    click.echo(f"signature: {judging.signature}", err=True)
