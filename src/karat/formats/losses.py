"""Losses: what a target format cannot carry, counted before anything is dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from karat.model import AnyRecord, Part, Record, kind_of

Carries = Mapping[str, frozenset[str]]
"""For each kind of record that a format can hold: its fields, parts with dots (`snippets.citations.doc_id`)."""


def carries(**kinds: str) -> Carries:
    """A Carries from blank-separated names: `carries(nug="query_id nug_id descriptions")`."""
    return {kind: frozenset(fields.split()) for kind, fields in kinds.items()}


class Losses:
    """How many records lose what, by a name such as `vote` (whole records) or `nug.weight` (a field)."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}

    def add(self, what: str, reason: str = "") -> None:
        self.counts[what] += 1
        if reason:
            self.reasons.setdefault(what, reason)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def lines(self) -> list[str]:
        """The report, a line a loss."""
        report = []
        for what, count in sorted(self.counts.items()):
            unit = "records" if "." not in what else "values"
            reason = f" ({self.reasons[what]})" if what in self.reasons else ""
            report.append(f"{what}: {count:,} {unit}{reason}")
        return report

    def watch(self, records: Iterable[AnyRecord], carried: Carries) -> Iterator[AnyRecord]:
        """The same records, counting what `carried` does not name; kinds it lacks are left out."""
        for record in records:
            kind = kind_of(record)
            if kind not in carried:
                self.counts[kind] += 1
                continue
            for field in _filled(record):
                if field not in carried[kind] and "*" not in carried[kind]:
                    self.counts[f"{kind}.{field}"] += 1
            yield record


def _filled(record: Record | Part, prefix: str = "") -> Iterator[str]:
    """The names of the fields that hold something other than their default."""
    for name, default in _defaults(type(record)):
        value = getattr(record, name)
        if value is None or value == default or value in ((), {}):
            continue
        field = f"{prefix}{name}"
        yield field
        if isinstance(value, Part):
            yield from _filled(value, f"{field}.")
        elif isinstance(value, tuple):
            seen = {inner for part in value if isinstance(part, Part) for inner in _filled(part, f"{field}.")}
            yield from sorted(seen)


@cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    def default(field: msgspec.structs.FieldInfo) -> Any:
        if field.default_factory is not msgspec.NODEFAULT:
            return field.default_factory()
        return field.default

    return tuple((field.name, default(field)) for field in msgspec.structs.fields(kind) if field.name != "v")
