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

    return [format.name for format in all_formats() if format.write is not None and format.name.startswith(incomplete)]


def input_files(*, metavar: str = "FILE...") -> Decorator:
    return click.argument("files", nargs=-1, required=True, metavar=metavar, type=click.Path())


from_format = click.option(
    "--from",
    "from_format",
    metavar="FORMAT",
    shell_complete=complete_format,
    help="Format of the files; by default it is recognised from their content (see `karat formats`).",
)
to_format = click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    shell_complete=_complete_writable,
    help="Format to write; by default csv, tsv or xlsx if the name of the output ends so, otherwise karat.",
)
shard_size = click.option(
    "--shards",
    metavar="N|SIZE",
    help="Write a folder of shards with a manifest: so many records per shard, or so large (256MB). An output whose "
    "name ends in / is such a folder in any case, with 100,000 records per shard.",
)
on_error = click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="Stop if a file has problems, or skip the smallest bad part, report it and go on.",
)


judge_name = click.option(
    "--judge", metavar="NAME", default="auto", show_default="semantic if it is installed, else lexical",
    help="Name of the judge, with settings in brackets: nuggeteer(n=2,stem=english) (see `karat judges`).",
)  # fmt: skip
seed_number = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random numbers."
)
known_files = click.option(
    "--known", metavar="FILE", multiple=True, type=click.Path(),
    help="Judgements by people, with the responses they judged: they are reused, and the judge learns from them.",
)  # fmt: skip
idf_file = click.option(
    "--idf", metavar="key|FILE", type=click.Path(),
    help="Where idf (how rare words are) comes from: `key`, its questions and nugs, so that a run has the same score "
    "whichever runs stand beside it; or a table of words and their idf (or document frequency), with a tab between. "
    "By default it comes from the responses.",
)  # fmt: skip
threshold_model = click.option(
    "--threshold-model", type=click.Choice(["dataset", "query", "nug", "auto"]),
    help="Make probabilities only by a noisy threshold: one for the data set, per query or per nug; auto: the model "
    "that people's labels favour (Marton & Radul 2006).",
)  # fmt: skip
labels_name = click.option(
    "--labels", metavar="NAME,...|all",
    help="The judge in the files whose judgements count as people's; needed if there are several judges.",
)  # fmt: skip

labelled_at_random = click.option(
    "--labelled-at-random", is_flag=True,
    help="People labelled a random part of the queries: correct the program by it (prediction-powered inference). "
    "Answers of `karat review --plan` say so themselves.",
)  # fmt: skip


less_is_better = click.option(
    "--less-is-better", metavar="NAME,...",
    help="Measures of another tool by which the lower score is the better one. Common names (hallucination, latency, "
    "error_rate, ...) are known; a note says which way others were taken.",
)  # fmt: skip


def by_field(help_text: str) -> Decorator:
    return click.option("--by", metavar="run|query|nug|FIELD,...", default="run", show_default=True, help=help_text)


_IN_FILES = "Whose judgements to use, if the files have several judges."
_OR_PROGRAM = (
    "Whose judgements to use, if the files have several judges; or the name of a program that judges the responses "
    "first (see `karat judges`)."
)


def rule_options(function: Callable[..., Any], *, judge_help: str = _IN_FILES) -> Callable[..., Any]:
    """Adds --missing, --unjudged, --assessors, --assessor and --judge, which the command gets together as `rules`."""

    @functools.wraps(function)
    def ruled(
        *args: Any, missing: str, unjudged: str, assessors: str, assessor: str | None, judge: str | None, **options: Any
    ) -> Any:
        rules = {
            "missing": missing, "unjudged": unjudged, "assessors": assessors, "assessor": assessor, "judge": judge,
        }  # fmt: skip
        return function(*args, rules=rules, **options)

    return _with_options(
        ruled,
        click.option(
            "--missing", type=click.Choice(["error", "zero", "skip"]), default="error", show_default=True,
            help="If a run has no response to a query: stop with an error, score zero, or skip the query.",
        ),
        click.option(
            "--unjudged", type=click.Choice(["skip", "zero", "error"]), default="skip", show_default=True,
            help="If a nug was not judged, or its judgement failed: skip the nug, count it as not contained, or stop "
            "with an error.",
        ),
        click.option(
            "--assessors", type=click.Choice(["mean", "majority"]), default="mean", show_default=True,
            help="If several assessors judged a response: take the mean of their judgements, or the majority.",
        ),
        click.option(
            "--assessor", metavar="NAME",
            help="Use only the judgements, labels, nuggets and nugs of this person. By default the adjudicated ones "
            "count; where there are none, each assessor's are scored on their own and the mean is taken.",
        ),
        click.option("--judge", metavar="NAME|all", help=judge_help),
    )  # fmt: skip


def scoring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what scoring needs: --measures, --beta, --average, --seed, and the rules."""
    return _with_options(
        rule_options(function, judge_help=_OR_PROGRAM),
        click.option(
            "--measures", metavar="NAME,...", shell_complete=complete_measure,
            help="Measures to compute (see `karat measures`); by default those that fit the data.",
        ),
        click.option(
            "--beta", type=click.FloatRange(min=0, min_open=True),
            help="Beta of F, pyramid_F and macro_F, if the name has no number.  [default: 3]",
        ),
        click.option(
            "--average", type=click.Choice(["query", "pool", "median"]), default="query", show_default=True,
            help="Take the mean over queries, one score from the counts of all queries together, or the median over "
            "queries.",
        ),
        seed_number,
    )  # fmt: skip


def _with_options(function: Callable[..., Any], *options: Decorator) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


def complete_measure(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from karat.measures.entries import ENTRIES

    given, comma, last = incomplete.rpartition(",")
    return [f"{given}{comma}{name}" for name in ENTRIES if name.startswith(last)]
