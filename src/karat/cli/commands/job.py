"""karat job"""

from __future__ import annotations

from pathlib import Path

import click

from karat.cli.computing.engine_options import engine_option, jobs_option
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.printing import echo


@click.group("job")
def command() -> None:
    """Go on with work that was stopped.

    Commands with --job FOLDER keep the work that is finished. If such a command is stopped, or its machine fails, the
    same command goes on where it was; only what was under way is done again.

    \b
    Example:
      karat job status big-job
      karat job resume big-job --engine processes
    """


_folder = click.argument("folder", metavar="FOLDER", type=click.Path())


@command.command("status")
@_folder
@output_format()
@prints_result
def status(folder: str, output_format: str) -> None:
    """Show what a job has done so far.

    \b
    Example:
      karat job status big-job
    """
    from karat.engines.job import read_job
    from karat.reports.show import job_result

    print_result(job_result(read_job(Path(folder))), output_format)


@command.command("resume")
@_folder
@jobs_option
@engine_option
@click.pass_context
def resume(ctx: click.Context, folder: str, jobs: int | None, engine: str | None) -> None:
    """Give the command of a job again, in the folder in which it was given.

    --engine and --jobs are those of before where you name no others.

    \b
    Example:
      karat job resume big-job --engine processes
    """
    import os
    import shlex
    import sys

    from karat.cli import cli
    from karat.engines.job import read_job
    from karat.engines.job.about import name_at
    from karat.model import UnfitInput
    from karat.reports.results.tables import printable

    state = read_job(Path(folder))
    about = state.about
    if not about.command:
        raise UnfitInput(f"{folder}: the job was not begun by a command, but from Python: run that program again")
    at = name_at(about.command)
    begun = cli.get_command(click.Context(cli), about.command[at])
    if begun is None or not any(param.name == "job" for param in begun.params):
        raise UnfitInput(f"{Path(folder) / 'job.json'}: command: {about.command[at]!r} is no command with --job")
    place = Path(folder).absolute()
    if _reads_standard_input(begun, about.command[at + 1 :]) and not _is_data_given():
        raise UnfitInput(
            f"{folder}: the command read standard input, which is not kept; give the same data again: "
            f"... | karat job resume {shlex.quote(folder)}"
        )
    # As before, as far as nothing else is asked for; the engine local has one worker, so that --jobs asks for another.
    if engine is None and (jobs is None or about.engine != "local"):
        engine = about.engine
    if jobs is None and "local" not in (engine, about.engine):
        jobs = about.workers
    # Before the words of the user, which may have a `--` behind which there are only names of files.
    chosen = ["--job", str(place)]
    chosen += [] if jobs is None else ["--jobs", str(jobs)]
    chosen += [] if engine is None else ["--engine", engine]
    words = [*about.command[: at + 1], *chosen, *about.command[at + 1 :]]
    echo(f"in {printable(about.folder)}: karat {printable(shlex.join(words))}", err=True)
    try:
        os.chdir(about.folder)
    except (OSError, ValueError) as error:
        raise UnfitInput(f"{printable(about.folder)}, where the job was begun: {error}") from None
    # The command says in its results, and in the job, how it was called.
    before, sys.argv = sys.argv, ["karat", *words]
    try:
        code = cli.main(words, prog_name="karat", standalone_mode=False) or 0
    finally:
        sys.argv = before
    ctx.exit(code)


def _is_data_given() -> bool:
    import sys

    return sys.stdin is not None and not sys.stdin.isatty()


def _reads_standard_input(begun: click.Command, words: list[str]) -> bool:
    given = begun.make_context(begun.name, list(words), resilient_parsing=True).params
    inputs = (value for name, value in given.items() if name != "output")
    return any("-" in (value if isinstance(value, tuple) else (value,)) for value in inputs)


@command.command("clean")
@_folder
def clean_command(folder: str) -> None:
    """Remove what a job has kept. Results that it has written elsewhere stay.

    \b
    Example:
      karat job clean big-job
    """
    from karat.engines.job import clean
    from karat.reports.results.tables import printable
    from karat.reports.show import size_text

    freed = clean(Path(folder))
    echo(f"removed {printable(folder)}: {size_text(freed)}", err=True)
