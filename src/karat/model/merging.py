"""Merging two records about the same thing, if they do not contradict each other."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from karat.model.records import Record

R = TypeVar("R", bound=Record)


def merged(first: R, second: R) -> tuple[R, list[str]]:
    """One record with what both records say, and the names of the fields in which they contradict each other.

    A field that is absent (or an empty text) contradicts nothing; texts are compared without regard to case and
    white space; of two lists of descriptions one may continue where the other ends; of two unknown fields with the
    same name the first is kept.
    """
    changes: dict[str, Any] = {}
    differing: list[str] = []
    for field in first.__struct_fields__:
        mine, other = getattr(first, field), getattr(second, field)
        if field == "extra":
            changes[field] = {**other, **mine}
        elif field == "human":
            changes[field] = mine or other
        elif mine in (None, "", (), {}) and other not in (None, "", (), {}):
            changes[field] = other
        elif other not in (None, "", (), {}) and _normal(mine) != _normal(other):
            longer = _continued(mine, other) if field == "descriptions" else None
            if longer is None:
                differing.append(field)
            else:
                changes[field] = longer
    return (first if differing else msgspec.structs.replace(first, **changes)), differing


def _continued(mine: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...] | None:
    """The longer of two lists of descriptions, if it begins with the shorter one; otherwise None."""
    short, long = sorted((mine, other), key=len)
    return long if _normal(long[: len(short)]) == _normal(short) else None


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split()).casefold()
    if isinstance(value, tuple):
        return tuple(_normal(part) for part in value)
    return value
