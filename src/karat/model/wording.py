"""How names are sorted and counts are worded in everything that people read."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts q2 before q10."""
    return [*map(_part_order, re.split(r"([0-9]+)", name)), (-1, name)]


def _part_order(part: str) -> tuple[int, str]:
    """Sort numbers by how many digits they have, then by the digits: int() fails for thousands of digits."""
    if not (part.isascii() and part.isdecimal()):
        return -1, part
    digits = part.lstrip("0")
    return len(digits), digits


def number_of(count: int, noun: str) -> str:
    """`1 query`, `3 queries`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"
