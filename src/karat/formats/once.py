"""Once: a definition that a file repeats in every row is given out the first time only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.source import Source
from karat.model import AnyRecord, Nug, Query, Run, kind_of
from karat.model.identity import identity, identity_text
from karat.model.merging import merged


class Once:
    """Passes a Query, Run or Nug on when it is new; a later one that contradicts it is a problem."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: dict[tuple[Any, ...], tuple[AnyRecord, int]] = {}

    def __call__(self, record: Query | Run | Nug) -> Iterator[AnyRecord]:
        key = (type(record), *identity(record))
        line = self._source.line if key not in self._seen else 0
        first, first_line = self._seen.setdefault(key, (record, line))
        if first is record:
            yield record
        elif first != record:
            for field in merged(first, record)[1]:
                self._source.report(
                    field,
                    f"{getattr(record, field)!r} here, {getattr(first, field)!r} on line {first_line} "
                    f"for the {kind_of(record)} with {identity_text(record)}",
                    code="conflicting-definition",
                )
