"""karat nuggetize"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karat.cli.options import on_error
from karat.cli.outputs import output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.evaluate.nuggets.nuggetize import NuggetizedPassage


from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.evaluate.nuggets.passages import Passage
    from karat.formats.io.source import Source
    from karat.model import Collection


def read_passages(
    files: tuple[str, ...], from_format: str | None, on_error: str, relevant_only: bool
) -> tuple[list[Passage], bool]:
    """The passages of all files, and whether some are of plain text."""
    from karat.evaluate.nuggets.passages import passages_of

    sources = [_source(name) for name in files]
    texts = [source for source in sources if from_format == "text" or (from_format is None and _is_text(source))]
    if texts and len(texts) < len(files):
        raise click.UsageError(f"{texts[0].name}: plain text does not go together with files of responses")
    if texts:
        if relevant_only:
            raise click.UsageError("--relevant-only needs responses with relevance labels, not plain text")
        return _plain_passages(texts, on_error), True
    collection = _collection(files, sources, from_format, on_error)
    if not collection.responses:
        raise click.UsageError("the files hold no responses; say --from text if they are plain text")
    return list(passages_of(collection, relevant_only=relevant_only)), False


def _source(name: str) -> Source:
    """A file; standard input is read at once, because it is looked at twice."""
    import sys

    from karat.formats.io.source import Source as _Source

    return _Source(name, sys.stdin.buffer.read()) if name == "-" else _Source(name)


def _collection(files: tuple[str, ...], sources: list[Source], from_format: str | None, on_error: str) -> Collection:
    from karat.cli.inputs import read_collection
    from karat.cli.messages import say_skipped
    from karat.formats import open_inputs
    from karat.model import Collection as _Collection

    if "-" not in files:
        return read_collection(files, from_format, on_error)
    inputs = open_inputs(*sources, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    collection = _Collection(inputs)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    return collection


def _plain_passages(sources: list[Source], on_error: str) -> list[Passage]:
    from pathlib import Path

    from karat.cli.messages import say_skipped
    from karat.evaluate.nuggets.passages import passages_of_lines
    from karat.model import InputError

    stems = [Path(source.name).stem for source in sources]
    passages: list[Passage] = []
    for number, (source, stem) in enumerate(zip(sources, stems, strict=True), 1):
        # Of several files each numbers its lines from 1.
        prefix = "" if len(sources) == 1 else f"{stem}:" if stems.count(stem) == 1 else f"{number}:"
        passages += passages_of_lines(source, prefix=prefix)
        if source.problems and on_error == "stop":
            raise InputError(source.problems)
        if source.problems:
            say_skipped(source.problems, unlisted=source.unlisted)
    return passages


def _is_text(source: Source) -> bool:
    """Plain text is what no format knows, and what is called .txt."""
    from karat.formats.registry import sniff
    from karat.model import UsageError

    if source.is_directory:
        return False
    if source.name.endswith(".txt"):
        return True
    try:
        sniff(source)
    except UsageError:
        return True
    return False


FORMATS = ("pretty", "jsonl", "karat", "brat")


@click.command("nuggetize", short_help="Find the nuggets of snippets, with their types.")
@click.argument("files", nargs=-1, metavar="[FILE|-]...", type=click.Path())
@click.option("--from", "from_format", metavar="FORMAT",
              help="The format of the files, or `text`: a snippet a line; recognised where not given.")  # fmt: skip
@click.option("--rules", type=click.Choice(["auto", "guidelines"]), default="auto", show_default=True,
              help="The rules of the automatic system (2012), or those that people follow (2008).")  # fmt: skip
@click.option("--template", metavar="ID", help="The kind of question; `karat nuggetize --list-templates` shows them. "
              "Where it is not given, each query's own.")  # fmt: skip
@click.option("--asked", metavar="WHAT", help="What a template asks for: people, organizations, countries.")
@click.option("--templates", "templates_file", metavar="FILE.toml", type=click.Path(),
              help="Templates of a campaign, beside the papers'.")  # fmt: skip
@click.option(
    "--types", metavar="TYPE,...", help="These types alone: PER, GPE, ORG, TITLE, NUM, EVT, TMP, LOC, MOD, STM."
)
@click.option("--relevant-only", is_flag=True, help="The text that people called relevant, and nothing else.")
@click.option("--model", metavar="NAME", help="A spaCy model to use; the best that is installed where none is named.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Processes to use.")
@click.option("--explain", is_flag=True, help="Show which rule made or removed each nugget.")
@click.option("--list-templates", is_flag=True, help="Show the templates and stop.")
@on_error
@click.option("--format", "output_format", type=click.Choice(FORMATS),
              help="How to print: coloured text, a row a snippet, Karat's records, or brat; pretty on a terminal, "
              "else jsonl.")  # fmt: skip
@output
def command(
    files: tuple[str, ...], from_format: str | None, rules: str, template: str | None, asked: str | None,
    templates_file: str | None, types: str | None, relevant_only: bool, model: str | None, jobs: int, explain: bool,
    list_templates: bool, on_error: str, output_format: str | None, output: str,
) -> None:  # fmt: skip
    """Find the nuggets of snippets, with their types.

    Give plain text, a snippet a line (a file, or standard input), JSON lines with a `text`, or responses in any format
    that Karat reads. By the rules of Babko-Malaya et al. (2012): persons (PER), organizations (ORG) and countries (GPE)
    that take part, titles (TITLE), numbers (NUM), events (EVT), times (TMP), places (LOC), other modifiers (MOD) and
    statements (STM). Every nugget points into the text; an event has its verb as anchor. English only; text in other
    languages is said to be so.

    \b
    Example:
      karat nuggetize snippets.txt
      karat nuggetize run.jsonl --template where_been --format karat -o nuggets.jsonl
    """
    from karat.cli.progress import counted
    from karat.evaluate.nuggets.nuggetize import Choices, nuggetize_passages, signature
    from karat.nuggetizer.templates import TYPES, load_templates

    known = load_templates(templates_file)
    if list_templates:
        from karat.report.nuggets import print_templates

        print_templates(known)
        return
    choices = Choices(
        rules=rules,  # type: ignore[arg-type]
        types=tuple(types.split(",")) if types is not None else TYPES,
        template=template,
        asked=asked,
        explain=explain,
        model=model,
    )
    passages, plain = read_passages(files or ("-",), from_format, on_error, relevant_only)
    results = counted(
        "nuggetizing", nuggetize_passages(passages, choices=choices, templates=known, jobs=jobs), total=len(passages)
    )
    _write(
        results, output_format or ("pretty" if _is_terminal(output) else "jsonl"), output, plain=plain, explain=explain
    )
    click.echo(f"signature: {signature(choices)}", err=True)


def _is_terminal(output: str) -> bool:
    import sys

    return output == "-" and sys.stdout is not None and sys.stdout.isatty()


def _write(
    snippets: Iterable[NuggetizedPassage], output_format: str, output: str, *, plain: bool, explain: bool
) -> None:
    from karat.evaluate.nuggets.nuggetize import nugget_records
    from karat.evaluate.nuggets.passages import responses_of
    from karat.formats import write
    from karat.formats.io.sink import open_sink
    from karat.model import AnyRecord
    from karat.report.nuggets import pretty_lines, row_of

    if output_format in ("pretty", "jsonl"):
        with open_sink(output) as sink:
            notes: dict[str, None] = {}
            for snippet in snippets:
                notes.update(dict.fromkeys(snippet.result.notes))
                if output_format == "jsonl":
                    sink.json_line(row_of(snippet, plain=plain, explain=explain))
                else:
                    sink.write(pretty_lines(snippet, explain=explain, colour=_is_terminal(output)))
        _say(notes if output_format == "jsonl" else ())
        return
    results = list(snippets)
    records: list[AnyRecord] = []
    if plain or output_format == "brat":
        # Plain text has no file of responses that the nuggets could point into.
        records.extend(responses_of([snippet.passage for snippet in results]))
    records.extend(nugget_records(results))
    _say(dict.fromkeys(note for snippet in results for note in snippet.result.notes))
    write(records, output, format=output_format)


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)
