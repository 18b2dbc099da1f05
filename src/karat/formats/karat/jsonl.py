"""Karat's own JSONL: one record per line. It holds every kind of record, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from karat.formats.io.definitions import DefinedAt
from karat.formats.io.head import Head
from karat.formats.io.rows import Batch
from karat.formats.io.sink import Carries, Sink
from karat.formats.io.source import Source
from karat.formats.karat.repair import read_carefully
from karat.formats.karat.repeated_keys import MESSAGE, key_repeated_in, repeated_keys
from karat.model import RECORD_TYPE_BY_KIND, RECORD_TYPES, AnyRecord, kind_of
from karat.model.codec import JudgementLine, fast_decoder, is_untidy, tidy_line
from karat.model.identity import DEFINITIONS

if TYPE_CHECKING:
    from karat.formats.karat.plain import Codes

TITLE = "Karat's own records, one per line"
CARRIES: Carries = {kind_of(kind): frozenset({"*"}) for kind in RECORD_TYPES}

PLAIN_BLOCK = 1 << 18
"""Pieces that are read as columns are larger: each costs some calls, and holds no records."""
_NEWLINE = ord("\n")
_UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_JUDGEMENT = b'{"kind":"judgement"'
_USES = tuple(f'{{"kind":"{kind_of(kind)}"'.encode() for kind in RECORD_TYPES if kind not in DEFINITIONS)


def sniff_karat(head: Head) -> bool:
    kind = head.row.get("kind")
    return isinstance(kind, str) and kind in RECORD_TYPE_BY_KIND


def read_karat(source: Source) -> Iterator[AnyRecord]:
    """The records in the order of the file. A judgement with an impossible label is kept with the status `failed`."""
    decode = fast_decoder()
    for lines in source.blocks():
        block = list(lines)
        try:
            records = list(map(decode, block))
        except _UNDECODED:
            yield from _read_block(source, source.restart())
            continue
        first = source.line - len(block) + 1
        _report_repeated(source, block, records, first)
        # The lines are walked through once more beside the records, so that the source knows where it is.
        for _, record in zip(source.restart(), records, strict=True):
            yield record


def read_batches(source: Source) -> Iterator[Batch]:
    """The same records, one block of the file at a time."""
    for lines in source.blocks():
        yield _batch(source, lines)


def read_plain(source: Source, codes: Codes) -> Iterator[Batch]:
    """The same records; blocks of plain judgements come as columns (`karat.plain`)."""
    from karat.formats.karat.plain import byte_count, plain_block

    before = 0
    for block in source.raw_blocks(PLAIN_BLOCK):
        count = byte_count(block, _NEWLINE) + (not block.endswith(b"\n"))
        batch = plain_block(block, count, before + 1, codes)
        # Only the lines of other blocks are split.
        yield _batch(source, source.lines_of(block, before)) if batch is None else batch
        before += count


def _batch(source: Source, lines: Iterator[bytes]) -> Batch:
    first = source.line + 1
    block = list(lines)
    try:
        records: list[AnyRecord] = list(map(fast_decoder(), block))
    except _UNDECODED:
        return _careful_batch(source, source.restart())
    _report_repeated(source, block, records, first)
    return Batch(records, range(first, first + len(records)))


def read_definitions(source: Source) -> Iterator[tuple[AnyRecord, DefinedAt]]:
    """Only the records that others refer to (queries, responses, nugs, ...), each with its line.

    Karat writes the kind of a record first, so a block in which every line begins like a judgement is skipped.
    Problems reported here are reported again when the records are read.
    """
    before = 0
    for block in source.raw_blocks():
        lines = block.count(b"\n")
        if block.count(b"\n" + _JUDGEMENT) + block.startswith(_JUDGEMENT) < lines or not block.endswith(b"\n"):
            for number, line in enumerate(block.split(b"\n"), before + 1):
                if line and not line.startswith(_USES):
                    source.line = number
                    record = _read_line(source, line.removesuffix(b"\r"))
                    if type(record) in DEFINITIONS:
                        assert record is not None
                        yield record, DefinedAt(number)
        before += lines


def _read_line(source: Source, line: bytes) -> AnyRecord | None:
    try:
        return fast_decoder()(line)
    except _UNDECODED:
        return read_carefully(source, line) if line and not line.isspace() else None


def _report_repeated(source: Source, lines: list[bytes], records: list[AnyRecord], first: int) -> None:
    for index, key in repeated_keys(lines, records):
        source.report("", MESSAGE.format(key), code="repeated-key", line=first + index)


def _read_block(source: Source, lines: Iterator[bytes]) -> Iterator[AnyRecord]:
    """The records of a block in which a line cannot be decoded as it is."""
    for line in lines:
        if line and not line.isspace():
            if (key := key_repeated_in(line)) is not None:
                source.report("", MESSAGE.format(key), code="repeated-key")
            if (record := _read_line(source, line)) is not None:
                yield record


def _careful_batch(source: Source, lines: Iterator[bytes]) -> Batch:
    records: list[AnyRecord] = []
    places: list[int] = []
    repaired: list[int] = []
    for record in _read_block(source, lines):
        if source.problems and source.problems[-1].line == source.line:
            repaired.append(len(records))
        records.append(record)
        places.append(source.line)
    return Batch(records, places, frozenset(repaired))


def write_karat(records: Iterable[AnyRecord | JudgementLine], sink: Sink) -> None:
    encode = msgspec.json.Encoder().encode
    write = sink.write_bytes
    for record in records:
        if isinstance(record, JudgementLine):
            write(record.line + b"\n")
            continue
        line = encode(record)
        write((tidy_line(record, line) if is_untidy(line) else line) + b"\n")
