"""What the tests of many formats share."""

from __future__ import annotations

from collections.abc import Iterable

from karat.formats import Losses, Source, open_reading, sniff, write_bytes
from karat.model import AnyRecord, Collection, Problem


def collect(data: str | bytes, format: str) -> Collection:
    """The records in a file of this content; any problem is an error."""
    return Collection(open_reading(_bytes(data), format=format))


def collect_with_problems(data: str | bytes, format: str) -> tuple[Collection, list[Problem]]:
    """The records that could be kept, and what was wrong."""
    reading = open_reading(_bytes(data), format=format, on_error="skip")
    return Collection(reading), reading.source.problems


def messages(data: str | bytes, format: str) -> list[str]:
    """What was wrong, as a user reads it, without the file name."""
    return [str(problem).removeprefix("<bytes>:") for problem in collect_with_problems(data, format)[1]]


def sniffed(data: str | bytes, name: str = "<bytes>") -> str:
    """The name of the format that a file of this content is taken for."""
    return sniff(Source(name, _bytes(data))).name


def round_trip(records: Iterable[AnyRecord], format: str) -> bytes:
    """Write, read, compare; nothing may be lost and the result must be recognised. Returns the file."""
    before = Collection(records)
    losses = Losses()
    data = write_bytes(before, format=format, losses=losses)
    assert losses.lines() == []
    assert Collection(open_reading(data, format=format)) == before
    return data


def lost(records: Iterable[AnyRecord], format: str) -> dict[str, int]:
    """What the format cannot carry of these records."""
    losses = Losses()
    write_bytes(records, format=format, losses=losses)
    return dict(losses.counts)


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
