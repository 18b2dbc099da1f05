"""karat review"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.llm_options import llm_options
from karat.cli.keyboard import Keyboard
from karat.cli.options import complete_measure, from_format, input_files, judge_name, labels_name, on_error
from karat.cli.printing import echo
from karat.cli.selection import chosen_names, named_runs

if TYPE_CHECKING:
    from karat.evaluate.review.file import ReviewFile
    from karat.evaluate.review.questions import ReviewStep
    from karat.evaluate.review.review import Review
    from karat.model import Collection

DEGREES = {"y": 1.0, "p": 0.5, "n": 0.0, "s": None}


@click.command("review")
@input_files(metavar="KEY RUN...")
@from_format
@judge_name
@labels_name
@named_runs
@click.option("--query", "query_ids", multiple=True, metavar="QUERY", hidden=True, help="Old: --queries.")
@click.option("--queries", metavar="ID,...", help="Only these queries; the judge reads the others, too. Patterns work.")
@click.option("--known", metavar="FILE", hidden=True, help="Old: --output.")
@click.option("-o", "--output", metavar="FILE", default="review.jsonl", show_default=True,
              help="File in which answers are saved, and from which they are read at the next start.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), metavar="P",
              help="Ask about all judgements with at least this probability, the most probable first, instead of those "
              "that are uncertain.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask at most N questions.")
@click.option("--plan", metavar="FILE", type=click.Path(),
              help="Ask what a plan lists: the file that `karat plan --review` wrote.")  # fmt: skip
@click.option("--skipped", is_flag=True, help="Ask again the questions that were skipped before.")
@click.option("--assessor", metavar="NAME", help="Your name, saved with every answer.  [default: $USER, or me]")
@click.option("--measure", metavar="NAME", shell_complete=complete_measure,
              help="The measure to show; by default the first that fits the data.")  # fmt: skip
@click.option("--missing", type=click.Choice(["zero", "skip"]), default="skip", show_default=True,
              help="If a run has no response to a query: score zero, or skip the query.")  # fmt: skip
@llm_options
@no_cache
@on_error
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, labels: str | None, run_ids: tuple[str, ...],
    runs: str | None, query_ids: tuple[str, ...], queries: str | None,
    known: str | None, output: str, threshold: float | None, limit: int | None, plan: str | None,
    skipped: bool,    assessor: str | None, measure: str | None, missing: str, on_error: str,
) -> None:  # fmt: skip
    """Answer the questions that a judge is unsure about.

    It asks first about the judgements that are least certain and change the score most. For each it shows the query,
    the nug, and the piece of the response that supports the nug most. You answer with one key (? lists the keys); the
    answer is saved at once, and the run's new score is printed. If you start again with the same -o, it continues where
    you stopped, and asks nothing twice. Where the question about another run would show the same nug and the same text,
    the answer is used there, too (not with --plan, where each question was drawn).

    The answers are judgements by `person`, and every judge reuses them: give the file together with the key and the
    runs. Words that you marked and nugs that you added are saved in a second file (mine.nugs.jsonl beside mine.jsonl),
    which is also read at the next start. At the end it prints the command that scores with all answers. Keys may also
    come from a pipe.

    --plan asks instead what `karat plan --review` drew: single questions that help most (--minutes), or everything
    about some queries. Then `karat score` corrects the judge by your answers. You may stop early:
    after any whole block, what you have answered is still a random part.

    \b
    Example:
      karat review key.jsonl run.jsonl -o mine.jsonl
      karat review key.jsonl run.jsonl -o mine.jsonl --threshold 0.1 --queries q1
      karat score key.jsonl run.jsonl mine.jsonl --judge auto
      karat review key.jsonl run.jsonl --plan part.json -o mine.jsonl
    """
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.evaluate.plan.question_plan import read_plan
    from karat.evaluate.review.file import ReviewFile as _ReviewFile
    from karat.evaluate.review.session import review_collection
    from karat.formats.inputs.reading import run_and_file
    from karat.formats.io.overwriting import check_target, inputs_are_kept
    from karat.judges.registry import AUTO, default_judge
    from karat.model.default_names import PERSON

    output = known or output
    planned = None if plan is None else read_plan(plan)
    saved = _ReviewFile(output, on_error=on_error)  # type: ignore[arg-type]
    others = tuple(file for file in files if not saved.is_own(file))
    click.get_current_context().with_resource(
        inputs_are_kept(run_and_file(file)[1] for file in (*others, *([] if plan is None else [plan])))
    )
    check_target(saved.path, option="-o ")
    check_target(saved.nugs_path, option=f"-o {output} also writes ")
    collection = _read(others, from_format, on_error, saved)
    if runs is not None:
        names = dict.fromkeys(response.run_id for response in collection.responses)
        run_ids += tuple(chosen_names(runs, list(names), option="--runs"))
    if queries is not None:
        names = dict.fromkeys(response.query_id for response in collection.responses)
        query_ids += tuple(chosen_names(queries, list(names), option="--queries"))
    judge = default_judge() if judge == AUTO else judge
    review = review_collection(
        collection, judge=judge, labels=labels, track=tracked("judging"), run_ids=run_ids,
        query_ids=query_ids, threshold=threshold, limit=limit, skipped=skipped, measure=measure, missing=missing,
        assessor=assessor or os.environ.get("USER") or "me", file=saved, plan=planned,
    )  # fmt: skip
    say_notes(review.notes)
    others_judged = any(judgement.judge != PERSON for judgement in collection.judgements)
    why = "interrupted"
    try:
        why = _ask(review)
    except (KeyboardInterrupt, click.Abort):
        raise click.Abort from None
    finally:
        # Only now it is known which files were written.
        to_score = _score_command(
            files,
            saved,
            judge=judge,
            measure=review.measure,
            missing=missing,
            labels=_labels_with_answers(labels, others_judged=others_judged, answered=bool(saved.judgements())),
        )
        _say_end(review, saved, to_score, why=why, limit=limit)


def _read(others: tuple[str, ...], from_format: str | None, on_error: str, saved: ReviewFile) -> Collection:
    """The files that the review does not write itself, with the earlier answers."""
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_skipped
    from karat.evaluate.review.file import with_answers

    collection = with_answers(read_collection(others, from_format, on_error), saved)
    if saved.problems:
        say_skipped(saved.problems)
    return collection


def _ask(review: Review) -> str:
    """Ask one question after the other; returns why it stopped."""
    from karat.evaluate.review.review import NO_NUGS
    from karat.reports.results.tables import printable
    from karat.reports.review import AT_END, HELP, KEYS, render_question

    color = sys.stdout is not None and sys.stdout.isatty()
    keyboard = Keyboard()
    shown = None
    while (question := review.next()) is not None or review.answered:
        if question is not None and question != shown:
            total = review.answered + review.to_come()
            text = render_question(
                question, number=review.answered + 1, total=total, color=color, with_probability=review.plan is None
            )
            echo(text, styled=color)
            shown = question
        key = keyboard.key(f"{AT_END if question is None else KEYS} ")
        echo(printable(key))
        if key in ("", "q"):
            return "you quit" if key else "the input ended"
        if key == "u":
            shown = None
            _undo(review)
        elif key == "?":
            echo(HELP)
        elif question is None:
            continue
        elif key in DEGREES:
            blocks = review.blocks_left()
            _say_step(review, review.answer(DEGREES[key]))
            _say_block(blocks, review.blocks_left())
        elif key == "m":
            _mark(review, keyboard.line("words that prove it: "))
        elif key == "a" and review.plan is not None:
            echo(NO_NUGS)
        elif key == "a":
            text = keyboard.line("the nug: ")
            _add(review, text, keyboard.line("vital or okay (v/o): ") if text else "")
        elif key == "r":
            for snippet in review.response(question.pair).snippets:
                echo(printable(snippet.text))
        else:
            echo(f"{key!r} is not one of the keys; press ? for a list")
    return "there was nothing to ask"


def _say_step(review: Review, step: ReviewStep) -> None:
    """Say for which other runs the answer was used, and the new score."""
    from karat.reports.results.tables import printable

    if step.also:
        runs = ", ".join(said.run_id for said in step.also)
        echo(printable(f"the same text is in {runs}: the answer is used there, too (u undoes all of it)"))
    _say_score(review, step.judgement.run_id)


def _say_block(before: int | None, after: int | None) -> None:
    """Say where a person may stop: the answers of whole blocks are a random part."""
    if before is not None and after is not None and after < before:
        more = f"{after} more to come" if after else "it was the last one"
        echo(f"a block is complete ({more}): this is a good place to stop, all answers count")


def _mark(review: Review, typed: str) -> None:
    if not typed:
        echo("nothing was marked")
    elif (step := review.add_description(typed)) is None:
        echo("the response does not contain these words (r shows the whole response)")
    else:
        _say_step(review, step)


def _add(review: Review, text: str, grade: str) -> None:
    letter = grade[:1].lower()
    step = review.add_nug(text, "vital" if letter == "v" else "okay") if letter in ("v", "o") else None
    if step is None:
        echo("nothing was added: a nug needs a text, and v (vital) or o (okay)")
    else:
        _say_score(review, step.judgement.run_id)


def _undo(review: Review) -> None:
    step = review.undo()
    if step is None:
        echo("there is nothing to undo")
        return
    _say_score(review, step.judgement.run_id)


def _say_score(review: Review, run_id: str) -> None:
    from karat.reports.review import render_score

    echo(
        render_score(
            review.score(run_id), run_id=run_id, measure=review.measure, left=review.left(run_id),
            threshold=review.threshold,
        )
    )  # fmt: skip


def _say_end(review: Review, saved: ReviewFile, command: str, *, why: str, limit: int | None) -> None:
    """Print why it stopped and what is left, how many answers there are, in which files, and how to score with them."""
    from karat.model.wording import number_of

    echo()
    uncertain = (
        "" if review.plan is not None else f"; {number_of(review.uncertain(), 'judgement')} uncertain in all runs"
    )
    if review.next() is not None:
        echo(f"stopped because {why}: {number_of(review.to_come(), 'question')} left{uncertain}")
        echo("start again with the same files and -o to go on")
    elif not review.answered:
        echo(_nothing_to_ask(review))
    else:
        of_limit = f" of --limit {limit}" if limit is not None else ""
        echo(f"no questions are left{of_limit}{uncertain}")
    written = saved.written()
    if review.answered:
        answers = number_of(review.answered, "answer")
        more = review.saved - review.answered
        same = f" (and {number_of(more, 'judgement')} of the same text in other runs)" if more > 0 else ""
        echo(f"{answers}{same} saved in {saved.path}")
    if saved.nugs_path in written:
        echo(f"descriptions and nugs that you added are in {saved.nugs_path}")
    if saved.path in written:
        echo(f"to score with all answers: {command}")


def _nothing_to_ask(review: Review) -> str:
    if review.plan is not None:
        return "there is nothing to ask: all of the plan is answered"
    return "there is nothing to ask: the judge is sure about everything"


def _labels_with_answers(labels: str | None, *, others_judged: bool, answered: bool) -> str | None:
    """The value of --labels with which `karat score` uses the same judgements as the review did."""
    from karat.model.default_names import PERSON

    if labels is None:
        return "all" if others_judged else None
    return f"{labels},{PERSON}" if answered and labels not in ("all", PERSON) else labels


def _score_command(
    files: Sequence[str], saved: ReviewFile, *, judge: str, measure: str, missing: str, labels: str | None
) -> str:
    """The `karat score` command that scores as the review did: with its answers, and the nugs it added."""
    written = saved.written()
    named = {path.resolve() for path in written}
    rest = [file for file in files if Path(file).resolve() not in named]
    words = ["karat", "score", *rest, *map(str, written), "--judge", judge, "--measures", measure]
    if labels is not None:
        words += ["--labels", labels]
    if missing != "error":
        words += ["--missing", missing]
    return shlex.join(words)
