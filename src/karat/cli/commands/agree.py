"""karat agree"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output_format, prints_result


@click.command("agree", short_help="Tell how far assessors agree.")
@input_files()
@from_format
@click.option(
    "--of",
    "kind",
    type=click.Choice(["votes", "judgements", "relevance", "nuggets", "nugs", "citations"]),
    help="What to compare; everything that two raters share where it is not given.",
)
@click.option("--by", metavar="FIELD", help="Also for each value of this field of the queries' conditions.")
@click.option("--pairs", is_flag=True, help="Also for every two raters.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap.")
@on_error
@output_format("table", "tsv", "jsonl")
@prints_result
def command(
    files: tuple[str, ...], from_format: str | None, kind: str | None, by: str | None, pairs: bool, seed: int,
    on_error: str, output_format: str,
) -> None:  # fmt: skip
    """Tell how far assessors agree.

    Raters are the assessors, judges and occasions named in the files. Where two files rate the same under the same
    name (two annotators' exports, two judges' outputs), the files are the raters. Labels get percent agreement, Cohen's
    (two raters) or Fleiss' kappa, Krippendorff's alpha and Gwet's AC1; nuggets get overlap in meaningful characters,
    span F1 and alpha_U, and need the responses' text; nugs get B-cubed, CEAF, adjusted Rand and MASI. Intervals are
    95 % bootstrap intervals over queries, or over units where there is one query.

    \b
    Example:
      karat agree key.jsonl
      karat agree ann.jsonl ben.jsonl runs.jsonl --of nuggets --by language
    """
    from karat.cli.messages import say_noted, say_skipped
    from karat.evaluate.agree.agree import agree_files, input_names
    from karat.formats import open_inputs
    from karat.model import Collection, InputError, Problem, Signature, encode_record
    from karat.report.agree import agreement_table, agreement_tsv

    collections: dict[str, Collection] = {}
    problems: list[Problem] = []
    unlisted = 0
    for name, file in zip(input_names(files), files, strict=True):
        inputs = open_inputs(file, format=from_format, on_error="skip")
        collections[name] = Collection(inputs)
        say_noted(inputs.warnings)
        problems += inputs.problems
        unlisted += inputs.unlisted
    if problems and on_error == "stop":
        raise InputError(problems, unlisted=unlisted)
    if problems:
        say_skipped(problems, unlisted=unlisted)
    found = agree_files(collections, kind=kind, by=by, pairs=pairs, seed=seed)  # type: ignore[arg-type]
    if output_format == "jsonl":
        for one in found.scores():
            click.echo(encode_record(one).decode())
    elif output_format == "tsv":
        click.echo(agreement_tsv(found), nl=False)
    else:
        agreement_table(found).print()
    for note in found.notes:
        click.echo(note, err=True)
    if output_format == "table":
        click.echo(f"signature: {Signature('agree', found.settings)}", err=True)
