"""karat report"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import command_words, engine_options
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import (
    from_format,
    idf_file,
    input_files,
    labelled_at_random,
    labels_name,
    less_is_better,
    on_error,
    scoring_options,
)
from karat.cli.outputs import output_file
from karat.cli.printing import echo
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.reports.page.contents.gather import Contents


def contents_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what `report` and `plot` need to gather their contents: files, whose judgements count, the baseline."""
    options = (
        input_files(), from_format, selection, scoring_options, less_is_better, labels_name, labelled_at_random,
        idf_file, engine_options,
        click.option("--baseline", metavar="RUN", help="Compare every run with this run only."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def gathered(
    files: tuple[str, ...], from_format: str | None, on_error: str, *, rules: Any, labels: str | None,
    labelled_at_random: bool, idf: str | None, jobs: int, title: str = "", made: str | None = "", command: str = "",
    **options: Any,
) -> Contents:  # fmt: skip
    """Read and judge the files, and gather all that the report shows. options: the others of `gather`."""
    from karat.cli.inputs import read_idf, read_judged
    from karat.formats.inputs.reading import run_and_file
    from karat.model import Problem
    from karat.reports.page.contents.gather import gather
    from karat.reports.page.contents.provenance import provenance_of
    from karat.reports.page.report import when

    problems: list[Problem] = []
    judged = read_judged(
        files, from_format, on_error, judge=rules["judge"], labels=labels, labelled_at_random=labelled_at_random,
        idf=idf, jobs=jobs, left_out=problems,
    )  # fmt: skip
    named = [run_and_file(file)[1] for file in files] if command else []
    return gather(
        judged, title=title, provenance=provenance_of(command, named, time=when(made)), labels=labels,
        labelled_at_random=labelled_at_random, idf=read_idf(idf, judged.collection), judge=rules["judge"],
        rules={name: value for name, value in rules.items() if name != "judge"},  # type: ignore[arg-type]
        problems=problems, **options,
    )  # fmt: skip


@click.command("report")
@contents_options
@click.option("--title", default="How much of what matters is in the answers", help="Title of the page.")
@click.option(
    "--made", metavar="TEXT",
    help="What the page says about when it was made, such as `in May`; by default the time now. With the same "
    "text, the same files give the same bytes.",
)  # fmt: skip
@click.option(
    "--per-run", metavar="DIR",
    help="Also write a page per run into this folder: its own results beside the best, median and worst of all runs.",
)  # fmt: skip
@llm_options
@no_cache
@on_error
@output_file("report.html", help="The page to write.")
def command(
    files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None, average: str,
    seed: int, rules: Any, labels: str | None, labelled_at_random: bool, idf: str | None, jobs: int,
    baseline: str | None, less_is_better: str | None, title: str, made: str | None,
    per_run: str | None, on_error: str, output: str,
) -> None:  # fmt: skip
    """Make one HTML file that shows scores, nugs and answers.

    Give files as for `karat score`. The page needs no network and no server: open it, print it, or send it to somebody.
    It shows what to know first, the scores with their intervals, which differences are real and which nugs are behind
    them, every nug and answer with the text that proves it, where runs fail, and how far the ranking can be trusted.

    \b
    Example:
      karat report key.jsonl judgements.jsonl runs.jsonl -o report.html
      karat report key.jsonl old=monday.jsonl new=tuesday.jsonl --judge auto --baseline old
    """
    from karat.formats.io.sink import open_sink
    from karat.model.wording import number_of
    from karat.reports.page.page import load_libraries, report_page
    from karat.reports.page.per_run import write_run_pages
    from karat.reports.show import size_text

    # Before the work: whoever lacks them should not wait for scores first.
    load_libraries()
    if per_run is not None and Path(per_run).exists() and not Path(per_run).is_dir():
        raise click.UsageError(f"--per-run {per_run}: is not a folder; name another one.")
    contents = gathered(
        files, from_format, on_error, rules=rules, labels=labels, labelled_at_random=labelled_at_random, idf=idf,
        jobs=jobs, title=title, made=made, command=_command_line(), baseline=baseline, measures=measures, seed=seed,
        beta=beta, average=average, less_is_better=less_is_better,
    )  # fmt: skip
    page = report_page(contents)
    with open_sink(output) as sink:
        sink.write(page)
    if output != "-":
        echo(f"{output}: {size_text(len(page.encode()))}; open it in a browser.", err=True)
    if per_run is not None:
        pages = write_run_pages(contents, Path(per_run), report=None if output == "-" else Path(output))
        echo(f"{per_run}: {number_of(pages, 'page')}, one per run.", err=True)


def _from_config() -> list[str]:
    """The options that a karat.toml gave, as if they had been typed: the command alone must make the same page."""
    ctx = click.get_current_context()
    words = []
    for param in ctx.command.params:
        if ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.DEFAULT_MAP:
            value = ctx.params.get(param.name or "")
            for each in value if isinstance(value, tuple) else (value,):
                words += [param.opts[0]] if each is True else [param.opts[0], str(each)] if each is not False else []
    return [*words, *(["--no-config"] if words else [])]


def _command_line() -> str:
    """The command as it was typed, so that it can be typed again; without --jobs, which changes no result."""
    return shlex.join(["karat", *command_words((*sys.argv[1:], *_from_config()))])
