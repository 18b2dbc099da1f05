"""Karat's own JSONL: one record a line, every noun, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from karat.formats.head import Head
from karat.formats.karat_mending import read_carefully
from karat.formats.losses import Carries
from karat.formats.sink import Sink
from karat.formats.source import Source
from karat.model import RECORD_TYPE_BY_KIND, RECORD_TYPES, AnyRecord, encode_record, kind_of, record_from_dict
from karat.model.codec import EXTRA_KEY_BYTES, fast_decoder
from karat.model.identity import DEFINITIONS

TITLE = "Karat's own records, one a line"
CARRIES: Carries = {kind_of(kind): frozenset({"*"}) for kind in RECORD_TYPES}

_USES = tuple(f'{{"kind":"{kind_of(kind)}"'.encode() for kind in RECORD_TYPES if kind not in DEFINITIONS)


def sniff_karat(head: Head) -> bool:
    return head.row.get("kind") in RECORD_TYPE_BY_KIND


def read_karat(source: Source) -> Iterator[AnyRecord]:
    """The records in their order. A judgement with an impossible label is kept as `failed`."""
    decode = fast_decoder()
    for line in source.lines():
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if line and not line.isspace() and (record := read_carefully(source, line)) is not None:
                yield record


def read_definitions(source: Source) -> Iterator[AnyRecord]:
    """The queries, runs, responses, nuggets and nugs alone; nothing is reported here."""
    decode = fast_decoder()
    for line in source.lines():
        # Karat writes the kind first; a line that begins otherwise is decoded to see.
        if not line.startswith(_USES):
            try:
                record = decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                try:
                    record = record_from_dict(msgspec.json.decode(line))
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    continue
            if type(record) in DEFINITIONS:
                yield record


def write_karat(records: Iterable[AnyRecord], sink: Sink) -> None:
    encode = msgspec.json.Encoder().encode
    write = sink.write_bytes
    for record in records:
        line = encode(record)
        write((line if EXTRA_KEY_BYTES not in line else encode_record(record)) + b"\n")
