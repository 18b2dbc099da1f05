"""Names with settings in brackets: `NAME(setting=value,...)`, for measures and judges alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from karat.model import UsageError

_CALL = re.compile(r"(?P<base>[^()]+?)\s*(?:\((?P<settings>[^()]*)\))?")
T = TypeVar("T", bound=msgspec.Struct)


class Call(msgspec.Struct, frozen=True):
    """A name taken apart."""

    base: str
    settings: dict[str, str]


def parse_call(name: str) -> Call:
    """The base name, and the settings as text."""
    call = _CALL.fullmatch(name.strip())
    if call is None:
        raise UsageError(f"{name!r} is not NAME or NAME(setting=value,...)")
    return Call(call["base"], _settings(name, call["settings"]))


def made(
    name: str, kind: type[T], settings: Mapping[str, str], *, allowed: tuple[str, ...], fixed: Mapping[str, Any] = {}
) -> T:
    """A value of this kind with these settings; an error names a wrong setting, and the choices."""
    types = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in settings.items():
        if key not in allowed:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise UsageError(f"{name!r}: there is no setting {key!r}; {known}")
        if get_origin(types[key]) is Literal and value not in get_args(types[key]):
            raise UsageError(f"{name!r}: {key}={value} is not one of {', '.join(get_args(types[key]))}")
        try:
            msgspec.convert(value, types[key], strict=False)
        except msgspec.ValidationError as error:
            # msgspec says "Expected `float` >= 0.0", or "Expected `int`, got `str`"; for nan it says the former.
            bound = re.fullmatch(r"Expected `\w+` (>=|>|<=) (\S+)", str(error))
            if bound is not None and "nan" not in value.lower():
                beyond = {">=": "below", ">": "not above", "<=": "above"}[bound[1]]
                wrong = f"is {beyond} {float(bound[2]):g}"
            elif types[key] is bool:
                wrong = "is not true or false"
            else:
                wrong = f"is not a {'whole ' if '`int' in str(error) else ''}number"
            raise UsageError(f"{name!r}: {key}={value} {wrong}") from None
    return msgspec.convert({**fixed, **settings}, kind, strict=False)


def _settings(name: str, text: str | None) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in filter(None, map(str.strip, (text or "").split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"{name!r}: {part!r} is not setting=value")
        if key in settings:
            raise UsageError(f"{name!r}: {key!r} is set twice")
        settings[key] = value
    return settings
