"""What is in a file: its format, the number of records of each kind, and the first records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import attrgetter

import msgspec

from karat.formats import Reading
from karat.model import AnyRecord, Nug, Record
from karat.model.identity import KeyHash

_query_id = attrgetter("query_id")
_run_id = attrgetter("run_id")


class FileSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A file at a glance."""

    file: str
    format: str
    title: str
    counts: dict[type[Record], int]
    queries: int
    """The number of different query ids in the file."""
    runs: int
    key_hash: str | None
    """The hash of the nugs and votes in the file; None where it has no nugs."""
    samples: tuple[Record, ...]
    """The first records of each kind."""


def summarize(reading: Reading, *, samples: int = 3, keep: Callable[[AnyRecord], bool] | None = None) -> FileSummary:
    """Read a file once, with little memory, and count what is in it. keep: which records count."""
    counts: Counter[type[Record]] = Counter()
    queries: set[str] = set()
    runs: set[str | None] = set()
    hashed = KeyHash()
    shown: dict[type[Record], list[Record]] = {}
    for batch in reading.batches():
        records = batch.records if keep is None else [record for record in batch.records if keep(record)]
        hashed.add(records)
        kinds: Counter[type[Record]] = Counter(map(type, records))
        for kind, count in kinds.items():
            same = records if count == len(records) else [record for record in records if type(record) is kind]
            if counts[kind] < samples:
                shown.setdefault(kind, []).extend(same[: samples - counts[kind]])
            counts[kind] += count
            if "query_id" in kind.__struct_fields__:
                queries.update(map(_query_id, same))
            if "run_id" in kind.__struct_fields__:
                runs.update(map(_run_id, same))
    return FileSummary(
        file=reading.name,
        format=reading.format.name,
        title=reading.format.title,
        counts=dict(counts),
        queries=len(queries - {"all"}),
        runs=len(runs - {None}),
        key_hash=hashed.hexdigest() if counts[Nug] else None,
        samples=tuple(record for records in shown.values() for record in records),
    )
