"""Batch: records with the lines they stand on, some hundreds at a time."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from karat.model import AnyRecord


class Batch:
    """Records of one file in order. Working on many at once is what keeps a million of them cheap."""

    __slots__ = ("_columns", "lines", "mended", "records")

    def __init__(
        self, records: Sequence[AnyRecord], lines: Sequence[int] = (), mended: frozenset[int] = frozenset()
    ) -> None:
        self.records = records
        self.lines = lines
        """The line of each record; empty where nobody needs it."""
        self.mended = mended
        """The positions of records about which something was reported, kept all the same."""
        self._columns: dict[str, list[Any]] = {}

    def column(self, field: str) -> list[Any]:
        """One field of every record: all must be of kinds that have it."""
        found = self._columns.get(field)
        if found is None:
            found = self._columns[field] = list(map(attrgetter(field), self.records))
        return found

    def holds_only(self, kind: type[AnyRecord]) -> bool:
        """Whether all records are of one kind (and there are some)."""
        return set(map(type, self.records)) == {kind}
