"""Arguments and options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


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
