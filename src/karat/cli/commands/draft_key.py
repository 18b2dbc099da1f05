"""karat draft-key"""

from __future__ import annotations

from pathlib import Path

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.computing.engine_options import engine_options
from karat.cli.computing.llm_options import llm_options
from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output
from karat.cli.printing import echo
from karat.cli.selection import selection

NO_KEYS = frozenset({".xls", ".ods", ".txt", ".md"})
"""Endings of files that people may expect, but that are no format of keys."""


@click.command("draft-key", short_help="Draft a key from answers or passages, for people to edit.")
@input_files(metavar="RESPONSES...")
@from_format
@selection
@click.option("--source", type=click.Choice(["auto", "answers", "passages"]), default="auto", show_default=True,
              help="Draft from the answers of runs, or from passages: candidates, cited excerpts, documents. auto: "
              "from answers if there are any.")  # fmt: skip
@click.option("--max", "most", type=click.IntRange(min=0), default=28, show_default=True, metavar="N",
              help="Keep at most N nugs per query, those that together say the most; 0 keeps all.")  # fmt: skip
@click.option("--min-runs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Leave out nugs that fewer runs (or passages) say.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True),
              help="How surely each of two sentences must contain what the other says to be one nug. A higher value "
              "gives more nugs, with fewer members. Without it, 0.65 by meaning and 0.55 by words.")  # fmt: skip
@click.option("--model", metavar="NAME", help="The spaCy model to use. Without it, the best one that is installed.")
@engine_options
@click.option("--llm", is_flag=True,
              help="Let a language model write the nugs (see --llm-url); every nug keeps the sentences that say "
              "it.")  # fmt: skip
@llm_options
@click.option("--force", is_flag=True, help="Write over the output file if it exists already.")
@no_cache
@on_error
@output
def command(
    files: tuple[str, ...], from_format: str | None, source: str, most: int, min_runs: int, threshold: float | None,
    model: str | None, jobs: int, llm: bool, force: bool, on_error: str, output: str,
) -> None:  # fmt: skip
    """Draft a key from answers or passages, for people to edit.

    Karat takes the sentences of all answers, splits them where that changes nothing they say, and writes names for
    pronouns where they are sure. Sentences that say the same become a nug. Nugs that most runs say come first, with a
    suggested importance. Headings, filler and sentences that are unclear by themselves are left out and counted. The
    same input always gives the same key; no LLM is used unless you ask for it with --llm. Read the draft before you
    score with it: Karat knows what the answers say, not what is true or what matters. Delete nugs, change "importance",
    and fix descriptions. With -o key.xlsx, key.csv or key.tsv the key is a table for a spreadsheet, which `karat score`
    reads as well (xlsx needs the xlsx extra). With -o key.jsonl the nuggets that the nugs were made from are written to
    key.nuggets.jsonl; scoring does not need that file.

    With --llm, the model that --llm-url and --llm-model name writes the statements. A statement that no sentence of the
    texts says is left out and counted; order, importance and nuggets are made as without it.

    \b
    Example:
      karat draft-key runs.jsonl -o key.jsonl
      karat draft-key a.jsonl b.jsonl --min-runs 2 --max 20 -o key.csv
      karat draft-key requests.jsonl --source passages -o key.jsonl
      karat draft-key runs.jsonl --llm --llm-url http://127.0.0.1:8080/v1 --llm-model NAME -o key.jsonl
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.cli.progress import counted
    from karat.evaluate.nuggets.draft_key import draft_key_collection
    from karat.formats import write
    from karat.model.wording import number_of

    chosen = _format(output)
    nuggets_file = _nuggets_file(output) if chosen == "karat" and output != "-" else None
    if output != "-":
        _check_outputs(output, nuggets_file, force=force)
    collection = read_collection(files, from_format, on_error)
    draft = draft_key_collection(
        collection,
        source=source,  # type: ignore[arg-type]
        most=most or None,
        min_runs=min_runs,
        threshold=threshold,
        llm=llm,
        model=model,
        jobs=jobs,
        track=lambda texts: counted("drafting", texts, total=len(collection.responses)),
    )
    write(draft.records() if chosen == "karat" else draft.rows(), output, format=chosen)
    if nuggets_file is None and chosen != "karat":
        echo("A table does not show which nuggets a nug was made from; use -o key.jsonl for that.", err=True)
    if nuggets_file is not None:
        write(draft.nuggets, nuggets_file, format="karat")
        echo(f"The nuggets that the nugs were made from are in {nuggets_file}.", err=True)
    say_notes(draft.notes)
    queries = len({nug.query_id for nug in draft.nugs})
    counts = number_of(len(draft.nugs), "nug"), number_of(queries, "query"), number_of(len(draft.nuggets), "nugget")
    echo("Drafted {} for {} from {}.".format(*counts), err=True)
    if draft.nugs:
        echo(f"{draft.rule()}. Please check the importance of each nug.", err=True)
    echo(f"signature: {draft.signature}", err=True)


def _format(output: str) -> str:
    """The format of the key; UsageError where the name promises one that cannot be written."""
    from karat.formats.outputs.writing import format_by_name
    from karat.model import UsageError

    path = Path(output.removesuffix(".gz"))
    if path.suffix.lower() in NO_KEYS:
        raise UsageError(
            f"-o {output}: a key cannot be written as {path.suffix[1:]}; write {path.with_suffix('.csv')}, which "
            f"spreadsheets open, or {path.with_suffix('.jsonl')}"
        )
    return format_by_name(output)


def _nuggets_file(output: str) -> str:
    return f"{output.removesuffix('.gz').removesuffix('.jsonl')}.nuggets.jsonl"


def _check_outputs(output: str, nuggets_file: str | None, *, force: bool) -> None:
    """A key that is there may have been edited for hours: it is only replaced if the user says so."""
    from karat.formats.io.overwriting import check_target
    from karat.model import UsageError

    if nuggets_file is not None:
        check_target(nuggets_file, option=f"-o {output} also writes ")
    if not force and Path(output).is_file() and Path(output).stat().st_size:
        raise UsageError(
            f"-o {output}: exists already, and somebody may have edited it; name another file, or add --force to "
            "replace it"
        )
