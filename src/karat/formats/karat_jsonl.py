"""Karat's own JSONL: one record a line, every noun, nothing lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

import msgspec

from karat.formats.head import Head
from karat.formats.losses import Carries
from karat.formats.sink import Sink
from karat.formats.source import Source
from karat.model import RECORD_TYPE_BY_KIND, RECORD_TYPES, AnyRecord, encode_record, kind_of, record_from_dict
from karat.model.codec import EXTRA_KEY_BYTES, fast_decoder
from karat.model.records import Judgement

TITLE = "Karat's own records, one a line"
CARRIES: Carries = {kind_of(kind): frozenset({"*"}) for kind in RECORD_TYPES}

_PLACE = re.compile(r"(?P<what>.*) - at `\$(?P<path>[^`]*)`", re.DOTALL)
_JUDGEMENT_LABELS = ("degree", "probabilities", "status")


def sniff_karat(head: Head) -> bool:
    return head.row.get("kind") in RECORD_TYPE_BY_KIND


def read_karat(source: Source) -> Iterator[AnyRecord]:
    """The records in their order. A judgement with an impossible label is kept as `failed`."""
    decode = fast_decoder()
    for line in source.lines():
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if line and not line.isspace() and (record := _read_carefully(source, line)) is not None:
                yield record


def write_karat(records: Iterable[AnyRecord], sink: Sink) -> None:
    encode = msgspec.json.Encoder().encode
    write = sink.write_bytes
    for record in records:
        line = encode(record)
        write((line if EXTRA_KEY_BYTES not in line else encode_record(record)) + b"\n")


def _read_carefully(source: Source, line: bytes) -> AnyRecord | None:
    """The record of a line the fast decoder refused: unknown fields and number ids are welcome."""
    try:
        data = msgspec.json.decode(line)
        return record_from_dict(data)
    except msgspec.ValidationError as error:
        return _report(source, data, str(error))
    except RecursionError:
        source.report("", "nested too deeply", code="bad-json")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        what = str(error).removeprefix("JSON is malformed: ")
        source.report("", f"is not JSON: {what}", code="bad-json")
    return None


def _report(source: Source, data: Any, message: str) -> AnyRecord | None:
    match = _PLACE.fullmatch(message)
    what, path = (match["what"], match["path"].removeprefix(".")) if match else (message, "")
    kind = data.get("kind") if isinstance(data, dict) else None
    code = "wrong-type"
    choices: tuple[str, ...] = ()
    if kind not in RECORD_TYPE_BY_KIND and isinstance(data, dict):
        if kind is None:
            source.report("kind", "is missing", code="missing-field")
        else:
            source.report("kind", repr(kind), code="impossible-label", choices=tuple(RECORD_TYPE_BY_KIND))
        return None
    if what.startswith("Invalid enum value "):
        what, code = what.removeprefix("Invalid enum value "), "impossible-label"
        choices = _choices(RECORD_TYPE_BY_KIND[kind], path) if kind else ()
    elif what.startswith("Object missing required field"):
        name = what.split("`")[1]
        path, what, code = (f"{path}.{name}" if path else name), "is missing", "missing-field"
    elif what.startswith("a span"):
        code = "bad-span"
    elif what.startswith("Expected `float`"):
        what, code = f"{_at(data, path)!r} is not a number from 0 to 1", "impossible-label"
    query_id = data.get("query_id") if isinstance(data, dict) else None
    source.query_id = str(query_id) if query_id is not None else None
    source.report(path, what, code=code, choices=choices)
    if kind == "judgement" and path.split(".")[0].split("[")[0] in _JUDGEMENT_LABELS:
        # The smallest unit is the label: the query is scored on the rest and flagged.
        kept = {name: value for name, value in data.items() if name not in _JUDGEMENT_LABELS}
        try:
            record = record_from_dict({**kept, "status": "failed"})
        except msgspec.ValidationError:
            return None
        assert isinstance(record, Judgement)
        return record
    return None


def _at(data: Any, path: str) -> Any:
    """The value at a path such as `members[0].degree`."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        try:
            data = data[name] if name else data[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _choices(kind: type[msgspec.Struct], path: str) -> tuple[str, ...]:
    """The values that the field at `path` may have."""
    annotation: Any = kind
    for name in re.findall(r"[^.\[\]]+", re.sub(r"\[[^\]]*\]", "", path)):
        struct = _struct_in(annotation)
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)} if struct else {}
        if name not in fields:
            break
        annotation = fields[name]
    return tuple(str(value) for value in _literals(annotation))


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _struct_in(inner))), None)


def _literals(annotation: Any) -> list[Any]:
    from typing import Literal

    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for inner in get_args(annotation) for value in _literals(inner)]
