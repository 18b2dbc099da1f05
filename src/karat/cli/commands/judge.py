"""karat judge"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import engine_options
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import (
    from_format,
    idf_file,
    input_files,
    judge_name,
    known_files,
    labels_name,
    on_error,
    shard_size,
    threshold_model,
)
from karat.cli.outputs import check_output, output
from karat.cli.printing import echo
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.formats.io.source import Source
    from karat.judges.judgements.saved import SavedJudgements
    from karat.judges.streaming.judge_stream import StreamedJudging
    from karat.model import AnyRecord


@click.command("judge")
@input_files(metavar="KEY RUN...")
@from_format
@selection
@judge_name
@known_files
@labels_name
@click.option(
    "--threshold", type=float, help="Decide by this threshold on the raw score, instead of giving probabilities."
)
@threshold_model
@idf_file
@click.option("--floor", type=click.FloatRange(0, 1), metavar="P",
              help="Write no line of its own for a nug that is contained (even in part) with a probability "
              "below P.")  # fmt: skip
@click.option("--ask", metavar="FILE",
              help="With cascade(...,human): write the questions that are left for a person, for `karat review "
              "--plan`.")  # fmt: skip
@click.option("--to", "to_format", metavar="FORMAT", show_default="by the name of the output, else karat",
              help="Format to write: karat, parquet, nuggetizer-assignments, ...")  # fmt: skip
@shard_size
@engine_options
@llm_options
@no_cache
@on_error
@output
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, known: tuple[str, ...], labels: str | None,
    threshold: float | None, threshold_model: str | None, idf: str | None, floor: float | None,
    ask: str | None, to_format: str | None, shards: str | None, jobs: int, on_error: str, output: str,
) -> None:  # fmt: skip
    """Decide which nugs each response contains.

    Give the key and the runs. People's judgements in the files (or in --known) are reused for the same text, and the
    judge learns from them how to turn its scores into probabilities; without any, it uses a calibration from other
    collections. Each judgement has the probabilities of not, partly and fully contained, and the words that decided.
    Settings of a judge are given in brackets: nuggeteer(n=2,stem=english).

    Judgements in --known belong to the responses in those files, even if a run of the same name has another text now;
    if those files do not have the response, they belong to the response given. If several assessors judged, their mean
    counts.

    With --floor, the improbable judgements of a response are all written in its first line (`below_floor`), with their
    probabilities. `karat score` reads them there, and its scores do not change. Judgements by people, and the most
    probable judgement of each response, always have their own line.

    With --job, or into a folder of shards, any number of responses is judged block by block, without holding them,
    unless people's judgements are among the files. The judgements are the same.

    A cascade asks cheap judges first, and the next one only where they are not sure. If `human` is its last level,
    --ask writes as many questions as judgements are still uncertain, those first that help the score most.

    \b
    Example:
      karat judge key.jsonl run.jsonl --judge nuggeteer -o judgements.jsonl
      karat judge key.jsonl run.jsonl --known judged.jsonl --to nuggetizer-assignments -o assignments.jsonl
      karat judge key.jsonl run.jsonl judged.jsonl --labels given --floor 0.05 -o judgements.jsonl
      karat judge key.jsonl run.jsonl --judge "cascade(lexical,semantic,human)" --ask questions.json -o judgements.jsonl
    """
    from karat.cli.inputs import read_collection, read_idf, readable_again, unread_nugs
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.engines.current import current_job
    from karat.evaluate.plan.open_questions import asked_people, write_open_questions
    from karat.formats import write
    from karat.formats.outputs.sharding import is_folder
    from karat.formats.outputs.writing import LOSSLESS, format_by_name
    from karat.judges.judge import judge_collection
    from karat.judges.judgements.saved import to_save
    from karat.model.wording import number_of

    to_people = asked_people(judge)
    if (ask is None) == (to_people is not None):
        raise click.UsageError(
            f"--judge {judge}: people are the last level; say where to write the questions for them: --ask "
            "questions.json."
            if ask is None
            else "--ask writes questions for people: name them as the last level, as in --judge cascade(lexical,human)."
        )
    to_format = to_format or format_by_name(output)
    if ask is not None:
        # Before the work starts, which may be paid for.
        if ask == "-" or Path(ask).absolute() == Path(output).absolute():
            raise click.UsageError(f"--ask {ask}: name a file of its own for the questions.")
        check_output(ask, option="--ask ")
    if floor is not None and to_format not in LOSSLESS:
        raise click.UsageError(
            f"--floor works only with --to karat or parquet: {to_format} cannot hold the judgements below the floor."
        )
    inputs = readable_again(files)
    is_large = current_job() is not None or shards is not None or is_folder(output)
    if is_large and not (known or ask or labels or threshold_model) and _judged_in_blocks(
        inputs, files, from_format, on_error, judge=judge, threshold=threshold, idf=idf, floor=floor,
        to_format=to_format, shards=shards, jobs=jobs, output=output,
    ):  # fmt: skip
        return
    collection = read_collection(inputs, from_format, on_error)
    people = read_collection(known, from_format, on_error, select=False) if known else None
    judging = judge_collection(
        collection, judge=judge, threshold=threshold, threshold_model=threshold_model,  # type: ignore[arg-type]
        idf=read_idf(idf, collection), known=people, labels=labels, track=tracked("judging"), jobs=jobs,
    )  # fmt: skip
    saved = to_save(judging, floor=floor)
    records: list[AnyRecord] = list(saved.judgements)
    if to_format not in LOSSLESS:
        records = list(judging.judgements)
        # Other formats hold the question, the answer and the nuggets together with the labels.
        records = [*collection.queries, *collection.runs, *collection.responses, *collection.nugs, *records]
    write(records, output, format=to_format, shards=shards)
    say_notes((*judging.notes, *unread_nugs((*files, *known))))
    contained = sum(judgement.degree == 1 for judgement in judging.judgements)
    _say_counts(len(judging.judgements), contained, floor, saved)
    if to_people is not None and ask is not None:
        questions = write_open_questions(collection, judging.judgements, to_people, ask, labels=labels)
        echo(
            f"{number_of(questions, 'question')} for people in {ask}: `karat review KEY RUN... --plan {ask} -o "
            "mine.jsonl` asks them",
            err=True,
        )
    echo(f"signature: {judging.signature}", err=True)


def _say_counts(judgements: int, contained: int, floor: float | None, saved: SavedJudgements | StreamedJudging) -> None:
    from karat.model.wording import number_of

    echo(f"{number_of(judgements, 'judgement')}, {contained:,} of them say contained", err=True)
    if floor is not None:
        echo(
            f"{saved.folded:,} of them are below {floor:g} and have no line of their own; of their nugs, "
            f"{saved.expected:,.1f} are expected to be contained in full and {saved.expected_partly:,.1f} at least in "
            "part",
            err=True,
        )


def _judged_in_blocks(
    given: Sequence[str | Source], files: tuple[str, ...], from_format: str | None, on_error: str, *, judge: str,
    threshold: float | None, idf: str | None, floor: float | None, to_format: str, shards: str | None, jobs: int,
    output: str,
) -> bool:  # fmt: skip
    """Judge block by block, without holding the responses; False where everything has to be held."""
    from karat.cli.inputs import read_idf, unread_nugs
    from karat.cli.messages import say_noted, say_notes, say_skipped
    from karat.cli.progress import tracked
    from karat.cli.selection import wanted
    from karat.formats import open_inputs, write
    from karat.formats.inputs.streamed_inputs import StreamedInputs
    from karat.formats.outputs.writing import LOSSLESS
    from karat.judges.streaming.judge_stream import HasLabels, can_stream, judge_streamed
    from karat.model.codec import decode_record

    if wanted("runs") or wanted("queries") or to_format not in LOSSLESS or not can_stream(judge):
        return False
    readings = open_inputs(*given, format=from_format).readings
    inputs = StreamedInputs(readings, on_error=on_error)  # type: ignore[arg-type]

    def read() -> Iterator[AnyRecord]:
        yield from inputs
        say_noted(inputs.warnings)
        if inputs.problems:
            say_skipped(inputs.problems, unlisted=inputs.unlisted)

    try:
        with judge_streamed(
            read(), judge=judge, threshold=threshold, idf=lambda key: read_idf(idf, key), floor=floor,
            track=tracked("judging"), jobs=jobs,
        ) as (lines, about):  # fmt: skip
            records = lines if to_format == "karat" else (decode_record(each.line) for each in lines)
            write(records, output, format=to_format, shards=shards)
    except HasLabels:
        return False
    say_notes((*about.notes, *unread_nugs(files)))
    _say_counts(about.judgements, about.contained, floor, about)
    echo(f"signature: {about.signature}", err=True)
    return True
