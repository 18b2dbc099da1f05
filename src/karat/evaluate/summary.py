"""What is in a file: its format, how much of what, and the first records."""

from __future__ import annotations

from collections import Counter

import msgspec

from karat.formats import Reading
from karat.model import Problem, Record, Run


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A file at a glance."""

    file: str
    format: str
    title: str
    counts: dict[type[Record], int]
    queries: int
    """How many queries are named anywhere in the file."""
    runs: int
    samples: tuple[Record, ...]
    """The first records of each kind."""
    problems: tuple[Problem, ...]
    unlisted: int


def summarize(reading: Reading, *, samples: int = 3) -> Summary:
    """Read a file once, in bounded memory, and tell what is in it."""
    counts: Counter[type[Record]] = Counter()
    queries: set[str] = set()
    runs: set[str] = set()
    shown: dict[type[Record], list[Record]] = {}
    for record in reading:
        kind = type(record)
        if counts[kind] < samples:
            shown.setdefault(kind, []).append(record)
        counts[kind] += 1
        if kind is Run:
            runs.add(record.run_id)  # type: ignore[union-attr]
            continue
        queries.add(record.query_id)  # type: ignore[union-attr]
        if hasattr(record, "run_id"):
            runs.add(record.run_id)
    return Summary(
        file=reading.name,
        format=reading.format.name,
        title=reading.format.title,
        counts=dict(counts),
        queries=len(queries - {"all"}),
        runs=len(runs),
        samples=tuple(record for records in shown.values() for record in records),
        problems=tuple(reading.source.problems),
        unlisted=reading.source.unlisted,
    )
