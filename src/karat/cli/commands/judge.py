"""karat judge"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, jobs_number, judge_name, known_files, labels_name, on_error
from karat.cli.outputs import output


@click.command("judge", short_help="Decide which nugs each response contains.")
@input_files(metavar="KEY RUN...")
@from_format
@judge_name
@known_files
@labels_name
@click.option("--threshold", type=float, help="Decide at this raw score, instead of giving probabilities.")
@click.option("--floor", type=click.FloatRange(0, 1), metavar="P",
              help="Judgements less probable than P, to be partial at least, have no line of their own.")  # fmt: skip
@click.option("--to", "to_format", metavar="FORMAT", default="karat", show_default=True,
              help="The format to write: karat, nuggetizer-assignments, ...")  # fmt: skip
@jobs_number
@on_error
@output
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, known: tuple[str, ...], labels: str | None,
    threshold: float | None, floor: float | None, to_format: str, jobs: int, on_error: str, output: str,
) -> None:  # fmt: skip
    """Decide which nugs each response contains.

    Give the key and the runs. People's judgements among the files (or in --known) are reused exactly where they speak
    of the same text, and teach the judge how to read its scores; without any, probabilities are those of other
    collections. Each judgement has the probabilities of none, partial and full, and the words that decided. Settings
    stand in brackets: nuggeteer(n=2,stem=english).

    Judgements in --known are of the responses there, also where a run has the same name and another text now; where
    those files have no response of the run to the query, of the one given. Several assessors count with their mean.

    With --floor, the less probable judgements of a response stand together in its first line (`below_floor`), with
    their probabilities: `karat score` counts them all the same, and its scores do not change. Known judgements, and the
    most probable of a response, always have a line.

    \b
    Example:
      karat judge key.jsonl run.jsonl --judge nuggeteer -o judgements.jsonl
      karat judge key.jsonl run.jsonl --known judged.jsonl --to nuggetizer-assignments -o assignments.jsonl
      karat judge key.jsonl run.jsonl judged.jsonl --labels given --floor 0.05 -o judgements.jsonl
    """
    from karat.cli.inputs import read_collection, unread_nugs
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.evaluate.saved_judgements import to_save
    from karat.formats import write
    from karat.judges.judge import judge_collection
    from karat.model import AnyRecord
    from karat.model.wording import number_of

    if floor is not None and to_format != "karat":
        raise click.UsageError(f"--floor is of Karat's own files: {to_format} has no place for what is left out.")
    collection = read_collection(files, from_format, on_error)
    people = read_collection(known, from_format, on_error) if known else None
    judging = judge_collection(
        collection, judge=judge, threshold=threshold, known=people, labels=labels, track=tracked("judging"),
        jobs=jobs,
    )  # fmt: skip
    saved = to_save(judging, floor=floor)
    records: list[AnyRecord] = list(saved.judgements)
    if to_format != "karat":
        records = list(judging.judgements)
        # Other formats want the question, the answer and the nuggets beside their labels.
        records = [*collection.queries, *collection.runs, *collection.responses, *collection.nugs, *records]
    write(records, output, format=to_format)
    say_notes((*judging.notes, *unread_nugs((*files, *known))))
    found = sum(one.degree == 1 for one in judging.judgements)
    click.echo(f"{number_of(len(judging.judgements), 'judgement')}, {found:,} of them say contained", err=True)
    if floor is not None:
        click.echo(
            f"{saved.folded:,} of them, below {floor:g}, in the first lines of their responses: {saved.expected:,.1f} "
            f"are expected to be contained in full, {saved.expected_partly:,.1f} at least in part",
            err=True,
        )
    click.echo(f"signature: {judging.signature}", err=True)
