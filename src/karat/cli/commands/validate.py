"""karat validate"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import engine_options
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import (
    from_format,
    idf_file,
    input_files,
    labels_name,
    on_error,
    seed_number,
    threshold_model,
)
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.model import Collection

VIEWS = ("figures", "runs", "statistics", "systems", "thresholds", "swaps", "calibration", "models")


@click.command("validate", short_help="Show how good a judge is, where people judged.")
@input_files(metavar="LABELLED...")
@from_format
@selection
@labels_name
@click.option("--judge", "judges", metavar="NAME,...", default="auto",
              show_default="semantic if it is installed, else lexical",
              help="Which judges, with settings in brackets (see `karat judges`).")  # fmt: skip
@click.option("--measures", metavar="NAME,...",
              help="Which scores of runs are compared (see `karat measures`); default: strict_vital, or strict_all "
              "where nothing is called vital.")  # fmt: skip
@click.option("--cv", type=click.Choice(["query", "run", "group", "snippet"]), show_default="query",
              help="What the judge learns from: other queries, runs or institutions. snippet: pairs of a snippet and a "
              "nug, with the judgements of other documents' snippets known.")  # fmt: skip
@click.option("--folds", type=click.IntRange(min=2), metavar="N",
              help="Leave out one of N parts at a time, instead of one query (run, institution).")  # fmt: skip
@threshold_model
@idf_file
@click.option("--view", type=click.Choice(VIEWS), default="figures", show_default=True,
              help="The figures, or another view (see below).")  # fmt: skip
@seed_number
@engine_options
@llm_options
@no_cache
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, labels: str | None, judges: str, measures: str | None,
    cv: str | None, folds: int | None, threshold_model: str | None, idf: str | None, view: str, seed: int, jobs: int,
    on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Show how good a judge is, where people judged.

    Give files with a key, responses and people's judgements. The labels are hidden, the judge judges, and the two are
    compared: pair by pair (AUC, precision, recall, F1, kappa, Brier score) and run by run (tau of runs, mean tau within
    a query, tau over all cells, R2, RMSE, and the share of official scores inside the judge's 95 % interval, with its
    mean width). Scores and intervals are made by the code of `karat score --judge`. With --format jsonl the figures
    come first, then one row per run.

    \b
    Other views (--view):
      runs         one row per run: official score, judged score, both intervals
      statistics   what is in the data: queries, nugs, runs, responses, judgements
      systems      share of nugs by the number of runs that found them
      thresholds   tau and more of hard decisions, against the threshold, for each judge
      swaps        pairs of runs in the wrong order, by the size of the official difference
      calibration  share of contained nugs, by the probability that the judge gives
      models       likelihood of models of the threshold and its error rates: by data set, query or nug

    \b
    Example:
      karat validate assignments.jsonl --judge nuggeteer,rouge
      karat validate key.jsonl runs.jsonl judgements.jsonl --measures F3 --format jsonl
      karat validate assignments.jsonl --view thresholds --judge "nuggeteer(n=1),nuggeteer(n=2)"
    """
    from karat.cli.inputs import read_collection, read_idf
    from karat.judges.registry import AUTO, default_judge
    from karat.measures.registry import split_names

    collection = read_collection(files, from_format, on_error)
    names = list(dict.fromkeys(default_judge() if name == AUTO else name for name in split_names(judges)))
    if not names:
        raise click.UsageError("--judge names no judge; see `karat judges`.")
    options: dict[str, Any] = {
        "measures": measures, "cv": cv, "folds": folds, "labels": labels,
        "threshold_model": threshold_model, "idf": read_idf(idf, collection), "seed": seed, "jobs": jobs,
    }  # fmt: skip
    if view == "figures":
        _print_figures(collection, names, options | {"cv": cv or "query"}, output_format)
    else:
        _print_view(collection, names, options | {"view": view}, output_format)


def _print_figures(collection: Collection, names: list[str], options: dict[str, Any], output_format: str) -> None:
    from karat.cli.progress import tracked
    from karat.evaluate.validate.validate import validate_collection
    from karat.reports.validate import validation_result

    validations = [validate_collection(collection, judge=name, track=tracked(name), **options) for name in names]
    print_result(validation_result(*validations), output_format)


def _print_view(collection: Collection, names: list[str], options: dict[str, Any], output_format: str) -> None:
    from karat.cli.progress import tracked
    from karat.evaluate.validate.views import OF_DATA, view_collection
    from karat.reports.validate import view_result

    if options["view"] in OF_DATA:
        views = {"": view_collection(collection, **options)}
    else:
        views = {name: view_collection(collection, judge=name, track=tracked(name), **options) for name in names}
    print_result(view_result(views, options["view"]), output_format)
