"""JSON as it is found: strict, but for what Python writes where it has no number."""

from __future__ import annotations

import json
from typing import Any

import msgspec


def decode_json(data: bytes) -> Any:
    """The value of a JSON text; NaN and Infinity, which JSON does not know, count as null.

    Raises msgspec.DecodeError, UnicodeDecodeError or RecursionError.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if b"NaN" not in data and b"Infinity" not in data:
            raise
        try:
            value = json.loads(data, parse_constant=lambda _name: None)
            # Half a surrogate pair, which json.loads lets through, could never be written again.
            msgspec.json.encode(value)
        except (ValueError, RecursionError):
            pass
        else:
            return value
        raise
