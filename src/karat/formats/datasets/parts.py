"""What the readers of data sets share: several files of one set, and ids that must not appear twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.formats.io.source import Source
from karat.model import AnyRecord, kind_of
from karat.model.identity import identity, identity_text

SNIPPET_IDS = "snippet_ids"
"""The field of `evidence.extra` with the ids of the snippets that a judgement of a whole response is based on."""


def open_part(source: Source, path: Path) -> Source:
    """Another file of the same data set; its problems are collected with the others, under its own name."""
    if not path.is_file():
        source.fail(f"{path.name} is missing in {path.parent}", code="missing-file", line=0)
    part = Source(path)
    part.problems, part.warnings = source.problems, source.warnings
    return part


def part_lines(part: Source) -> list[str]:
    """All lines of a file in which line numbers have a meaning, so that no line may be left out."""
    lines = [line.removesuffix("\r") for line in part.read_text().split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    return lines


class Distinct:
    """Passes a record on if its ids are new; another record with the same ids is reported."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def __call__(self, source: Source, path: str, record: AnyRecord) -> Sequence[AnyRecord]:
        key = (type(record), *identity(record))
        if key in self._seen:
            source.report(
                path, f"the {kind_of(record)} with {identity_text(record)} appears twice", code="duplicate-id"
            )
            return ()
        self._seen.add(key)
        return (record,)
