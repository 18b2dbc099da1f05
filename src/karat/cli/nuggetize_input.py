"""What `karat nuggetize` reads: plain text, rows with a text, or responses in any format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

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
    texts = [one for one in sources if from_format == "text" or (from_format is None and _is_text(one))]
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
    from karat.cli.score import read_collection
    from karat.cli.trouble import say_skipped
    from karat.formats import open_inputs
    from karat.model import Collection as _Collection

    if "-" not in files:
        return read_collection(files, from_format, on_error)
    inputs = open_inputs(*sources, format=from_format, on_error=on_error)  # type: ignore[arg-type]
    found = _Collection(inputs)
    if inputs.problems:
        say_skipped(inputs.problems, unlisted=inputs.unlisted)
    return found


def _plain_passages(sources: list[Source], on_error: str) -> list[Passage]:
    from pathlib import Path

    from karat.cli.trouble import say_skipped
    from karat.evaluate.nuggets.passages import passages_of_lines
    from karat.model import InputError

    stems = [Path(source.name).stem for source in sources]
    found: list[Passage] = []
    for number, (source, stem) in enumerate(zip(sources, stems, strict=True), 1):
        # Of several files each numbers its lines from 1.
        prefix = "" if len(sources) == 1 else f"{stem}:" if stems.count(stem) == 1 else f"{number}:"
        found += passages_of_lines(source, prefix=prefix)
        if source.problems and on_error == "stop":
            raise InputError(source.problems)
        if source.problems:
            say_skipped(source.problems, unlisted=source.unlisted)
    return found


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
