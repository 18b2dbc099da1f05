"""karat score"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import engine_options
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import (
    by_field,
    from_format,
    idf_file,
    input_files,
    labelled_at_random,
    labels_name,
    less_is_better,
    on_error,
    scoring_options,
    threshold_model,
)
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.model import Collection


@click.command("score")
@input_files()
@from_format
@selection
@scoring_options
@less_is_better
@labels_name
@labelled_at_random
@threshold_model
@idf_file
@engine_options
@by_field(
    "One row per run, per run and query, per nug (what the runs contain and miss), or per run and value of a field "
    "of the queries' conditions (of several fields: per combination of their values)."
)
@click.option(
    "--relative-to",
    metavar="RUN|human",
    help="Also print each score divided by the score of this run, or of the human runs.",
)
@click.option(
    "--contingency",
    is_flag=True,
    help="Instead of scores print what each run has right, wrong, redundant and missing: over all queries or, "
    "with --by, per query or per nug.",
)
@llm_options
@no_cache
@on_error
@click.option(
    "--layout", type=click.Choice(["long", "wide"]),
    show_default="wide for table, markdown and latex, long for the others",
    help="One row per run and measure (long), or one row per run with a column per measure (wide).",
)  # fmt: skip
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, measures: str | None, beta: float | None, average: str,
    seed: int, rules: Any, labels: str | None, labelled_at_random: bool, threshold_model: str | None, idf: str | None,
    less_is_better: str | None, jobs: int, by: str, relative_to: str | None, contingency: bool, on_error: str,
    layout: str | None, output_format: str,
) -> None:  # fmt: skip
    """Score runs from a key and judgements.

    Give the files that belong together: a key, the judgements, the runs. Or give relevance labels of snippets and the
    nuggets that `karat nuggetize` found in them; then no key is needed. `karat measures` lists the measures; without
    --measures, those that fit the data are used. Every score has a 95 % bootstrap interval over queries and a tie
    group: runs that share a letter do not differ significantly (paired tests, corrected for the number of pairs, at
    0.05). Below the table are notes about what was undefined, missing or failed. --contingency prints the counts behind
    the distillation scores; --by nug on a key with members, what each nug adds to them.

    \b
    Example:
      karat score assignments.jsonl
      karat score key.jsonl judgements.jsonl runs.jsonl --measures F3,pyramid_F3 --by query --format jsonl
      karat score key.jsonl judgements.jsonl runs.jsonl --by language --relative-to human
      karat score key.jsonl judgements.jsonl --by nug
      karat score nugs.jsonl nuggets.jsonl runs.jsonl --contingency
      karat score relevance.jsonl nuggetized.jsonl
    """
    from karat.cli.inputs import read_idf, read_judged
    from karat.evaluate.score.powered import score_judged

    judged = read_judged(
        files,
        from_format,
        on_error,
        only_scores=True,
        judge=rules["judge"],
        labels=labels,
        threshold_model=threshold_model,
        idf=idf,
        jobs=jobs,
        labelled_at_random=labelled_at_random,
    )
    judge, rules = rules["judge"], {**rules, "judge": judged.judge}
    is_nuggetized = not judged.collection.judgements and any(nug.members for nug in judged.collection.nugs)
    if contingency or (by == "nug" and is_nuggetized):
        _print_contingency(judged.collection, by, rules, output_format)
        return
    if by == "nug":
        _print_nugs(judged.collection, rules, output_format)
        return
    scoring = score_judged(
        judged, labels=labels, labelled_at_random=labelled_at_random, idf=read_idf(idf, judged.collection),
        measures=measures, beta=beta, average=average, seed=seed, relative_to=relative_to,
        less_is_better=less_is_better, by=None if by in ("run", "query") else by,
        **{**rules, "judge": judge},
    )  # fmt: skip
    print_result(scoring, output_format, by=by, layout=layout)


def _print_nugs(collection: Collection, rules: Any, output_format: str) -> None:
    from karat.evaluate.score.nug_table import nug_table
    from karat.reports.score import nugs_result

    print_result(nugs_result(nug_table(collection, **rules)), output_format)


def _print_contingency(collection: Collection, by: str, rules: Any, output_format: str) -> None:
    from karat.evaluate.score.contingency import contingency_rows
    from karat.reports.score import contingency_result

    if by not in ("run", "query", "nug"):
        raise click.UsageError("contingency tables are --by run, query or nug.")
    contingency = contingency_rows(collection, **rules)
    if by == "nug" and not contingency.increments:
        raise click.UsageError("--by nug needs a key with nugs.")
    print_result(contingency_result(contingency, by), output_format)
