"""Names of measures <-> measures. Every name that is printed parses back to an equal measure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args, get_origin

import msgspec

from karat.measure.base import Measure
from karat.measure.entries import ENTRIES, Entry
from karat.model import UsageError

DEFAULT_BETA = 3.0
LARGEST_BETA = 1e18
_CALL = re.compile(r"(?P<base>[^()]+?)\s*(?:\((?P<settings>[^()]*)\))?")
_F = re.compile(r"(?P<weighing>pyramid_|macro_)?F(?P<beta>\d+(?:\.\d+)?(?:e[+-]?\d+)?)?")
_COMMA = re.compile(r",(?![^()]*\))")


def split_names(names: str | Sequence[str]) -> list[str]:
    """Names in a list, or in one text with commas between; commas in brackets belong to a name."""
    parts = _COMMA.split(names) if isinstance(names, str) else [part for name in names for part in _COMMA.split(name)]
    return [part.strip() for part in parts if part.strip()]


def parse_measures(names: str | Sequence[str], *, beta: float | None = None) -> list[Measure]:
    """The measures of these names, each once; whatever is wrong with any of them is told at once."""
    found: dict[str, Measure] = {}
    wrong: list[str] = []
    for name in split_names(names):
        try:
            measure = parse_measure(name, beta=beta)
        except UsageError as error:
            wrong.append(str(error))
        else:
            found.setdefault(str(measure), measure)
    if wrong:
        raise UsageError("; ".join(wrong))
    if not found:
        raise UsageError(f"no measure is named; choose from {', '.join(ENTRIES)}")
    return list(found.values())


def takes_beta(names: str | Sequence[str] | None) -> bool:
    """Whether one of the names is an F without a beta of its own."""
    matches = (_F.fullmatch(name) for name in split_names(names or ()))
    return any(match is not None and match["beta"] is None for match in matches)


def parse_measure(name: str, *, beta: float | None = None) -> Measure:
    """The measure of a name such as F3, pyramid_F3, strict_vital, proficiency(prior=bayes,other=1e5).

    `beta` is taken where an F says none (`F`, `pyramid_F`, `macro_F`); 3 is the default, as in TREC.
    """
    call = _CALL.fullmatch(name.strip())
    if call is None:
        raise UsageError(f"{name!r} is not NAME or NAME(setting=value,...)")
    settings = _settings(name, call["settings"])
    entry = entry_of(name)
    if match := _F.fullmatch(call["base"]):
        said = float(match["beta"]) if match["beta"] is not None else DEFAULT_BETA if beta is None else beta
        if not 0 < said <= LARGEST_BETA:
            raise UsageError(f"{name!r}: beta is a number above 0, at most {LARGEST_BETA:g}, not {said:g}")
        entry = msgspec.structs.replace(entry, fixed={**entry.fixed, "beta": said})
    return _made(name, entry, settings)


def entry_of(name: str) -> Entry:
    """The entry of a name, with or without beta and settings."""
    base = name.partition("(")[0].strip()
    if match := _F.fullmatch(base):
        base = f"{match['weighing'] or ''}F"
    if base not in ENTRIES:
        near = difflib.get_close_matches(base, ENTRIES, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no measure is called {base!r}{hint}; choose from {', '.join(ENTRIES)}")
    return ENTRIES[base]


def _made(name: str, entry: Entry, settings: Mapping[str, str]) -> Measure:
    types = {field.name: field.type for field in msgspec.structs.fields(entry.kind)}
    for key, value in settings.items():
        if key not in entry.settings:
            known = f"it has {', '.join(entry.settings)}" if entry.settings else "it has none"
            raise UsageError(f"{name!r}: there is no setting {key!r}; {known}")
        if get_origin(types[key]) is Literal and value not in get_args(types[key]):
            raise UsageError(f"{name!r}: {key}={value} is not one of {', '.join(get_args(types[key]))}")
        try:
            msgspec.convert(value, types[key], strict=False)
        except msgspec.ValidationError as error:
            # msgspec says "Expected `float` >= 0.0", or "Expected `int`, got `str`"; of nan it says the former.
            bound = re.fullmatch(r"Expected `\w+` (>=|>|<=) (\S+)", str(error))
            if bound is not None and "nan" not in value.lower():
                beyond = {">=": "below", ">": "not above", "<=": "above"}[bound[1]]
                wrong = f"is {beyond} {float(bound[2]):g}"
            else:
                wrong = f"is not a {'whole ' if '`int' in str(error) else ''}number"
            raise UsageError(f"{name!r}: {key}={value} {wrong}") from None
    return msgspec.convert({**entry.fixed, **settings}, entry.kind, strict=False)


def _settings(name: str, text: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, (text or "").split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"{name!r}: {part!r} is not setting=value")
        if key in found:
            raise UsageError(f"{name!r}: {key!r} is set twice")
        found[key] = value
    return found


def less_is_better(name: str) -> bool:
    """Whether a lower score of the measure of this name is the better one; of names nobody knows, a higher one is."""
    try:
        return parse_measure(name).less_is_better()
    except UsageError:
        return False
