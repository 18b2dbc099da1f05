"""How records stand in the rows and columns of a Parquet file: one row per record, one column per field.

Scalar fields are plain columns (text, double, bigint, boolean); nested ones (snippets, descriptions, spans, ...) and
unknown fields (`extra`) are JSON text. Two fields have columns of their own shape: `probabilities` of a judgement is
`probability_none`, `probability_partial` and `probability_full`; a vote that is a word (vital, okay) is in
`value_text`.
"""

from __future__ import annotations

import types
import typing
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from karat.model import RECORD_TYPE_BY_KIND, RECORD_TYPES, AnyRecord, Judgement, Record
from karat.model.codec import encode_record
from karat.model.records import EXTRA_KEY

ColumnType = Literal["text", "double", "bigint", "boolean", "json"]
EXTRA = "extra"
VALUE_TEXT = "value_text"
LEVELS = ("0", "0.5", "1")
PROBABILITIES = {"probability_none": "0", "probability_partial": "0.5", "probability_full": "1"}
_SHARES = {level: name for name, level in PROBABILITIES.items()}
_FIRST = (
    "kind",
    "v",
    "query_id",
    "run_id",
    "snippet_id",
    "nugget_id",
    "nug_id",
    "degree",
    "judge",
    "assessor",
    "status",
)
"""What most rows have comes first."""
_ids = attrgetter("query_id", "run_id", "nug_id")
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


@cache
def columns() -> dict[str, ColumnType]:
    """Every column with its type, in the order of the file: the fields of all kinds of records."""
    found: dict[str, ColumnType] = {"kind": "text"}
    for kind in RECORD_TYPES:
        for field in msgspec.structs.fields(kind):
            if field.encode_name != EXTRA_KEY:
                found.setdefault(field.encode_name, _type_of(field.type))
    # A vote is a word or a number, and a score a number.
    found |= {"value": "double", VALUE_TEXT: "text", **dict.fromkeys(PROBABILITIES, "double"), EXTRA: "json"}
    return {name: found[name] for name in (*_FIRST, *(name for name in found if name not in _FIRST))}


@cache
def _fields_of(kind: str) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(RECORD_TYPE_BY_KIND[kind])) - {EXTRA_KEY}


def _type_of(annotation: Any) -> ColumnType:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _type_of(get_args(annotation)[0])
    if origin is Literal:
        return "bigint" if isinstance(get_args(annotation)[0], int) else "text"
    if isinstance(annotation, types.UnionType) or origin is typing.Union:
        inner = {_type_of(each) for each in get_args(annotation) if each is not type(None)}
        return inner.pop() if len(inner) == 1 else "json"
    by_type: dict[Any, ColumnType] = {str: "text", float: "double", int: "bigint", bool: "boolean"}
    return by_type.get(annotation, "json")


def columns_of(records: Sequence[AnyRecord]) -> dict[str, list[Any]]:
    """The values of the columns that these records fill; NaN and infinity raise ValueError, as in JSONL."""
    table: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(records))
    for at, record in enumerate(records):
        if type(record) is Judgement and _put_plain(record, table, at):
            continue
        for name, value in _row(record).items():
            table[name][at] = value
    return table


def _put_plain(judgement: Judgement, table: Mapping[str, list[Any]], at: int) -> bool:
    """The usual judgement, without a detour over JSON: it has no evidence and no unknown fields."""
    degree = judgement.degree
    if (
        judgement.evidence is not None
        or judgement.extra
        or judgement.probabilities
        or degree is None
        or degree != degree
    ):
        return False
    table["kind"][at], table["v"][at], table["degree"][at] = "judgement", 1, degree
    table["query_id"][at], table["run_id"][at], table["nug_id"][at] = _ids(judgement)
    table["judge"][at], table["status"][at] = judgement.judge, judgement.status
    for name in ("snippet_id", "assessor", "adjudicated"):
        if (value := getattr(judgement, name)) is not None:
            table[name][at] = value
    return True


def _row(record: Record) -> dict[str, Any]:
    """One record as values of columns."""
    data: dict[str, Any] = _decode(encode_record(record))
    kind: str = data["kind"]
    known = _fields_of(kind)
    row: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    shape = columns()
    for name, value in data.items():
        if name != "kind" and name not in known:
            extra[name] = value
        elif name == "probabilities" and tuple(value) == tuple(level for level in LEVELS if level in value):
            row |= {_SHARES[level]: share for level, share in value.items()}
        elif name == "value" and isinstance(value, str):
            row[VALUE_TEXT] = value
        else:
            row[name] = _encode(value).decode() if shape[name] == "json" else value
    if extra:
        row[EXTRA] = _encode(extra).decode()
    return row


class BadText(ValueError):
    """A column of JSON text has something else."""


def data_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of the record in a row (without its empty cells); columns that Karat does not know are fields.

    Raises:
        BadText: text that should be JSON is not.
    """
    shape = columns()
    data: dict[str, Any] = {}
    shares: dict[str, Any] = {}
    for name, value in row.items():
        if value is None:
            continue
        if shape.get(name) == "json" and isinstance(value, str):
            try:
                value = _decode(value)
            except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
                raise BadText(f"{name}: is not JSON: {error}") from None
        if name in PROBABILITIES:
            shares[PROBABILITIES[name]] = value
        elif name == EXTRA and isinstance(value, dict):
            data |= {field: inner for field, inner in value.items() if field not in data}
        elif name == VALUE_TEXT:
            data["value"] = value
        else:
            data[name] = value
    if shares:
        data["probabilities"] = {level: shares[level] for level in LEVELS if level in shares}
    return data
