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
    from karat.model import Query
    from karat.reports.results.tables import TextTable

_output = click.option(
    "-o", "--output", metavar="FILE", default="-", show_default=True, help="File to write; `-` is standard output."
)


def output(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds -o. An output that would replace an input, or whose folder is missing, is refused before the work starts."""
    return _output(_careful(function))


def output_file(default: str, *, help: str) -> Decorator:
    """The same for a command that writes a file unless it is told otherwise."""
    option = click.option("-o", "--output", metavar="FILE", default=default, show_default=True, help=help)
    return lambda function: option(_careful(function))


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def careful(*args: Any, **options: Any) -> Any:
        from karat.formats.io.overwriting import inputs_are_kept

        with inputs_are_kept(_named_files(click.get_current_context())):
            if options["output"] != "-":
                check_output(options["output"])
                if "output_format" in options:
                    options["output_format"] = _format_of(options["output"], options["output_format"])
            return function(*args, **options)

    return careful


FORMAT_OF_ENDING = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".json": "json",
    ".tex": "latex",
    ".md": "markdown",
}
"""The --format that the name of an output file means."""
OTHER_ENDINGS = (
    ".xlsx", ".xls", ".ods", ".html", ".htm", ".pdf", ".docx", ".parquet", ".yaml", ".yml", ".xml", ".svg", ".png"
)  # fmt: skip
"""Names that promise what no result is written as; a table in text must not get such a name."""


def format_is_given(ctx: click.Context) -> bool:
    """Whether the user typed --format: a default of the command or of a configuration gives way to a file's name."""
    source = click.core.ParameterSource
    return ctx.get_parameter_source("output_format") not in (None, source.DEFAULT, source.DEFAULT_MAP)


def _format_of(output: str, chosen: str) -> str:
    """The format of an output file: --format if it is given, otherwise what the file's name says."""
    ctx = click.get_current_context()
    option = next((param for param in ctx.command.params if param.name == "output_format"), None)
    meant = FORMAT_OF_ENDING.get(Path(output.removesuffix(".gz")).suffix.lower())
    given = format_is_given(ctx)
    ending = Path(output).suffix.lower()
    tables = option is not None and isinstance(option.type, click.Choice) and "table" in option.type.choices
    if tables and not given and ending in OTHER_ENDINGS:
        raise click.UsageError(
            f"-o {output}: {ctx.command.name} writes no {ending[1:]}; name a file that ends in "
            f"{', '.join(FORMAT_OF_ENDING)} or .txt, or choose a --format."
        )
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
    from karat.formats.outputs.sharding import check_folder, is_folder
    from karat.model import UsageError

    if is_folder(output):
        check_folder(output)
        return
    check_target(output, option=option)
    folder = Path(output).parent
    if not folder.is_dir():
        raise UsageError(f"{option}{output}: there is no folder {folder}; create it or name another file")


def _named_files(ctx: click.Context) -> Iterator[str]:
    """The files given to a command: every argument and option whose type is click.Path."""
    from karat.formats.inputs.reading import run_and_file

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


FORMATS = ("table", "markdown", "csv", "tsv", "json", "jsonl", "latex")
"""The choices of --format, in every command that prints a result."""


def output_format(*choices: str) -> Decorator:
    """Adds --format; without choices, all that a result can be written in."""
    choices = choices or FORMATS
    return click.option(
        "--format", "output_format", type=click.Choice(choices), default=choices[0], show_default=True,
        help="Output format.",
    )  # fmt: skip


class _TextBytes:
    """Bytes that go to a file by -o, with everything else that is printed."""

    def write(self, data: bytes, /) -> int:
        sys.stdout.write(data.decode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        sys.stdout.flush()


def binary_output() -> IO[bytes] | SafeBytes | _TextBytes:
    """Standard output for bytes; on a terminal, with control characters made visible."""
    if sys.stdout is None:
        from karat.model import Unfinished

        raise Unfinished("standard output is closed; name a file with -o")
    if isinstance(sys.stdout, io.StringIO):
        return _TextBytes()
    return SafeBytes(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer


NAMES = "karat.query_names"


def keep_names(queries: Iterable[Query]) -> None:
    """Remember how questions that came without an id are shown to people in the output of this command."""
    from karat.reports.results.query_names import query_names

    click.get_current_context().meta.setdefault(NAMES, {}).update(query_names(queries))


def known_names() -> dict[str, str]:
    """What was remembered."""
    ctx = click.get_current_context(silent=True)
    return {} if ctx is None else ctx.meta.get(NAMES, {})


def print_parts(parts: Iterable[TextTable | str]) -> None:
    """Print tables on stdout, and the remarks between them on stderr."""
    from karat.reports.results.tables import printable

    for part in parts:
        if isinstance(part, str):
            echo(printable(part), err=True)
        else:
            part.print()


def print_result(
    result: object,
    output_format: str,
    *,
    print_table: Callable[[], None] | None = None,
    signature: str = "signature",
    **options: Any,
) -> None:
    """Print a result on stdout in the format asked for; on stderr what its words mean, the notes and the signature.

    result: what a verb of Karat returns, or a ShownResult. print_table: prints the table, where there is another way
    than to print its parts. signature: the name of the signature. options: what the report can be told.
    """
    from karat.cli.messages import say_notes
    from karat.reports.results import show

    shown = show(result, **options)
    for_people = output_format in ("table", "markdown", "latex")
    shown = shown.named(known_names()) if for_people else shown
    carried = output_format in ("markdown", "json")
    if output_format != "table":
        text = shown.written(output_format)
        echo(text, nl=False)
        # Records and rows that are read back have the signature in them; nobody needs it twice.
        carried = carried or (output_format in ("tsv", "jsonl") and "signature" in text.partition("\n")[0])
    elif print_table is not None:
        print_table()
    elif shown.text_of is not None:
        echo(shown.text_of)
    else:
        print_parts(shown.parts(None))
    if output_format == "table":
        for line in shown.words:
            echo(line, err=True)
    say_notes(shown.notes)
    for each in shown.told_signatures() if not carried else ():
        echo(f"{signature}: {each}", err=True)
