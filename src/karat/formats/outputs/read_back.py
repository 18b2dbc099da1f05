"""What was written in another format is read again before it becomes a file: no file that Karat refuses to read.

A writer reports what it cannot hold, as far as it knows. What it does not know is found here: records that make the
file unreadable (empty ids, the same record twice) are left out, and records that come back different are counted.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from karat.formats.inputs.reading import open_reading
from karat.formats.io.sink import Losses, Sink
from karat.formats.io.source import Source
from karat.formats.registry import Format
from karat.model import AnyRecord, InputError, Problem, UnfitInput, encode_record, kind_of
from karat.model.identity import IDENTITY_FIELDS, identity

CHECKED = 64 << 20
"""Larger results (64 MiB) are written as they are: reading them again would double time and memory."""


def written_bytes(
    records: Iterable[AnyRecord], chosen: Format, losses: Losses, *, name: str, raw_cells: bool = False
) -> bytes:
    """The file's content, which can be read again; adds what is lost to `losses`.

    name: the name of the file, from which some formats take the query. Raises KaratError if the format cannot hold the
    records at all.
    """
    given = list(records)
    lost = Losses()
    data = _bytes(given, chosen, lost, raw_cells)
    if data and len(data) <= CHECKED:
        read, problems = _read(data, chosen, name)
        if problems:
            lost = Losses()
            given = list(_sound(given, lost))
            data = _bytes(given, chosen, lost, raw_cells)
            read, problems = _read(data, chosen, name) if data else ([], ())
        if problems:
            what = problems[0]
            raise UnfitInput(
                f"{chosen.name} cannot hold these records: Karat could not read the file again "
                f"(line {what.line}: {what.path + ': ' if what.path else ''}{what.message}). Nothing was written"
            )
        _compare(given, read, lost)
    losses.counts.update(lost.counts)
    for what_lost, reason in lost.reasons.items():
        losses.reasons.setdefault(what_lost, reason)
    return data


def _bytes(records: Iterable[AnyRecord], chosen: Format, losses: Losses, raw_cells: bool) -> bytes:
    assert chosen.write is not None
    buffer = io.BytesIO()
    chosen.write(losses.watch(records, chosen.carries), Sink(buffer, losses, raw_cells=raw_cells))
    return buffer.getvalue()


def _read(data: bytes, chosen: Format, name: str) -> tuple[list[AnyRecord], Sequence[Problem]]:
    reading = open_reading(Source(name, data), format=chosen.name, on_error="skip")
    try:
        records = list(reading)
    except InputError as error:
        return [], error.problems
    return records, reading.source.problems


def _sound(records: Iterable[AnyRecord], losses: Losses) -> Iterator[AnyRecord]:
    """The records without those that few formats can hold."""
    seen: set[tuple[str, object]] = set()
    for record in records:
        kind = kind_of(record)
        ids = [getattr(record, field) for field in IDENTITY_FIELDS[type(record)]]
        same = (kind, identity(record))
        if any(isinstance(value, str) and (not value or value != value.strip()) for value in ids):
            losses.add(kind, "an id is empty, or begins or ends with a blank")
        elif same in seen:
            losses.add(kind, "the same record twice")
        else:
            seen.add(same)
            yield record


def _compare(given: Iterable[AnyRecord], read: Iterable[AnyRecord], losses: Losses) -> None:
    """Count the records that come back different, for the kinds of which nothing is known to be lost."""
    known = {what.partition(".")[0] for what in losses.counts}
    after = Counter(map(encode_record, read))
    for record in given:
        kind = kind_of(record)
        line = encode_record(record)
        if after[line]:
            after[line] -= 1
        elif kind not in known:
            losses.add(f"{kind}.content", "different when the file is read again")
