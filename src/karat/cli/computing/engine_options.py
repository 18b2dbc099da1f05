"""--jobs, --engine and --job: where the work of a command is done, by how many workers, and what keeps it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

NO_RESULT = ("--jobs", "--engine", "--job")
"""Options that change no result."""


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="1; with --engine, one per processor",
    help="Number of processes; the result is the same for any number.",
)
engine_option = click.option(
    "--engine",
    metavar="local|processes|ray[://ADDRESS]",
    help="Where the work is done: in this process, in processes of this machine, or by Ray, on this machine or in a "
    "cluster (docs/scale.md). The result is the same everywhere.",
)


def spreading(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same as `engine_options`, for a command that only resamples: with --jobs alone it uses processes, too."""
    return engine_options(function, spread=True)


def engine_options(function: Callable[..., Any], *, spread: bool = False) -> Callable[..., Any]:
    """Adds --jobs, --engine and --job; the command is called inside of `karat.engine`, and gets `jobs`.

    With --jobs alone only judging is spread: to start processes once more takes longer than the resampling of scores.
    """

    @jobs_option
    @engine_option
    @click.option(
        "--job",
        metavar="FOLDER",
        type=click.Path(),
        help="Keep what is judged, nuggetized or drafted in this folder: the same command goes on where it was stopped "
        "(see `karat job`).",
    )
    @functools.wraps(function)
    def called(*args: Any, jobs: int | None, engine: str | None, job: str | None, **options: Any) -> Any:
        has_several = jobs is not None and jobs > 1
        if engine is None and job is None and not has_several:
            return function(*args, jobs=1, **options)
        from karat.cli.printing import echo
        from karat.engines import engine as use_engine
        from karat.engines.current import told
        from karat.reports.results.tables import printable

        def say(text: str) -> None:
            echo(printable(text), err=True)

        if engine is None and job is None and not spread:
            with told(say):
                return function(*args, jobs=jobs, **options)
        name = engine or ("processes" if has_several else None)
        workers = jobs if name is not None else None
        command = command_words(sys.argv[1:])
        with use_engine(name, workers=workers, job=job, command=command, say=say):
            return function(*args, jobs=1, **options)

    return called


def command_words(words: Sequence[str]) -> list[str]:
    """The words of a command that decide its result: without those that say where the work is done."""
    kept: list[str] = []
    skip = False
    for at, word in enumerate(words):
        if word == "--":
            # Behind it are only names of files.
            return [*kept, *words[at:]]
        if skip:
            skip = False
        elif word in NO_RESULT:
            skip = True
        elif not word.startswith(tuple(f"{option}=" for option in NO_RESULT)):
            kept.append(word)
    return kept
