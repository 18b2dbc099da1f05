"""karat lint"""

from __future__ import annotations

import click

from karat.cli.codes import Code
from karat.cli.options import from_format, input_files
from karat.cli.outputs import binary_output, output_format, print_result, prints_result
from karat.cli.printing import echo
from karat.cli.selection import Matching, selection


@click.command("lint")
@input_files()
@from_format
@selection
@output_format()
@click.option(
    "--only", metavar="CODE", multiple=True, help="Print only findings with this code; may be given several times."
)
@click.option(
    "--ignore", metavar="CODE", multiple=True, help="Leave out findings with this code; may be given several times."
)
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "style", "never"]), default="error", show_default=True,
    help="The exit code is 1 if a finding is as bad as this, or worse.",
)  # fmt: skip
@prints_result
def command(
    files: tuple[str, ...],
    from_format: str | None,
    output_format: str,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
) -> None:
    """Find mistakes in the data before you score.

    Give a key, or a key with its judgements and runs. If several files have nugs for a query, the first one is its key.
    A finding is an error (scores are wrong or impossible), a warning (they may not mean what they seem to) or style.
    The exit code is 1 if there are errors; --fail-on chooses another severity. With --format jsonl, each row has file,
    line, query_id, code, message and severity.

    \b
    Example:
      karat lint bank.jsonl assignments-*.jsonl
      karat lint key.jsonl --ignore non-atomic-nug --format jsonl
    """
    from collections import Counter
    from difflib import get_close_matches

    import msgspec

    from karat.evaluate.lint import CODES, Findings, lint_inputs
    from karat.evaluate.lint.findings import SEVERITIES
    from karat.formats import open_inputs
    from karat.reports.results.tables import printable

    for code in (*only, *ignore):
        if code not in CODES:
            near = get_close_matches(code, CODES, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" The codes are: {', '.join(sorted(CODES))}."
            raise click.UsageError(f"No finding has the code {code!r}.{hint}")
    findings = 0
    kept = Findings()
    counts: Counter[tuple[str, str]] = Counter()
    failed = False
    encode = msgspec.json.Encoder().encode
    out = binary_output()
    inputs = open_inputs(*files, format=from_format, on_error="skip")
    matching = Matching()
    for finding in lint_inputs(inputs, keep=matching if matching else None):
        if (only and finding.code not in only) or finding.code in ignore:
            continue
        findings += 1
        counts[finding.severity or "", finding.code] += 1
        failed = failed or (fail_on != "never" and finding.is_at_least(fail_on))  # type: ignore[arg-type]
        if output_format == "jsonl":
            out.write(encode(finding) + b"\n")
        elif output_format == "table":
            out.write(f"{printable(str(finding))}\n".encode("utf-8", "replace"))
        else:
            kept.append(finding)
    out.flush()
    matching.check()
    if output_format not in ("jsonl", "table"):
        print_result(kept, output_format)
    if inputs.unlisted:
        echo(f"{inputs.unlisted:,} more problems are not listed.", err=True)
    if not findings and not inputs.unlisted:
        echo("Nothing found.", err=True)
        return
    echo(f"{findings:,} finding{'s' * (findings != 1)}:", err=True)
    for (severity, code), count in sorted(counts.items(), key=lambda item: (SEVERITIES.index(item[0][0]), -item[1])):
        echo(f"  {count:>7,}  {severity:<7}  {code}: {CODES[code]}", err=True)
    if failed or (inputs.unlisted and fail_on != "never"):
        raise click.exceptions.Exit(Code.FINDING)
