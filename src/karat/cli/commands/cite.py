"""karat cite"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from karat.cli.computing.cache_options import no_cache
from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import FORMAT_OF_ENDING, FORMATS, output, print_result
from karat.cli.printing import echo
from karat.cli.selection import selection

if TYPE_CHECKING:
    from karat.evaluate.cite.ledger import Finding, Ledger


@click.command("cite")
@input_files(metavar="RUNS DOCUMENTS...")
@from_format
@selection
@click.option(
    "--judge", metavar="semantic|lexical", default="auto", show_default="semantic if it is installed, else lexical",
    help="What looks for the passages: by words and their meaning, or by words only.",
)  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="Print the single findings, the worst first.")
@click.option("--verdict", "verdicts", metavar="NAME,...",
              help="With --list, only findings of these verdicts, such as misattributed,absent.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="With --list, only the first N findings.")
@no_cache
@on_error
@click.option(
    "--format", "output_format", type=click.Choice(FORMATS),
    show_default="table, or by the name of the output", help="Output format; jsonl has the citation judgements.",
)  # fmt: skip
@output
def command(
    files: tuple[str, ...], from_format: str | None, judge: str, listed: bool, verdicts: str | None, limit: int | None,
    on_error: str, output_format: str | None, output: str,
) -> None:  # fmt: skip
    """Check whether cited documents say it, and where.

    Give the runs and the documents that they cite, in any order. Documents may be Karat's own records, JSON lines with
    an id and a text, TREC files, or a folder of text files named by id; answers that carry their passages need no
    documents. For every cited snippet (or the chunk that the citation names), and for every nugget in it, there is a
    verdict with a probability: verbatim, paraphrased, partly, absent (not in the document), misattributed (another
    document of the run says it) or missing (no text at hand).

    With -o ledger.jsonl the findings are written as citation judgements, with the passage, and `karat score` has their
    measures at once. What people judged is shown beside it, with the agreement, and is not changed. docs/citations.md
    says how a verdict is decided, and how often it is right.

    \b
    Example:
      karat cite runs.jsonl documents.jsonl
      karat cite runs.jsonl texts/ --list --verdict misattributed,absent
      karat cite runs.jsonl documents.jsonl -o ledger.jsonl
      karat score runs.jsonl ledger.jsonl --measures support_F,support_precision
    """
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_notes
    from karat.cli.progress import tracked
    from karat.evaluate.cite.cite import cite_collection
    from karat.formats import write
    from karat.formats.io.sink import open_sink
    from karat.reports.cite import LEGEND
    from karat.reports.results import show

    if not listed and (verdicts is not None or limit is not None):
        raise click.UsageError("--verdict and --limit choose findings for --list: add --list.")
    wanted = _verdicts(verdicts)
    chosen = output_format or FORMAT_OF_ENDING.get(Path(output.removesuffix(".gz")).suffix.lower(), "table")
    ledger = cite_collection(
        read_collection(files, from_format, on_error), judge=judge, track=tracked("checking citations")
    )
    shown = [finding for finding in ledger.worst_first() if finding.verdict in wanted][:limit] if listed else None
    if chosen == "jsonl":
        write(ledger.records(), output, format="karat")
    elif output != "-":
        with open_sink(output) as sink:
            sink.write(_text(ledger, shown) if chosen == "table" else show(ledger, listed=shown).written(chosen))
    if output != "-" and chosen == "jsonl":
        echo(_text(ledger, shown), nl=False)
    if output == "-" and chosen != "jsonl":
        print_result(ledger, chosen, listed=shown, print_table=lambda: echo(_text(ledger, shown), nl=False))
        return
    say_notes(ledger.notes)
    if output != "-":
        echo(LEGEND, err=True)
    echo(f"signature: {ledger.signature}", err=True)


def _verdicts(names: str | None) -> frozenset[str]:
    from karat.evaluate.cite.ledger import VERDICTS
    from karat.model import UsageError

    wanted = frozenset(VERDICTS if names is None else (name.strip() for name in names.split(",")))
    for name in sorted(wanted - set(VERDICTS)):
        raise UsageError(f"--verdict: {name!r} is not one of {', '.join(VERDICTS)}")
    return wanted


def _text(ledger: Ledger, shown: list[Finding] | None) -> str:
    """What is printed: the findings where they are asked for, and the table of verdicts."""
    from karat.reports.cite import finding_lines, ledger_table

    lines = "" if shown is None else "".join(f"{line}\n" for line in finding_lines(shown))
    return f"{lines}{ledger_table(ledger)}\n"
