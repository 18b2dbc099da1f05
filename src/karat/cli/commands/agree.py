"""karat agree"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error, seed_number
from karat.cli.outputs import output_format, print_result, prints_result
from karat.cli.selection import selected_together, selection


@click.command("agree")
@input_files()
@from_format
@selection
@click.option(
    "--of",
    "kind",
    type=click.Choice(["votes", "judgements", "relevance", "relevant_text", "nuggets", "nugs", "citations"]),
    help="What to compare; by default everything that at least two raters rated.",
)
@click.option(
    "--by",
    metavar="FIELD,...",
    help="Also print agreement for each value of this field of the queries' conditions, or of several fields together.",
)
@click.option("--pairs", is_flag=True, help="Also print agreement for every pair of raters.")
@click.option("--assessor", metavar="NAME", help="Print agreement only of this rater with each of the others.")
@click.option(
    "--with-programs", is_flag=True, help="Count automatic nuggets (source auto, no assessor) as a rater, too."
)
@seed_number
@on_error
@output_format()
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, kind: str | None, by: str | None, pairs: bool,
    assessor: str | None, with_programs: bool, seed: int, on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Measure how much assessors agree.

    The raters are the assessors, judges and occasions named in the files. If two files rate the same things under the
    same name (exports of two annotators, outputs of two judges), each file is a rater; assessor:NAME=FILE says whose
    a file is. Adjudicated records, nuggets that their own assessor revised, and automatic nuggets are left out
    (--with-programs keeps these). For labels: percent agreement, Cohen's kappa (two raters) or Fleiss' kappa,
    Krippendorff's alpha and Gwet's AC1. For nuggets and relevant text: overlap in meaningful characters and alpha_U,
    for nuggets also span F1; these need the text of the responses. For nugs: B-cubed, CEAF, adjusted Rand and MASI, of
    nuggets that all raters grouped (each one's own nuggets of the same words are the same). Intervals are 95 %
    bootstrap intervals over queries, or over units if there is only one query.

    \b
    Example:
      karat agree key.jsonl
      karat agree ann.jsonl ben.jsonl runs.jsonl --of nuggets --by language
    """
    from karat.cli.messages import say_noted, say_skipped
    from karat.evaluate.agree.agree import agree_files, input_names
    from karat.formats import open_inputs
    from karat.formats.inputs.reading import run_and_file
    from karat.model import Collection, InputError, Problem

    collections: dict[str, Collection] = {}
    problems: list[Problem] = []
    unlisted = 0
    for name, file in zip(input_names([run_and_file(file)[1] for file in files]), files, strict=True):
        inputs = open_inputs(file, format=from_format, on_error="skip")
        collections[name] = Collection(inputs)
        say_noted(inputs.warnings)
        problems += inputs.problems
        unlisted += inputs.unlisted
    if problems and on_error == "stop":
        raise InputError(problems, unlisted=unlisted)
    if problems:
        say_skipped(problems, unlisted=unlisted)
    chosen = dict(zip(collections, selected_together([*collections.values()]), strict=True))
    agreement = agree_files(
        chosen, kind=kind, by=by, pairs=pairs, assessor=assessor, with_programs=with_programs, seed=seed,  # type: ignore[arg-type]
    )  # fmt: skip
    print_result(agreement, output_format)
