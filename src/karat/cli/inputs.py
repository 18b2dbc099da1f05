"""What a command reads: the records of all its files, with the run names that the user gave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.outputs import keep_names
from karat.cli.printing import echo
from karat.cli.selection import selected

if TYPE_CHECKING:
    from karat.formats.io.source import Source
    from karat.judges.judge import Judged
    from karat.model import Collection, Problem
    from karat.text.idf import IdfTable


def read_collection(
    files: Sequence[str | Source], from_format: str | None, on_error: str, *, select: bool = True,
    left_out: list[Problem] | None = None, only_scores: bool = False,
) -> Collection:  # fmt: skip
    """The records of all files; notes and skipped parts are reported on stderr, and added to `left_out` if it is given.

    NAME=FILE gives the file's run the name NAME, so that two versions of one system have different names.
    select: whether --runs and --queries choose among the records. only_scores: judgements are held without what no
    score reads, such as the words of their evidence.
    """
    from karat.cli.messages import say_noted, say_skipped
    from karat.formats import open_inputs
    from karat.measures.cases.saved_fields import NOT_SCORED

    inputs = open_inputs(*files, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    collection = inputs.collection(unread=NOT_SCORED if only_scores else frozenset())
    keep_names(collection.queries)
    say_noted(inputs.warnings)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
        if left_out is not None:
            left_out += inputs.problems
    return selected(collection) if select else collection


def readable_again(files: Sequence[str]) -> tuple[str | Source, ...]:
    """The same files; standard input as a source that remembers what it has read, for those who read it twice."""
    from karat.formats.io.source import Source

    return tuple(Source(file) if file == "-" else file for file in files)


def read_judged(
    files: tuple[str, ...], from_format: str | None, on_error: str, *, judge: str | None, labels: str | None,
    threshold_model: str | None = None, idf: str | None = None, jobs: int = 1, labelled_at_random: bool = False,
    left_out: list[Problem] | None = None, only_scores: bool = False,
) -> Judged:  # fmt: skip
    """The records of all files, judged by the program that --judge names, if it names one."""
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.judges.calibration.calibrate import of_random_part
    from karat.judges.judge import judge_first

    collection = read_collection(files, from_format, on_error, left_out=left_out, only_scores=only_scores)
    _check_names(collection, judge)
    judged = judge_first(
        collection, judge=judge, labels=labels, threshold_model=threshold_model,  # type: ignore[arg-type]
        idf=read_idf(idf, collection), track=tracked("judging"), jobs=jobs,
    )  # fmt: skip
    say_notes(of_random_part(judged.notes) if labelled_at_random else judged.notes)
    if judged.signature is not None:
        echo(f"judge: {judged.signature}", err=True)
    return judged


def _check_names(collection: Collection, judge: str | None) -> None:
    """Say what is misspelt before a program judges: that may take long, or cost something."""
    from karat.judges.registry import AUTO, is_judge
    from karat.measures.registry import parse_measures
    from karat.model import UsageError

    if judge is None or not (judge == AUTO or is_judge(judge)):
        return
    given = click.get_current_context().params
    if isinstance(given.get("measures"), str):
        parse_measures(given["measures"])
    baseline, runs = given.get("baseline"), dict.fromkeys(response.run_id for response in collection.responses)
    if baseline is not None and runs and baseline not in runs:
        raise UsageError(f"there is no run {baseline!r}; choose from {', '.join(runs)}")


def read_idf(idf: str | None, collection: Collection) -> IdfTable | None:
    """What --idf names, where it is given: the texts of the key, or a table."""
    if idf is None:
        return None
    from karat.judges.overlap.idf_file import idf_of

    return idf_of(collection, idf)


def unread_nugs(files: Sequence[str]) -> tuple[str, ...]:
    """A note for each nug file that `karat review` wrote next to one of the files, and that was not given too."""
    named = {Path(file).resolve() for file in files}
    notes = []
    for file in files:
        path = Path(file)
        beside = path.with_name(path.name.removesuffix(".jsonl") + ".nugs.jsonl") if path.name else path
        if beside.is_file() and beside.resolve() not in named:
            notes.append(
                f"{beside} was not read: it has nugs and descriptions that a review added to {file}; give it as a "
                "further file to use them"
            )
    return tuple(notes)
