"""Lists of dicts in Python, read as the JSON lines they would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from karat.formats.source import Source
from karat.model import Record, UsageError, encode_record


def source_of_dicts(items: Any, name: str = "<list>") -> Source:
    """A Source of records, dicts or rows of a data frame; line N of a message is item N of the list.

    A pandas or polars data frame counts as the list of its rows.
    """
    if hasattr(items, "to_dicts"):
        items = items.to_dicts()
    elif hasattr(items, "to_dict"):
        items = items.to_dict("records")
    if not isinstance(items, Iterable):
        raise UsageError(f"an input is a path, bytes, a list of dicts or records, or a data frame, not {items!r}")
    lines: list[bytes] = []
    for index, item in enumerate(items):
        if isinstance(item, Record):
            lines.append(encode_record(item))
        elif isinstance(item, Mapping):
            try:
                lines.append(msgspec.json.encode(dict(item)))
            except (TypeError, RecursionError) as error:
                raise UsageError(f"{name}:{index + 1}: cannot be read as JSON: {error}") from None
        else:
            raise UsageError(f"{name}:{index + 1}: must be a record or a dict, not {type(item).__name__}")
    return Source(name, b"\n".join(lines))
