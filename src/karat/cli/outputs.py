"""What a command writes: -o and --format, files that are whole or not there, and tables of scores with their notes."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

import click

from karat.cli.options import Decorator

if TYPE_CHECKING:
    from karat.evaluate.score.score import Scoring
    from karat.report.tables import TextTable

_output = click.option(
    "-o", "--output", metavar="FILE", default="-", show_default=True, help="Where to write; `-` is standard output."
)


def output(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds -o. Inputs are not written over; one that -o names is refused at once and not after an hour of work."""

    @functools.wraps(function)
    def careful(*args: Any, **options: Any) -> Any:
        from karat.formats.io.overwriting import check_target, inputs_are_kept

        with inputs_are_kept(_named_files(click.get_current_context())):
            if options["output"] != "-":
                check_target(options["output"], option="-o ")
            return function(*args, **options)

    return _output(careful)


def _named_files(ctx: click.Context) -> Iterator[str]:
    """The files that a command was given: every argument and option whose type is click.Path."""
    from karat.formats.reading import run_and_file

    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param.type, click.Path) and value is not None:
            for file in value if isinstance(value, tuple) else (value,):
                yield run_and_file(str(file))[1]


def prints_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds -o to a command that prints its result: the file is written whole or not at all."""

    @functools.wraps(function)
    def printing(*args: Any, output: str, **options: Any) -> None:
        if output == "-":
            function(*args, **options)
            return
        from karat.formats.io.sink import open_sink

        text = io.StringIO()
        exit_code: click.exceptions.Exit | None = None
        try:
            with contextlib.redirect_stdout(text):
                function(*args, **options)
        except click.exceptions.Exit as found:
            # Exit code 1 tells of findings; the result is there all the same.
            exit_code = found
        with open_sink(output) as sink:
            sink.write(text.getvalue())
        if exit_code is not None:
            raise exit_code

    return output(printing)


def output_format(*choices: str) -> Decorator:
    return click.option(
        "--format", "output_format", type=click.Choice(choices), default=choices[0], show_default=True,
        help="How to print.",
    )  # fmt: skip


def binary_output() -> IO[bytes]:
    """Standard output for bytes."""
    if sys.stdout is None:
        raise click.UsageError("standard output is closed")
    return sys.stdout.buffer


def print_parts(parts: Iterable[TextTable | str]) -> None:
    """Tables on stdout, the remarks between them on stderr."""
    from karat.report.tables import printable

    for part in parts:
        if isinstance(part, str):
            click.echo(printable(part), err=True)
        else:
            part.print()


def print_scores(scoring: Scoring, by: str, output_format: str) -> None:
    """The scores on stdout, the notes on stderr."""
    from karat.cli.messages import say_notes
    from karat.evaluate.tables.notes import small_sample_notes
    from karat.model import encode_record
    from karat.report.score import IN_BRACES, query_spread_table, score_latex, score_tables, score_tsv

    scores = scoring.by_query() if by == "query" else scoring.of_all()
    if output_format == "jsonl":
        for one in scores:
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(score_tsv(scores), nl=False)
    elif output_format == "latex":
        click.echo(score_latex(scores, by=by), nl=False)
    else:
        print_parts(score_tables(scores, by=by))
        if by == "query" and (spread := query_spread_table(scores)) is not None:
            spread.print()
    say_notes(scoring.notes)
    if output_format in ("table", "latex") and scores and scores[0].signature is not None:
        say_notes(tuple(small_sample_notes(scores)))
        if any(one.judge_low is not None for one in scores):
            click.echo(IN_BRACES, err=True)
        names = ",".join(dict.fromkeys(one.measure for one in scores))
        click.echo(f"signature: {names}|{scores[0].signature.partition('|')[2]}", err=True)
