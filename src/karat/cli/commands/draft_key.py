"""karat draft-key"""

from __future__ import annotations

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output


@click.command("draft-key", short_help="Draft a key from the runs, for people to edit.")
@input_files(metavar="RESPONSES...")
@from_format
@click.option("--grain", type=click.Choice(["clause", "nugget"]), default="clause", show_default=True,
              help="Make one nug from a clause with its times, places and manner, or one nug from each of "
              "these.")  # fmt: skip
@click.option("--types", metavar="TYPE,...",
              help="The types of nuggets to use. Without it, all types that fit --grain, but no names (PER, ORG, "
              "GPE).")  # fmt: skip
@click.option("--template", metavar="ID",
              help="The kind of question, as in `karat nuggetize`. Without it, the template that each query "
              "names.")  # fmt: skip
@click.option("--rules", type=click.Choice(["auto", "guidelines"]), default="auto", show_default=True,
              help="The rules for nuggets, as in `karat nuggetize`.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), default=0.55, show_default=True,
              help="How similar the nuggets of one nug must be. A higher value gives more and smaller "
              "nugs.")  # fmt: skip
@click.option("--min-runs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Leave out nugs that fewer runs say.")  # fmt: skip
@click.option("--model", metavar="NAME", help="The spaCy model to use. Without it, the best one that is installed.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="How many processes to use.")  # fmt: skip
@on_error
@output
def command(
    files: tuple[str, ...], from_format: str | None, grain: str, types: str | None, template: str | None, rules: str,
    threshold: float, min_runs: int, model: str | None, jobs: int, on_error: str, output: str,
) -> None:  # fmt: skip
    """Draft a key from the runs, for people to edit.

    Karat finds the nuggets in all responses and writes each as a sentence. Sentences of a query that say nearly the
    same become a nug. Nugs that most runs say come first. The same input always gives the same key; no LLM is used.
    Read the draft before you score with it: Karat knows what the runs say, not what matters. Delete the nugs that do
    not matter, add "importance": "vital" or "okay" to the others, and fix the descriptions. The nuggets that the nugs
    were made from are written to KEY.nuggets.jsonl, next to the output; scoring does not need that file.

    \b
    Example:
      karat draft-key runs.jsonl -o key.jsonl
      karat draft-key a.jsonl b.jsonl --min-runs 2 --types EVT,STM -o key.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.cli.progress import counted
    from karat.evaluate.nuggets.draft_key import draft_key_collection, types_of
    from karat.evaluate.nuggets.nuggetize import Choices, signature
    from karat.formats import write
    from karat.formats.io.overwriting import check_target
    from karat.model.wording import number_of

    nuggets_file = f"{output.removesuffix('.gz').removesuffix('.jsonl')}.nuggets.jsonl"
    if output != "-":
        check_target(nuggets_file, option=f"-o {output} also writes ")
    collection = read_collection(files, from_format, on_error)
    choices = Choices(
        rules=rules,  # type: ignore[arg-type]
        types=tuple(types.split(",")) if types is not None else types_of(grain),  # type: ignore[arg-type]
        template=template,
        model=model,
    )
    snippets = sum(len(response.snippets) for response in collection.responses)
    draft = draft_key_collection(
        collection,
        choices=choices,
        grain=grain,  # type: ignore[arg-type]
        threshold=threshold,
        min_runs=min_runs,
        jobs=jobs,
        track=lambda nuggetized: counted("nuggetizing", nuggetized, total=snippets),
    )
    write(draft.records(), output, format="karat")
    if output != "-":
        write(draft.nuggets, nuggets_file, format="karat")
        click.echo(f"The nuggets that the nugs were made from are in {nuggets_file}.", err=True)
    say_notes(draft.notes)
    queries = len({nug.query_id for nug in draft.nugs})
    counts = number_of(len(draft.nugs), "nug"), number_of(queries, "query"), number_of(len(draft.nuggets), "nugget")
    click.echo("Drafted {} for {} from {}.".format(*counts), err=True)
    click.echo(f"signature: {signature(choices)}|threshold:{threshold:g}", err=True)
