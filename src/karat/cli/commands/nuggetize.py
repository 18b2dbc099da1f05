"""karat nuggetize"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.computing.engine_options import engine_options
from karat.cli.options import on_error, shard_size
from karat.cli.outputs import output, print_result
from karat.cli.printing import echo
from karat.cli.selection import Matching, selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.evaluate.nuggets.input_snippets import Snippets
    from karat.evaluate.nuggets.nuggetize import NuggetizedSnippet


FORMATS = ("pretty", "jsonl", "karat", "parquet", "brat", "csv", "tsv")
TABLES = ("csv", "tsv")


@click.command("nuggetize", short_help="Find the nuggets in snippets, with their types.")
@click.argument("files", nargs=-1, metavar="[FILE|-]...", type=click.Path())
@click.option("--from", "from_format", metavar="FORMAT",
              help="The format of the files, or `text` for one snippet per line. Without it, the format is "
              "recognised.")  # fmt: skip
@selection
@click.option("--rules", type=click.Choice(["auto", "guidelines"]), default="auto", show_default=True,
              help="The rules of the automatic system (2012), or those for people who annotate (2008).")  # fmt: skip
@click.option("--template", metavar="ID",
              help="The kind of question: only nuggets that answer it are kept. `--list-templates` shows all. Without "
              "it, the template that each query names.")  # fmt: skip
@click.option("--asked", metavar="WHAT",
              help="Which of the things the template can ask for: people, organizations or countries.")  # fmt: skip
@click.option("--templates", "templates_file", metavar="FILE.toml", type=click.Path(),
              help="A file with more templates, of your own.")  # fmt: skip
@click.option(
    "--types", metavar="TYPE,...", help="Keep only these types: PER, GPE, ORG, TITLE, NUM, EVT, TMP, LOC, MOD, STM."
)
@click.option("--relevant-only", is_flag=True, help="Use only the text that people called relevant.")
@click.option("--words", type=click.IntRange(min=0), default=0, metavar="N",
              help="Use only the first N words of each response (500 in GALE).  [default: all]")  # fmt: skip
@click.option("--one-segment", is_flag=True, help="Stop if a snippet has more than one sentence.")
@click.option("--model", metavar="NAME", help="The spaCy model to use. Without it, the best one that is installed.")
@engine_options
@click.option("--explain", is_flag=True, help="Show also which rule made, changed or removed each nugget.")
@click.option("--list-templates", is_flag=True, help="Show the templates and stop.")
@on_error
@click.option("--format", "output_format", type=click.Choice(FORMATS),
              help="Coloured text, one row per snippet (jsonl), Karat's records (karat, parquet), brat's files, or a "
              "table with one row per nugget (csv, tsv). Without it, csv or tsv if the name of the output ends so, "
              "otherwise `pretty` on a terminal and `jsonl` elsewhere.")  # fmt: skip
@shard_size
@output
def command(
    files: tuple[str, ...], from_format: str | None, rules: str, template: str | None, asked: str | None,
    templates_file: str | None, types: str | None, relevant_only: bool, words: int, one_segment: bool,
    model: str | None, jobs: int, explain: bool,
    list_templates: bool, on_error: str, output_format: str | None, shards: str | None, output: str,
) -> None:  # fmt: skip
    """Find the nuggets in snippets, with their types.

    Give plain text with one snippet per line (a file, or standard input), JSON lines with a field `text`, or responses
    in any format that Karat reads. Nuggets are found by the rules of Babko-Malaya et al. (2012): persons (PER),
    organizations (ORG) and countries (GPE) that take part in something, titles (TITLE), numbers (NUM), events (EVT),
    times (TMP), places (LOC), other modifiers (MOD) and statements (STM). Every nugget has its position in the text; an
    event or statement also has an anchor, its verb. For English only; a note says which texts were left out because
    they are not English.

    \b
    Example:
      karat nuggetize snippets.txt
      karat nuggetize run.jsonl --template where_been --format karat -o nuggets.jsonl
    """
    from karat.cli.messages import say_noted, say_skipped
    from karat.cli.progress import counted
    from karat.evaluate.nuggets.input_snippets import read_snippets
    from karat.evaluate.nuggets.limits import check_segments, within_words
    from karat.evaluate.nuggets.nuggetize import Choices, nuggetize_snippets, signature
    from karat.formats.outputs.sharding import is_folder
    from karat.formats.outputs.writing import LOSSLESS
    from karat.nuggetizer.templates import TYPES, load_templates

    known = load_templates(templates_file)
    if list_templates:
        from karat.reports.nuggets import templates_result

        print_result(templates_result(known), "jsonl" if output_format == "jsonl" else "table")
        return
    choices = Choices(
        rules=rules,  # type: ignore[arg-type]
        types=tuple(types.split(",")) if types is not None else TYPES,
        template=template,
        asked=asked,
        explain=explain,
        paraphrase=True,
        model=model,
        words=words,
    )
    inputs = read_snippets(files or ("-",), format=from_format, on_error=on_error, relevant_only=relevant_only)  # type: ignore[arg-type]
    say_noted(inputs.warnings)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    chosen_snippets = inputs.snippets.only(matching.kept) if (matching := Matching()) else inputs.snippets
    if one_segment:
        check_segments(chosen_snippets)
    limited = within_words(chosen_snippets, words=words, relevant_only=relevant_only)
    snippets = limited.snippets
    results = counted(
        "nuggetizing", nuggetize_snippets(snippets, choices=choices, templates=known, jobs=jobs), total=len(snippets)
    )
    in_shards = shards is not None or is_folder(output)
    chosen = output_format or ("karat" if in_shards else _by_name(output))
    chosen = chosen or ("pretty" if _is_terminal(output) else "jsonl")
    if in_shards and chosen not in LOSSLESS:
        raise click.UsageError(f"shards hold Karat's records, not {chosen}: choose --format karat or parquet.")
    # Plain text has no file of responses, so the snippets are written beside the nuggets.
    beside = snippets if inputs.is_plain else None
    _write(results, chosen, output, beside=beside, explain=explain, shards=shards)
    _say(limited.notes)
    echo(f"signature: {signature(choices)}", err=True)


def _by_name(output: str) -> str | None:
    """The table that the name of the output means."""
    ending = output.removesuffix(".gz").rpartition(".")[2].lower()
    return ending if ending in TABLES else None


def _is_terminal(output: str) -> bool:
    import sys

    return output == "-" and sys.stdout is not None and sys.stdout.isatty()


def _write(
    snippets: Iterable[NuggetizedSnippet], output_format: str, output: str, *, beside: Snippets | None, explain: bool,
    shards: str | None,
) -> None:  # fmt: skip
    from itertools import chain

    from karat.evaluate.nuggets.nuggetize import SnippetNotes, nugget_records
    from karat.evaluate.nuggets.plain_responses import responses_of
    from karat.formats import write
    from karat.formats.io.sink import open_sink
    from karat.formats.outputs.writing import LOSSLESS
    from karat.model.wording import number_of
    from karat.reports.nuggets import nugget_lines, pretty_lines, row_of

    if output_format in TABLES:
        notes, empty = SnippetNotes(), 0
        with open_sink(output) as sink:
            sink.write(nugget_lines(None, output_format))
            for snippet in snippets:
                notes.add(snippet)
                sink.write(nugget_lines(snippet, output_format))
                empty += not snippet.result.nuggets
        _say([*notes.lines(), *([f"{number_of(empty, 'snippet')} without nuggets: no row"] if empty else [])])
        return
    if output_format in ("pretty", "jsonl"):
        with open_sink(output, styled=output_format == "pretty") as sink:
            notes = SnippetNotes()
            for snippet in snippets:
                notes.add(snippet)
                if output_format == "jsonl":
                    sink.json_line(row_of(snippet, plain=beside is not None, explain=explain))
                else:
                    sink.write(pretty_lines(snippet, explain=explain, colour=_is_terminal(output)))
        _say(notes.lines() if output_format == "jsonl" else ())
        return
    if output_format in LOSSLESS:
        notes = SnippetNotes()
        responses = responses_of(beside) if beside is not None else ()
        nuggets = nugget_records(map(notes.noted, snippets))
        write(chain(responses, nuggets), output, format=output_format, shards=shards)
        _say(notes.lines())
        return
    # A file of brat has the texts of all snippets before the first nugget.
    results = list(snippets)
    _say(SnippetNotes(results).lines())
    texts = responses_of([snippet.input for snippet in results])
    write([*texts, *nugget_records(results)], output, format=output_format, shards=shards)


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        echo(f"note: {note}", err=True)
