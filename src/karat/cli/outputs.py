"""What a command writes: -o and --format, output files that are complete or absent, and tables with their notes."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from karat.cli.options import Decorator
from karat.cli.printing import SafeBytes, echo

if TYPE_CHECKING:
    from karat.evaluate.score.score import Scoring
    from karat.report.tables import TextTable

_output = click.option(
    "-o", "--output", metavar="FILE", default="-", show_default=True, help="File to write; `-` is standard output."
)


def output(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds -o. An output that would replace an input, or whose folder is missing, is refused before the work starts."""

    @functools.wraps(function)
    def careful(*args: Any, **options: Any) -> Any:
        from karat.formats.io.overwriting import inputs_are_kept

        with inputs_are_kept(_named_files(click.get_current_context())):
            if options["output"] != "-":
                check_output(options["output"])
                if "output_format" in options:
                    options["output_format"] = _format_of(options["output"], options["output_format"])
            return function(*args, **options)

    return _output(careful)


FORMAT_OF_ENDING = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".json": "json",
    ".tex": "latex",
    ".md": "markdown",
}
"""The --format that the name of an output file means."""


def _format_of(output: str, chosen: str) -> str:
    """The format of an output file: --format if it is given, otherwise what the file's name says."""
    ctx = click.get_current_context()
    option = next((param for param in ctx.command.params if param.name == "output_format"), None)
    meant = FORMAT_OF_ENDING.get(Path(output.removesuffix(".gz")).suffix.lower())
    given = ctx.get_parameter_source("output_format") not in (None, click.core.ParameterSource.DEFAULT)
    if ctx.params.get("review") is not None:
        # The plan of a review is one JSON object, whatever its file is called.
        return chosen
    if option is None or given or meant is None or not isinstance(option.type, click.Choice):
        return chosen
    if "table" not in option.type.choices:
        # Such a command writes records in formats of its own, most of them with the same ending.
        return chosen
    if meant not in option.type.choices:
        choices = ", ".join(option.type.choices)
        raise click.UsageError(
            f"-o {output}: {ctx.command.name} does not write {meant}; choose one of {choices} with --format, or name "
            "the file accordingly."
        )
    return meant


def check_output(output: str, *, option: str = "-o ") -> None:
    """Refuse a file that may not be written over, or whose folder is missing."""
    from karat.formats.io.overwriting import check_target
    from karat.model import UsageError

    check_target(output, option=option)
    folder = Path(output).parent
    if not folder.is_dir():
        raise UsageError(f"{option}{output}: there is no folder {folder}; create it or name another file")


def _named_files(ctx: click.Context) -> Iterator[str]:
    """The files given to a command: every argument and option whose type is click.Path."""
    from karat.formats.reading import run_and_file

    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param.type, click.Path) and value is not None:
            for file in value if isinstance(value, tuple) else (value,):
                path = run_and_file(str(file))[1]
                yield path
                # A folder stands for the files in it.
                yield from map(str, islice(Path(path).glob("*"), 10_000) if Path(path).is_dir() else ())


def prints_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds -o to a command that prints its result: the file is written completely or not at all."""

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
        except click.exceptions.Exit as error:
            # Exit code 1 reports findings; there is a result nevertheless.
            exit_code = error
        with open_sink(output) as sink:
            sink.write(text.getvalue())
        if exit_code is not None:
            raise exit_code

    return output(printing)


def output_format(*choices: str) -> Decorator:
    return click.option(
        "--format", "output_format", type=click.Choice(choices), default=choices[0], show_default=True,
        help="Output format.",
    )  # fmt: skip


def binary_output() -> IO[bytes] | SafeBytes:
    """Standard output for bytes; on a terminal, with control characters made visible."""
    if sys.stdout is None:
        raise click.UsageError("standard output is closed")
    return SafeBytes(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer


def print_parts(parts: Iterable[TextTable | str]) -> None:
    """Print tables on stdout, and the remarks between them on stderr."""
    from karat.report.tables import printable

    for part in parts:
        if isinstance(part, str):
            echo(printable(part), err=True)
        else:
            part.print()


def print_scores(scoring: Scoring, by: str, output_format: str) -> None:
    """Print the scores on stdout, the notes on stderr."""
    from karat.cli.messages import say_notes
    from karat.model import encode_record
    from karat.report.score import IN_BRACES, query_spread_table, score_latex, score_tables, score_tsv

    scores = scoring.by_query() if by == "query" else scoring.of_all()
    if output_format == "jsonl":
        for score in scores:
            echo(encode_record(score).decode())
    elif output_format == "tsv":
        echo(score_tsv(scores), nl=False)
    elif output_format == "latex":
        echo(score_latex(scores, by=by), nl=False)
    else:
        print_parts(score_tables(scores, by=by))
        if by == "query" and (spread := query_spread_table(scores)) is not None:
            spread.print()
    say_notes((*scoring.notes, *(scoring.interval_notes if by != "query" else ())))
    if output_format in ("table", "latex") and scores and scores[0].signature is not None:
        if any(score.judge_low is not None for score in scores):
            echo(IN_BRACES, err=True)
        names = ",".join(dict.fromkeys(score.measure for score in scores))
        echo(f"signature: {names}|{scores[0].signature.partition('|')[2]}", err=True)
