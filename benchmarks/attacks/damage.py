"""Damage: changes of bytes, lines, cells and JSON values, as accidents and attackers make them."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

TOKENS = (
    b"\x00", b"\xff\xfe", b"\x1b[2J", b"null", b"NaN", b"-1e999", b"[]", b"{}", b'"', b"\\", b"\t", b"\r\n", b"=1+1",
    b"[/b]", b"<!ENTITY x 'y'>", b"]]>", b"\xed\xa0\x80", "\u202e".encode(), b"9" * 400, b"[" * 300, b",", b"true",
    b"1e308", b"-0", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"&#0;", b"<a>", b"</a>", b"\\ud800", b"\x85", b"\x0c",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 0.5, 1e308, -1e-320, 10**30, "", " ", "x", "0", "1.0", "nan", "all", "q1",
    "\x00", "\x1b[2J", "a\tb\nc", "\ud83d\ude00", "=1+1", "[/b]", "x" * 3000, [], {}, [[]], [None], [1, "a"],
    {"": None}, {"a": {"b": []}}, ["a"] * 50,
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The data with some changes; JSON is mostly changed in its values, so that readers get beyond the syntax."""
    kind = rng.random()
    if kind < 0.5 and (changed := _in_values(data, rng)) is not None:
        out = changed
    elif kind < 0.7:
        out = _in_cells(data, rng)
    else:
        out = _in_bytes(data, rng)
    if rng.random() < 0.03:
        packed = gzip.compress(out, mtime=0)
        out = packed if rng.random() < 0.5 else _in_bytes(packed, rng)
    return out


def _in_values(data: bytes, rng: random.Random) -> bytes | None:
    """Changed values, names and shapes of a JSON document, or of some JSON lines; None where it is not JSON."""
    try:
        document, lines = json.loads(data), None
    except (ValueError, RecursionError):
        try:
            document, lines = None, [json.loads(line) for line in data.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return None
    if lines is None:
        for _ in range(rng.randint(1, 3)):
            document = _changed(document, rng)
        return _dumped(document, rng, indent=rng.choice((None, 1)))
    if not lines:
        return None
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        lines[at] = _changed(lines[at], rng)
        if rng.random() < 0.2:
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"\n".join(_dumped(line, rng) for line in lines) + b"\n" * rng.randrange(2)


def _dumped(value: Any, rng: random.Random, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=indent).encode("utf-8", "surrogatepass")
    if rng.random() < 0.1 and text.startswith(b"{") and isinstance(value, dict) and value:
        # A key twice in one object.
        name = json.dumps(rng.choice(list(value))).encode()
        text = b"{" + name + b": " + json.dumps(rng.choice(VALUES)).encode() + b", " + text[1:]
    return text


def _changed(value: Any, rng: random.Random) -> Any:
    """A copy of a JSON value with one change somewhere in it."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.05:
        return rng.choice(VALUES)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = rng.choice(keys)
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    inner = value[key]
    if isinstance(inner, dict | list) and inner and rng.random() < 0.7:
        copy[key] = _changed(inner, rng)
        return copy
    what = rng.randrange(6)
    other = value[rng.choice(keys)]
    if what == 0:
        del copy[key]
    elif what == 1:
        copy[key] = other
    elif what == 2:
        copy[key] = [inner]
    elif what == 3 and isinstance(copy, dict):
        copy[rng.choice((f"{key}x", str(key)[:-1], str(key).upper(), "kind", "run_id", "text"))] = copy.pop(key)
    elif what == 3:
        copy.insert(key, inner)
    else:
        copy[key] = rng.choice(VALUES)
    return copy


def _in_cells(data: bytes, rng: random.Random) -> bytes:
    """Changed cells of a table, or words of a text."""
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        mark = next((mark for mark in (b"\t", b",", b"|", b" ") if mark in lines[at]), b" ")
        cells = lines[at].split(mark)
        cell = rng.randrange(len(cells))
        what = rng.randrange(5)
        if what == 0:
            del cells[cell]
        elif what == 1:
            cells.insert(cell, cells[cell])
        elif what == 2:
            cells[cell] = str(rng.choice(VALUES)).encode("utf-8", "replace")
        elif what == 3:
            cells[cell] = rng.choice(TOKENS)
        else:
            cells[cell] = rng.choice(cells)
        lines[at] = mark.join(cells)
    return b"\n".join(lines)


def _in_bytes(data: bytes, rng: random.Random) -> bytes:
    """Changed bytes, slices, lines and tokens, or an early end."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.randint(1, 40))
        what = rng.randrange(7)
        if what == 0 and out:
            out[min(at, len(out) - 1)] ^= 1 << rng.randrange(8)
        elif what == 1:
            del out[at:end]
        elif what == 2:
            out[at:at] = out[at:end] * rng.randint(1, 3)
        elif what == 3:
            out[at:at] = rng.choice(TOKENS)
        elif what == 4:
            del out[at:]
        elif what == 5:
            lines = out.split(b"\n")
            rng.shuffle(lines)
            out = bytearray(b"\n".join(lines))
        else:
            out[at:end] = rng.choice(TOKENS)
    return bytes(out)
