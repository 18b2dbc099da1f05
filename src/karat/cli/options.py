"""Arguments and options that several commands share."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def binary_output() -> IO[bytes]:
    """Standard output for bytes."""
    if sys.stdout is None:
        raise click.UsageError("standard output is closed")
    return sys.stdout.buffer


def complete_format(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from karat.formats import FORMAT_NAMES

    return [name for name in FORMAT_NAMES if name.startswith(incomplete)]


def _complete_writable(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from karat.formats import all_formats

    return [one.name for one in all_formats() if one.write is not None and one.name.startswith(incomplete)]


def input_files(*, metavar: str = "FILE...") -> Decorator:
    return click.argument("files", nargs=-1, required=True, metavar=metavar, type=click.Path())


from_format = click.option(
    "--from",
    "from_format",
    metavar="FORMAT",
    shell_complete=complete_format,
    help="The format of the files; recognised from their content where it is not given (see `karat formats`).",
)
to_format = click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    shell_complete=_complete_writable,
    help="The format to write; where it is not given, csv or tsv by the name of the output, else karat.",
)
on_error = click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="Stop at a file with problems, or leave out the smallest unit that is bad and say so.",
)
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
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param.type, click.Path) and value is not None:
            for file in value if isinstance(value, tuple) else (value,):
                yield run_and_file(str(file))[1]


def run_and_file(file: str) -> tuple[str | None, str]:
    """NAME=FILE in its two parts, where FILE is there; any other name is that of a file."""
    from pathlib import Path

    name, equals, path = file.partition("=")
    if equals and name and Path(path).exists() and not Path(file).exists():
        return name, path
    return None, file


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


judge_name = click.option(
    "--judge", metavar="NAME", default="lexical", show_default=True,
    help="Which judge, with settings in brackets: nuggeteer(n=2,stem=english) (see `karat judges`).",
)  # fmt: skip
jobs_number = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="How many processes work; the result is the same.",
)  # fmt: skip
known_files = click.option(
    "--known", metavar="FILE", multiple=True, type=click.Path(),
    help="Judgements by people, with the responses they are of: reused and learned from.",
)  # fmt: skip
labels_name = click.option(
    "--labels", metavar="NAME,...|all",
    help="The judge whose judgements in the files count as people's; needed where several could be.",
)  # fmt: skip


def by_field(help_text: str) -> Decorator:
    return click.option("--by", metavar="run|query|nug|FIELD", default="run", show_default=True, help=help_text)


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--missing, --unjudged, --assessors and --judge, which reach the command together as `rules`."""

    @functools.wraps(function)
    def ruled(*args: Any, missing: str, unjudged: str, assessors: str, judge: str | None, **options: Any) -> Any:
        rules = {"missing": missing, "unjudged": unjudged, "assessors": assessors, "judge": judge}
        return function(*args, rules=rules, **options)

    return _with_options(
        ruled,
        click.option(
            "--missing", type=click.Choice(["error", "zero", "skip"]), default="error", show_default=True,
            help="What a query without a response is.",
        ),
        click.option(
            "--unjudged", type=click.Choice(["skip", "zero", "error"]), default="skip", show_default=True,
            help="What a nug is that nobody judged, or whose judgement failed.",
        ),
        click.option(
            "--assessors", type=click.Choice(["mean", "majority"]), default="mean", show_default=True,
            help="Several assessors of one response: their mean credit, or what most of them say.",
        ),
        click.option(
            "--judge", metavar="NAME|all",
            help="Whose judgements count, where several judges made some; or a program that judges (score, compare).",
        ),
    )  # fmt: skip


def scoring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to score by: --measures, --beta, --average, --seed, and the rules."""
    return _with_options(
        rule_options(function),
        click.option(
            "--measures", metavar="NAME,...", shell_complete=complete_measure,
            help="Which measures (see `karat measures`); what suits the records where none is named.",
        ),
        click.option("--beta", type=click.FloatRange(min=0, min_open=True), help="Beta of an F that names none: 3."),
        click.option(
            "--average", type=click.Choice(["query", "pool", "median"]), default="query", show_default=True,
            help="The mean over queries, one score of the counts of all queries, or the median query.",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True,
            help="Seed of everything that is drawn at random.",
        ),
    )  # fmt: skip


def _with_options(function: Callable[..., Any], *options: Decorator) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


def complete_measure(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from karat.measures.entries import ENTRIES

    given, comma, last = incomplete.rpartition(",")
    return [f"{given}{comma}{name}" for name in ENTRIES if name.startswith(last)]
