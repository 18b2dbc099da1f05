"""karat cite"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.options import from_format, input_files, on_error
from karat.cli.outputs import output
from karat.cli.printing import echo

if TYPE_CHECKING:
    from karat.evaluate.cite.ledger import Finding, Ledger


@click.command("cite")
@input_files(metavar="RUNS DOCUMENTS...")
@from_format
@click.option(
    "--judge", metavar="semantic|lexical", default="auto", show_default="semantic if it is installed, else lexical",
    help="What looks for the passages: by words and their meaning, or by words only.",
)  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="Print the single findings, the worst first.")
@click.option("--verdict", "verdicts", metavar="NAME,...",
              help="With --list, only findings of these verdicts, such as misattributed,absent.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="With --list, only the first N findings.")
@on_error
@click.option(
    "--format", "output_format", type=click.Choice(["table", "tsv", "jsonl"]),
    show_default="table; jsonl with -o X.jsonl", help="Output format; jsonl has the citation judgements.",
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
    from karat.report.cite import LEGEND

    if not listed and (verdicts is not None or limit is not None):
        raise click.UsageError("--verdict and --limit choose findings for --list: add --list.")
    wanted = _verdicts(verdicts)
    by_name = "jsonl" if output.removesuffix(".gz").endswith(".jsonl") else "table"
    chosen = output_format or by_name
    ledger = cite_collection(
        read_collection(files, from_format, on_error), judge=judge, track=tracked("checking citations")
    )
    shown = [finding for finding in ledger.worst_first() if finding.verdict in wanted][:limit] if listed else None
    if chosen == "jsonl":
        write(ledger.records(), output, format="karat")
        if output != "-":
            echo(_text(ledger, shown, "table"), nl=False)
    elif output == "-":
        echo(_text(ledger, shown, chosen), nl=False)
    else:
        with open_sink(output) as sink:
            sink.write(_text(ledger, shown, chosen))
    say_notes(ledger.notes)
    if chosen == "table" or output != "-":
        echo(LEGEND, err=True)
    echo(f"signature: {ledger.signature}", err=True)


def _verdicts(names: str | None) -> frozenset[str]:
    from karat.evaluate.cite.ledger import VERDICTS
    from karat.model import UsageError

    wanted = frozenset(VERDICTS if names is None else (name.strip() for name in names.split(",")))
    for name in sorted(wanted - set(VERDICTS)):
        raise UsageError(f"--verdict: {name!r} is not one of {', '.join(VERDICTS)}")
    return wanted


def _text(ledger: Ledger, shown: list[Finding] | None, output_format: str) -> str:
    """What is printed: the findings where they are asked for, and the table of verdicts."""
    from karat.report.cite import finding_lines, findings_tsv, ledger_table, ledger_tsv

    if output_format == "tsv":
        return ledger_tsv(ledger) if shown is None else findings_tsv(shown)
    lines = "" if shown is None else "".join(f"{line}\n" for line in finding_lines(shown))
    return f"{lines}{ledger_table(ledger)}\n"
