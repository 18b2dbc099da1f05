"""Records <-> JSON, keeping the fields that Karat does not know."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import Any

import msgspec

from karat.model.records import EXTRA_KEY, RECORD_TYPE_BY_KIND, AnyRecord, Part, Record
from karat.model.spans import SpanSet


def decode_span_set(kind: type, value: Any) -> Any:
    if kind is SpanSet:
        if not isinstance(value, list):
            raise ValueError(f"spans are a list of [start, end], not {value!r}")
        return SpanSet(value)
    # msgspec requires this error for types that the hook does not handle.
    raise NotImplementedError(f"no JSON form is known for {kind}")


_decode_known: Callable[[bytes], AnyRecord] = msgspec.json.Decoder(AnyRecord, dec_hook=decode_span_set).decode
_encode_known = msgspec.json.Encoder().encode


def fast_decoder() -> Callable[[bytes], AnyRecord]:
    """The decoder without repairs: it raises msgspec.ValidationError for unknown fields, too (see decode_record)."""
    return _decode_known


def decode_record(line: bytes) -> AnyRecord:
    """The record in one line of JSON; unknown fields are kept in `extra`, at every depth."""
    try:
        return _decode_known(line)
    except msgspec.ValidationError:
        return record_from_dict(msgspec.json.decode(line))


def record_from_dict(data: Any) -> AnyRecord:
    """The record in a dict, such as one line of JSON gives."""
    if isinstance(data, dict):
        kind = RECORD_TYPE_BY_KIND.get(data.get("kind", ""), None) if isinstance(data.get("kind"), str) else None
        if kind is not None:
            data = {"kind": data["kind"], **_split(kind, {k: v for k, v in data.items() if k != "kind"})}
    record: AnyRecord = msgspec.convert(data, AnyRecord, dec_hook=decode_span_set)
    return record


class JudgementLine(msgspec.Struct, frozen=True, tag_field="kind", tag="judgement"):
    """A judgement that is a line of JSON already, made by a worker: it is written as it is."""

    line: bytes


def encode_record(record: Record | JudgementLine) -> bytes:
    """One line of JSON, without the line end."""
    if isinstance(record, JudgementLine):
        return record.line
    line = _encode_known(record)
    return tidy_line(record, line) if is_untidy(line) else line


def is_untidy(line: bytes) -> bool:
    """Whether an encoded record needs `tidy_line`: this is rare, and cheaper to see in the line than in every part."""
    return EXTRA_KEY_BYTES in line or b":null" in line


def tidy_line(record: Record, line: bytes) -> bytes:
    """The line with unknown fields back in their places; NaN and infinity raise ValueError."""
    if b":null" in line:
        _refuse_nan(record)
    return _encode_known(record_to_dict(record)) if EXTRA_KEY_BYTES in line else line


def _refuse_nan(part: Record | Part) -> None:
    for field in part.__struct_fields__:
        value = getattr(part, field)
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{field} must be a finite number, not {value}")
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Part):
                _refuse_nan(inner)


def record_to_dict(record: Record | Part) -> dict[str, Any]:
    """The record as plain dicts and lists, with unknown fields back in their places."""
    return _flatten(type(record), msgspec.json.decode(_encode_known(record)))


EXTRA_KEY_BYTES = EXTRA_KEY.encode()


def _flatten(kind: type[msgspec.Struct], data: dict[str, Any]) -> dict[str, Any]:
    """Put unknown fields back among the known ones. One that has the name of a known field stays under EXTRA_KEY:
    an unknown field may never change what a record says."""
    shape = _shape(kind)
    flat: dict[str, Any] = {}
    for key, value in data.items():
        part = shape.get(key)
        if part is not None and isinstance(value, list | tuple):
            value = [_flatten(part, item) for item in value]
        elif part is not None and isinstance(value, dict):
            value = _flatten(part, value)
        flat[key] = value
    extra = flat.pop(EXTRA_KEY, {})
    reserved = ("kind", EXTRA_KEY) if issubclass(kind, Record) else (EXTRA_KEY,)
    nested = {key: value for key, value in extra.items() if key in shape or key in reserved}
    flat |= {key: value for key, value in extra.items() if key not in nested}
    return flat | {EXTRA_KEY: nested} if nested else flat


def _split(kind: type[msgspec.Struct], data: dict[str, Any]) -> dict[str, Any]:
    """Move what `kind` does not know under EXTRA_KEY, and make number ids strings and nulls absent."""
    shape = _shape(kind)
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in data.items():
        if key == EXTRA_KEY and isinstance(value, dict):
            extra |= value
            continue
        if key not in shape:
            extra[key] = value
            continue
        if value is None:
            continue
        part = shape[key]
        if isinstance(value, bool):
            pass
        elif isinstance(value, int) and (key.endswith("_id") or key in _TEXT_FIELDS):
            value = str(value)
        elif key in _ID_LISTS and isinstance(value, list):
            value = [str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in value]
        elif part is not None and isinstance(value, dict):
            value = _split(part, value)
        elif part is not None and isinstance(value, list):
            value = [_split(part, item) if isinstance(item, dict) else item for item in value]
        known[key] = value
    if extra:
        known[EXTRA_KEY] = extra
    return known


_TEXT_FIELDS = frozenset({"assessor", "judge", "group", "parent", "redundant_with", "template"})
_ID_LISTS = frozenset({"revises"})


@cache
def _shape(kind: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct] | None]:
    """A record's field names, each with the Part it holds (directly or in a list), if any."""
    return {
        field.encode_name: _part_in(field.type)
        for field in msgspec.structs.fields(kind)
        if field.encode_name != EXTRA_KEY
    }


def _part_in(annotation: Any) -> type[msgspec.Struct] | None:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) in (tuple, typing.Union):
        for inner in typing.get_args(annotation):
            if (part := _part_in(inner)) is not None:
                return part
    return None
