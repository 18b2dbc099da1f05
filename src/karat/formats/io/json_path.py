"""The line of a value in a JSON text: needed only when something is wrong with the value."""

from __future__ import annotations

import contextlib
import json
import re
from bisect import bisect_right
from typing import Any

import msgspec


def decode_json(data: bytes) -> Any:
    """The value of a JSON text; NaN and Infinity, which JSON does not allow, count as null.

    Raises msgspec.DecodeError, UnicodeDecodeError or RecursionError.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if b"NaN" not in data and b"Infinity" not in data:
            raise
        try:
            value = json.loads(data, parse_constant=lambda _name: None)
            # json.loads accepts half a surrogate pair, which could never be written again.
            msgspec.json.encode(value)
        except (ValueError, RecursionError):
            pass
        else:
            return value
        raise


MAX_OBJECTS = 4_000_000
"""How many objects and lists one JSON text may have: each costs about 100 bytes."""
MAX_VALUES = 24_000_000
"""How many commas it may have (those in texts count, too)."""


class TooManyValues(ValueError):
    """A JSON text would need far more memory than its size."""


def check_size(data: bytes) -> None:
    """Raise TooManyValues where decoding would take much memory."""
    if len(data) > MAX_OBJECTS and data.count(b"[") + data.count(b"{") > MAX_OBJECTS:
        raise TooManyValues(f"has more than {MAX_OBJECTS:,} objects and lists; split it, or use one record per line")
    if len(data) > MAX_VALUES and data.count(b",") > MAX_VALUES:
        raise TooManyValues(f"has more than {MAX_VALUES:,} values; split it, or use one record per line")


def decode_reported(data: bytes) -> tuple[Any, str | None]:
    """The value of a JSON text, and a key that appears twice in one of its objects, if there is one.

    JSON does not say which of two values counts; the decoder takes the last one. Keys are counted, which is fast, and
    only a text that has more of them than its value is searched.
    """
    value = decode_json(data)
    if data.count(b'":') + data.count(b'" :') <= count_keys(value):
        return value, None
    return value, repeated_key(data)


def repeated_key(data: bytes) -> str | None:
    """The first key that appears twice in one object of a JSON text."""
    repeated: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs) and not repeated:
            seen: set[str] = set()
            repeated.append(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
        return found

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(data, object_pairs_hook=look, parse_constant=lambda _name: None)
    return repeated[0] if repeated else None


def count_keys(value: Any) -> int:
    """How many keys all objects of a value have."""
    count = 0
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            count += len(part)
            left.extend(inner for inner in part.values() if type(inner) in _CONTAINERS)
        elif isinstance(part, list):
            left.extend(inner for inner in part if type(inner) in _CONTAINERS)
    return count


_CONTAINERS = (dict, list)
OUT_OF_RANGE = "Number out of range"
"""What the decoder says of 1e999."""


def loosely_decoded(data: bytes) -> Any:
    """The value of a JSON text that may have numbers out of range, to see what it is about; None if it is not JSON."""
    try:
        return json.loads(data, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        return None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class JsonPlaces:
    """The line of every value of a JSON document, by its path; the text is scanned when `line_of` is first called."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[str, int] | None = None

    def line_of(self, path: str) -> int:
        """The line where the value at `path` begins; if there is no such value, that of the nearest one around it."""
        if self._lines is None:
            self._lines = _scan(self._text)
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._lines.get("", 1)


def join(path: str, step: str | int) -> str:
    """A path one step longer: `nuggets` and 3 -> `nuggets[3]`; `nuggets[3]` and `text` -> `nuggets[3].text`."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step


def _scan(text: str) -> dict[str, int]:
    from json import loads

    newlines = [match.start() for match in re.finditer("\n", text)]
    lines: dict[str, int] = {}
    # For each open container: its path, and the index (array) or the key just read (object).
    stack: list[tuple[str, int | str | None]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "}]":
            if stack:
                stack.pop()
            continue
        if token == ":":
            continue
        if token == ",":
            if stack and isinstance(stack[-1][1], int):
                stack[-1] = (stack[-1][0], stack[-1][1] + 1)
            elif stack:
                stack[-1] = (stack[-1][0], None)
            continue
        path = ""
        if stack:
            parent, step = stack[-1]
            if step is None:
                stack[-1] = (parent, loads(token) if token.startswith('"') else token)
                continue
            path = join(parent, step)
        lines.setdefault(path, bisect_right(newlines, match.start()) + 1)
        if token == "{":
            stack.append((path, None))
        elif token == "[":
            stack.append((path, 0))
    return lines
