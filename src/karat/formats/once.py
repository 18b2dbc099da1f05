"""Once: a definition that a file repeats in every row is given out the first time only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.source import Source
from karat.model import AnyRecord, Nug, Query, Run, kind_of
from karat.model.identity import identity, identity_text


class Once:
    """Passes a Query, Run or Nug on when it is new; a later one that differs is a lint finding."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: dict[tuple[Any, ...], AnyRecord] = {}

    def __call__(self, record: Query | Run | Nug) -> Iterator[AnyRecord]:
        key = (type(record), *identity(record))
        first = self._seen.setdefault(key, record)
        if first is record:
            yield record
        elif first != record:
            self._source.warn(
                "",
                f"{kind_of(record)} with {identity_text(record)} differs from its first occurrence",
                code="conflicting-definition",
            )
