"""Repair of a bad line of Karat JSONL: what is wrong with it is reported, and what can be kept is kept."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, get_args, get_origin

import msgspec

from karat.formats.io.fields import type_name
from karat.formats.io.json_path import decode_json
from karat.formats.io.source import Source
from karat.model import RECORD_TYPE_BY_KIND, AnyRecord, record_from_dict

MOST_FAULTS = 50
"""How many problems of one record are reported."""
MOST_UNKNOWN = 300
"""How many unknown fields of one record are compared with the known ones."""
_PLACE = re.compile(r"(?P<what>.*) - at (?:`key` in )?`\$(?P<path>[^`]*)`", re.DOTALL)
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_EXPECTED = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `[^`]*`")
_FROM_0_TO_1 = ("degree", "relevance", "probabilities", "value")
_EMPTY = "Expected `str` of length >= 1"
_JUDGEMENT_LABELS = ("degree", "probabilities", "status")
_WANTED = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "true or false",
           "array": "a list", "object": "an object"}  # fmt: skip


def read_carefully(source: Source, line: bytes) -> AnyRecord | None:
    """The record of a line that the fast decoder refused. Unknown fields and ids that are numbers are accepted; what is
    wrong is reported, and the smallest unit around it is left out: a label, a member, a snippet, or the record."""
    try:
        data = decode_json(line)
    except RecursionError:
        source.report("", "is nested too deeply", code="bad-json")
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        what = str(error).removeprefix("JSON is malformed: ")
        source.report("", f"is not JSON: {what}", code="bad-json")
        return None
    if not isinstance(data, dict):
        source.report("", f"a record must be an object, not {type_name(data)}", code="wrong-type")
        return None
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in RECORD_TYPE_BY_KIND:
        if kind is None:
            source.report("kind", "is missing", code="missing-field")
        else:
            source.report("kind", repr(kind), code="impossible-label", choices=tuple(RECORD_TYPE_BY_KIND))
        return None
    for name, value in data.items():
        if name.endswith("_id") and isinstance(value, int):
            # Ids of records are strings; this number is read as a string, and lint reports it.
            source.note_id(name, "")
            source.note_id(name, value)
    _check_names(source, data, kind)
    return _repaired(source, data, kind)


def _check_names(source: Source, data: dict[str, Any], kind: str) -> None:
    """Warn of unknown fields that are spelt nearly like an optional one, which then has no value.

    Unknown fields are allowed, and kept; but `improtance` is a mistake, and the nug would silently have no importance.
    """
    for name, message, code in _misspelt(kind, tuple(data)):
        source.warn(name, message, code=code)


@lru_cache(1024)
def _misspelt(kind: str, names: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    fields = msgspec.structs.fields(RECORD_TYPE_BY_KIND[kind])
    known = {"kind", *(field.encode_name for field in fields)}
    absent = [field.encode_name for field in fields if not field.required and field.encode_name not in names]
    found: list[tuple[str, str, str]] = []
    for name in islice((name for name in names if name not in known), MOST_UNKNOWN):
        what = f"is no field of a {kind} and is kept without a meaning"
        if (meant := next((each for each in absent if is_one_edit(name, each)), None)) is not None:
            found.append((name, f"{what}; did you mean {meant!r}?", "misspelt-field"))
        elif near := get_close_matches(name, absent, 1, 0.8):
            found.append((name, f"{what}; its name is similar to {near[0]!r}", "unknown-field"))
    return tuple(found)


def is_one_edit(word: str, other: str) -> bool:
    """Whether one letter more, less, another or two exchanged neighbours make one word the other.

    >>> is_one_edit("improtance", "importance"), is_one_edit("weigth", "weight"), is_one_edit("wait", "weight")
    (True, True, False)
    """
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    at = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    left, right = word[at:], other[at:]
    swapped = len(left) > 1 and len(right) > 1 and left[:2] == right[1::-1] and left[2:] == right[2:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or swapped


def _repaired(source: Source, data: dict[str, Any], kind: str) -> AnyRecord | None:
    query_id = data.get("query_id")
    source.query_id = str(query_id) if isinstance(query_id, str | int) else None
    origins: dict[int, list[int]] = {}
    for _ in range(MOST_FAULTS):
        try:
            return record_from_dict(data)
        except msgspec.ValidationError as error:
            match = _PLACE.fullmatch(str(error))
            what, path = (match["what"], match["path"].removeprefix(".")) if match else (str(error), "")
            if what.startswith("Object missing required field"):
                name = what.split("`")[1]
                path, what = (f"{path}.{name}" if path else name), "is missing"
            _report(source, data, kind, path, what, _original(data, path, origins))
            if not _drop(data, kind, path, origins):
                return None
        except RecursionError:
            source.report("", "is nested too deeply", code="bad-json")
            return None
    return None


def _report(source: Source, data: dict[str, Any], kind: str, path: str, what: str, original_path: str) -> None:
    value = _at(data, path)
    code = "wrong-type"
    choices: tuple[str, ...] = ()
    field = re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2]
    if what == "is missing":
        code = "missing-field"
    elif what.startswith("Invalid enum value "):
        what, code = what.removeprefix("Invalid enum value "), "impossible-label"
        choices = _choices(RECORD_TYPE_BY_KIND[kind], path)
    elif what.startswith("a span"):
        code = "bad-span"
    elif kind == "score" and field == "value":
        what, code = f"{value!r} is not a number", "impossible-label"
    elif what == _EMPTY:
        what, code = "is empty", "missing-field"
    elif field in _FROM_0_TO_1:
        what, code = f"{value!r} is not a number from 0 to 1", "impossible-label"
    elif expected := _EXPECTED.fullmatch(what):
        wanted = expected["wanted"].removesuffix(" | null")
        what = f"must be {_WANTED.get(wanted, wanted)}, not {type_name(value)}"
    source.report(original_path, what, code=code, choices=choices)


def _original(data: Any, path: str, origins: dict[int, list[int]]) -> str:
    """The path as it was before members of lists were removed."""
    original = ""
    for name, index in _STEP.findall(path):
        if name:
            original = f"{original}.{name}" if original else name
        elif index.isdigit():
            original += f"[{origins[id(data)][int(index)] if id(data) in origins else index}]"
        data = _at(data, [name or index])
    return original


def _drop(data: dict[str, Any], kind: str, path: str, origins: dict[int, list[int]]) -> bool:
    """Remove the smallest unit around a problem; False if that is the whole record.

    `origins` keeps, for each list from which members were removed, the original positions of the others.
    """
    steps = [name or (int(index) if index.isdigit() else index) for name, index in _STEP.findall(path)]
    if not steps:
        return False
    if kind == "judgement" and steps[0] in _JUDGEMENT_LABELS:
        # The query is scored on its other judgements, and the failed one is reported.
        for label in _JUDGEMENT_LABELS:
            data.pop(label, None)
        data["status"] = "failed"
        return True
    for depth in range(len(steps), 0, -1):
        container, step = _at(data, steps[: depth - 1]), steps[depth - 1]
        if isinstance(step, int) and isinstance(container, list) and step < len(container):
            del origins.setdefault(id(container), list(range(len(container))))[step]
            del container[step]
            return True
        if isinstance(container, dict) and step in container and _is_optional(kind, steps[:depth]):
            del container[step]
            return True
    return False


def _is_optional(kind: str, steps: list[str | int]) -> bool:
    """Whether the field can be left out without changing the meaning of the record."""
    struct: type[msgspec.Struct] | None = RECORD_TYPE_BY_KIND[kind]
    names = [step for step in steps if isinstance(step, str)]
    for name in names:
        fields = {field.encode_name: field for field in msgspec.structs.fields(struct)} if struct else {}
        if name not in fields:
            return False
        struct = _struct_in(fields[name].type)
    return fields[names[-1]].default is None


def _at(data: Any, path: str | list[str | int]) -> Any:
    """The value at a path such as `members[0].degree`; None if there is none."""
    steps = [name or index for name, index in _STEP.findall(path)] if isinstance(path, str) else path
    for step in steps:
        try:
            data = data[int(step)] if isinstance(data, list) else data[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return data if step == "..." else None
    return data


def _choices(kind: type[msgspec.Struct], path: str) -> tuple[str, ...]:
    """The values that the field at `path` may have."""
    annotation: Any = kind
    for name, _index in _STEP.findall(path):
        struct = _struct_in(annotation)
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)} if struct else {}
        if name in fields:
            annotation = fields[name]
    return tuple(str(value) for value in _literals(annotation))


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    return next((struct for inner in get_args(annotation) if (struct := _struct_in(inner))), None)


def _literals(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for inner in get_args(annotation) for value in _literals(inner)]
