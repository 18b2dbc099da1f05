"""In which line of a TOML file each value is: tomllib does not say."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

Path = tuple[str, ...]
MOST_WORK = 1_000_000
"""How many characters are parsed to find the lines; a file that needs more has been made to need it."""

MOST_DEPTH = 20
"""Deeper than any option is; a hostile file can have thousands of dots in a key."""


def lines_of(text: str) -> dict[Path, int]:
    """The line of every table and value of a text that is good TOML, by its path.

    A statement is complete as soon as tomllib can read it on its own, so that arrays and texts of several lines,
    dotted keys and inline tables need no rules of ours. Where finding them takes too long, the rest is left out.

    >>> lines_of('a = 1\\n[b]\\nc = [\\n  2,\\n]\\nd.e = {f = 3}\\n')[("b", "d", "e", "f")]
    6
    """
    rows = text.split("\n")
    found: dict[Path, int] = {}
    table: Path = ()
    at = work = 0
    while at < len(rows):
        end, statement = at, None
        while statement is None:
            end += 1
            chunk = "\n".join(rows[at:end])
            work += len(chunk)
            if end > len(rows) or work > MOST_WORK:
                return found
            statement = _parsed(chunk)
        paths = list(_paths(statement))
        if rows[at].lstrip().startswith("["):
            table = max(paths, key=len)
            found.setdefault(table, at + 1)
        else:
            for path in paths:
                found.setdefault((*table, *path), at + 1)
        at = end
    return found


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _paths(value: object, path: Path = ()) -> Iterator[Path]:
    """The path of everything in a value that has a name."""
    if path:
        yield path
    if isinstance(value, dict) and len(path) < MOST_DEPTH:
        for name, below in value.items():
            yield from _paths(below, (*path, name))


def nearest_line(lines: dict[Path, int], path: Path) -> int | None:
    """The line of a value, or of the table that it is in."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None
