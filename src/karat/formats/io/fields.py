"""Fields: one JSON object or table row, read by name and tolerantly; every problem is reported with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar

import msgspec

from karat.formats.io.json_path import join
from karat.formats.io.source import BadUnit, Source
from karat.model import SpanSet

V = TypeVar("V")
_BETWEEN_WORDS = re.compile(r"(?<=\w)[ -]+(?=\w)")
_TYPE_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true/false",
    int: "a number",
    float: "a number",
}


def normal_label(label: str) -> str:
    """`Support `, `PARTIAL SUPPORT` and `partial-support` in one spelling: lower case with underscores."""
    return _BETWEEN_WORDS.sub("_", label.strip().lower())


def type_name(value: object) -> str:
    """The type of a JSON value, as messages name it."""
    return "null" if value is None else _TYPE_NAMES.get(type(value), type(value).__name__)


class Fields:
    """The named values of one object.

    Every accessor takes the names that a value may have; messages use the first of them. A required value that is
    missing or unusable is reported and raises BadUnit; the nearest `unit()` catches it, leaves the unit out and goes
    on. `rest()` gives the fields that no accessor asked for, so that they can be kept.
    """

    __slots__ = ("_used", "data", "path", "source")

    def __init__(self, source: Source, data: dict[str, Any], path: str = "") -> None:
        self.source = source
        self.data = data
        self.path = path
        self._used: set[str] = set()

    @contextmanager
    def unit(self) -> Iterator[None]:
        """The smallest thing that is left out when something in it is wrong."""
        self.source.enter(self.path)
        with suppress(BadUnit):
            yield

    def bad(self, name: str, message: str, *, code: str = "bad-value", choices: tuple[str, ...] = ()) -> NoReturn:
        """Report what is wrong with a field and leave the unit out."""
        self.complain(name, message, code=code, choices=choices)
        raise BadUnit

    def complain(self, name: str, message: str, *, code: str = "bad-value", choices: tuple[str, ...] = ()) -> None:
        """Report what is wrong with a field, but keep the unit."""
        self.source.report(join(self.path, name) if name else self.path, message, code=code, choices=choices)

    def get(self, *names: str) -> Any:
        """The raw value of the first of these names that exists; None if there is none (or it is null)."""
        value = None
        for name in names:
            if name in self.data:
                self._used.add(name)
                if value is None:
                    value = self.data[name]
        return value

    def has(self, *names: str) -> bool:
        return any(self.data.get(name) is not None for name in names)

    def require(self, *names: str) -> Any:
        """The raw value; missing or null is a problem."""
        value = self.get(*names)
        if value is None:
            self.bad(names[0], "is missing", code="missing-field")
        return value

    # -- one value ------------------------------------------------------------------------------

    def id(self, *names: str) -> str:
        """A required id: a non-empty string, or a whole number, which is read as a string of digits."""
        self.require(*names)
        value = self.optional_id(*names)
        if value is None:
            self.bad(names[0], "is empty", code="missing-field")
        return value

    def optional_id(self, *names: str) -> str | None:
        value = self.get(*names)
        if value is None or value == "":
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.bad(names[0], f"an id must be a string or a whole number, not {type_name(value)}", code="wrong-type")
        self.source.note_id(names[0], value, self.path.count("["))
        return str(value).strip() or None

    def text(self, *names: str) -> str:
        """A required string, which may be empty."""
        value = self.require(*names)
        if not isinstance(value, str):
            self.bad(names[0], f"must be a string, not {type_name(value)}", code="wrong-type")
        return value

    def optional_text(self, *names: str) -> str | None:
        return None if self.get(*names) is None else self.text(*names)

    def number(self, *names: str) -> float:
        """A required finite number; `"0.5"` counts as one."""
        value = self.require(*names)
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise ValueError
            number = float(value)
        except (ValueError, OverflowError):
            self.bad(names[0], f"must be a number, not {value!r}", code="wrong-type")
        if not math.isfinite(number):
            self.bad(names[0], f"must be a finite number, not {value!r}", code="wrong-type")
        return number

    def optional_number(self, *names: str) -> float | None:
        return None if self.get(*names) in (None, "") else self.number(*names)

    def integer(self, *names: str) -> int:
        """A required whole number; `"3"` and `3.0` count as one."""
        number = self.number(*names)
        if not number.is_integer():
            self.bad(names[0], f"must be a whole number, not {self.get(*names)!r}", code="wrong-type")
        return int(number)

    def optional_integer(self, *names: str) -> int | None:
        return None if self.get(*names) in (None, "") else self.integer(*names)

    def boolean(self, *names: str) -> bool:
        """A required truth value; `"True"`, `"yes"` and 1 count as one."""
        value = self.require(*names)
        known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        normal = str(value).strip().lower()
        if normal not in known:
            self.bad(names[0], repr(value), code="impossible-label", choices=("true", "false"))
        return known[normal]

    def optional_boolean(self, *names: str) -> bool | None:
        return None if self.get(*names) in (None, "") else self.boolean(*names)

    def label(self, name: str, choices: Mapping[str, V]) -> V | None:
        """The meaning of a label; an impossible or missing one is reported, and None is returned."""
        value = self.get(name)
        if value is None:
            self.complain(name, "is missing", code="impossible-label")
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.complain(name, f"a label must be a string, not {type_name(value)}", code="impossible-label")
            return None
        normal = normal_label(f"{value:g}" if isinstance(value, float) else str(value))
        if normal not in choices:
            self.complain(name, repr(value), code="impossible-label", choices=tuple(choices))
            return None
        return choices[normal]

    def spans(self, name: str, pairs: list[Any], text: str | None = None) -> SpanSet:
        """Pairs of offsets as a SpanSet, which must lie inside the text if a text is given."""
        try:
            span_set = SpanSet(pairs)
        except ValueError as error:
            self.bad(name, str(error), code="bad-span")
        if text is not None and not span_set.fits(text):
            self.bad(name, f"ends at {span_set[-1][1]}, but the text has {len(text)} characters", code="span-outside")
        return span_set

    # -- several values -------------------------------------------------------------------------

    def members(self, *names: str) -> list[Any]:
        """A required list of anything."""
        value = self.require(*names)
        if not isinstance(value, list):
            self.bad(names[0], f"must be a list, not {type_name(value)}", code="wrong-type")
        return value

    def optional_members(self, *names: str) -> list[Any]:
        return [] if self.get(*names) is None else self.members(*names)

    def strings(self, *names: str) -> list[str]:
        """A list of strings (empty if the field is missing); other members are reported and left out."""
        kept: list[str] = []
        for index, value in enumerate(self.optional_members(*names)):
            if isinstance(value, str):
                kept.append(value)
            else:
                self.complain(join(names[0], index), f"must be a string, not {type_name(value)}", code="wrong-type")
        return kept

    def items(self, *names: str) -> list[Fields]:
        """The objects of a required list, each a Fields of its own; other members are reported and left out."""
        return self._objects(names[0], enumerate(self.members(*names)))

    def optional_items(self, *names: str) -> list[Fields]:
        return [] if self.get(*names) is None else self.items(*names)

    def entries(self, *names: str) -> list[tuple[str, Any]]:
        """The (key, value) pairs of a required object whose keys are data."""
        value = self.require(*names)
        if not isinstance(value, dict):
            self.bad(names[0], f"must be an object, not {type_name(value)}", code="wrong-type")
        return [*value.items()]

    def optional_entries(self, *names: str) -> list[tuple[str, Any]]:
        return [] if self.get(*names) is None else self.entries(*names)

    def child(self, *names: str) -> Fields:
        """A required object inside this one."""
        value = self.require(*names)
        if not isinstance(value, dict):
            self.bad(names[0], f"must be an object, not {type_name(value)}", code="wrong-type")
        return self.inside(names[0], value)

    def optional_child(self, *names: str) -> Fields | None:
        return None if self.get(*names) is None else self.child(*names)

    def inside(self, step: str | int, data: dict[str, Any]) -> Fields:
        """Fields of an object one step deeper."""
        return Fields(self.source, data, join(self.path, step))

    def _objects(self, name: str, members: Iterator[tuple[int, Any]] | enumerate[Any]) -> list[Fields]:
        kept: list[Fields] = []
        for index, value in members:
            if isinstance(value, dict):
                kept.append(Fields(self.source, value, join(join(self.path, name), index)))
            else:
                self.complain(join(name, index), f"must be an object, not {type_name(value)}", code="wrong-type")
        return kept

    def rest(self, *known: str) -> dict[str, Any]:
        """The fields that no accessor asked for and that are not in `known`: kept as `extra` and written back."""
        return {key: value for key, value in self.data.items() if key not in self._used and key not in known}

    def __repr__(self) -> str:
        return f"<Fields {self.path or '$'} {msgspec.json.encode(self.data)[:80]!r}>"
