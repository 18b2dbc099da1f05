"""Flat JSON objects (lines, a list, or dicts in Python) with fields named like columns of tables (see named_columns).

{"qid": 7, "system": "a", "nugget": "it tells the way", "label": "support"}
{"question": "Why do bees dance?", "answer": "To tell the way [1].", "sources": ["https://example.org/bees"]}
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.formats.tables.columns import PASSAGES, SOURCES, gives_records, meanings, plain
from karat.formats.tables.records import read_named_rows_of
from karat.model import AnyRecord

TITLE = "flat JSON objects with named fields"


def sniff_named_rows(head: Head) -> bool:
    column_of = meanings(head.row)
    if not gives_records(column_of):
        return False
    # An object that contains other objects is some other format; its inner objects would be lost here.
    citations = column_of.get("citations")
    own = {name for name in head.row if name == citations or plain(name) in SOURCES | PASSAGES}
    return all(_is_flat(value) for name, value in head.row.items() if name not in own)


def _is_flat(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(member, dict | list) for member in value)
    return not isinstance(value, dict)


def read_named_rows(source: Source) -> Iterator[AnyRecord]:
    """The records for which the objects have the fields."""
    yield from read_named_rows_of(source, json_rows(source))
