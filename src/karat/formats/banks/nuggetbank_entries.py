"""The entries of a NuggetBank v3, questions, answers and claims, as nugs and back.

What a record has no field for stays in its `extra` under the name it has in the file, and is written back as it was. If
the record has another field of that name (such as `importance`, for a value that is neither vital nor okay), the name
in `extra` is `v3:importance`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from karat.formats.io.fields import Fields, normal_label, type_name
from karat.formats.io.json_path import join
from karat.formats.io.sink import Sink
from karat.model import ContentIds, Nug, Record
from karat.model.records import Importance

NUGGET_BANK = "nugget_bank"
CLAIM_BANK = "claim_bank"
BANK = "bank"
"""The field of a nug's `extra` that names its bank if its shape does not: a nug with answers or an aggregator is a
question, any other a claim; a question without both has "nugget_bank" here, a claim with an aggregator "claim_bank"."""
BANK_KEY = "bank_key"
"""The field of a nug's `extra` with the key of its entry, if the key is not the entry's text."""

_OWN = "v3:"
_IMPORTANCES: dict[str, Importance] = {"vital": "vital", "okay": "okay"}
_AGGREGATORS = ("AND", "OR", "NOT", "SUM", "Default")


class EntryKind(NamedTuple):
    """The names of the fields in which an entry has its text and its id."""

    text: str
    id: str


QUESTION = EntryKind("question", "question_id")
CLAIM = EntryKind("claim", "claim_id")
ANSWER = EntryKind("answer", "answer_id")
"""Answers have no ids in v3; Karat writes one if it is not the id made from the text."""


class TextKeys:
    """Makes the keys of the entries of one bank: the text, then `text (2)`, `text (3)`, ..."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def next(self, text: str) -> str:
        self._seen[text] += 1
        return text if self._seen[text] == 1 else f"{text} ({self._seen[text]})"


def kept_fields(kind: type[Record], fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of the file as `extra` of a record of this kind."""
    known = {"kind", *kind.__struct_fields__}
    return {f"{_OWN}{name}" if name in known else name: value for name, value in fields.items()}


def given_back(extra: dict[str, Any]) -> dict[str, Any]:
    """The fields of the file that `extra` keeps."""
    return {name.removeprefix(_OWN): value for name, value in extra.items()}


def keyed_entries(owner: Fields, name: str, kind: EntryKind) -> list[tuple[str | None, Fields]]:
    """The entries of `{text: {...}}`, or of `[{...}]` and `["text"]`, which have no keys."""
    bank = owner.data.get(name)
    if bank is None:
        return []
    if not isinstance(bank, dict | list):
        owner.complain(name, f"must be an object, not {type_name(bank)}", code="wrong-type")
        return []
    members: list[tuple[Any, Any]] = [*bank.items()] if isinstance(bank, dict) else [*enumerate(bank)]
    entries: list[tuple[str | None, Fields]] = []
    for step, value in members:
        path = join(join(owner.path, name), step)
        if isinstance(value, str):
            value = {kind.text: value}
        if isinstance(value, dict):
            entries.append((step if isinstance(step, str) else None, Fields(owner.source, value, path)))
        else:
            owner.source.report(path, f"must be an object, not {type_name(value)}", code="wrong-type")
    return entries


def read_entry(
    entry: Fields, kind: EntryKind, key: str | None, keys: TextKeys, query_id: str, ids: ContentIds, *, parent: str = ""
) -> Nug:
    """The nug of an entry; `parent` is the question of an answer."""
    text = entry.optional_text(kind.text)
    if text is None:
        text = key if key is not None else entry.text(kind.text)
    extra = dict(entry.data)
    extra.pop(kind.text, None)
    made_id = ids.next(*filter(None, (parent, text)))
    nug_id = entry.optional_id(kind.id)
    if nug_id is not None:
        del extra[kind.id]
    if kind is not ANSWER:
        extra.pop("query_id", None)
        if (entry.optional_id("query_id") or query_id) != query_id:
            entry.complain("query_id", f"{entry.get('query_id')!r} is not the bank's {query_id!r}", code="other-query")
    made_key = keys.next(text)
    if key is not None and key != made_key:
        extra[BANK_KEY] = key
    aggregator = _aggregator(entry, extra) if kind is not ANSWER else None
    importance = _importance(extra)
    return Nug(
        query_id=query_id,
        nug_id=nug_id or made_id,
        descriptions=(text,),
        importance=importance,
        weight=_weight(extra, importance),
        aggregator="and" if aggregator == "AND" else "or" if aggregator == "OR" else None,
        parent=parent or None,
        extra=kept_fields(Nug, extra),
    )


def _aggregator(entry: Fields, extra: dict[str, Any]) -> str | None:
    value = extra.get("aggregator_type")
    if value is None:
        return None
    label = next((known for known in _AGGREGATORS if str(value).strip().lower() == known.lower()), None)
    if label is None:
        entry.complain("aggregator_type", repr(value), code="impossible-label", choices=_AGGREGATORS)
    elif label in ("AND", "OR"):
        del extra["aggregator_type"]
    return label


def _importance(extra: dict[str, Any]) -> Importance | None:
    value = extra.get("importance")
    importance = _IMPORTANCES.get(normal_label(value)) if isinstance(value, str) else None
    if importance is not None:
        del extra["importance"]
    return importance


def _weight(extra: dict[str, Any], importance: Importance | None) -> float | None:
    """The weight: a number in `importance`, or `weight`; it is removed from `extra` if the writer restores it."""
    for place in ("importance", "weight"):
        value = extra.get(place)
        if isinstance(value, int | float) and not isinstance(value, bool):
            others = {name: other for name, other in extra.items() if name != place}
            if place == _weight_place(float(value), importance, others):
                del extra[place]
            return float(value)
    return None


def _weight_place(weight: float, importance: Importance | None, extra: dict[str, Any]) -> str:
    """Write the weight: v3 accepts a whole number as `importance`; any other weight goes into the field `weight`."""
    free = importance is None and "importance" not in extra
    return "importance" if free and weight.is_integer() else "weight"


def write_entry(nug: Nug, kind: EntryKind, ids: ContentIds, sink: Sink) -> dict[str, Any]:
    """The entry of a nug, without its answers."""
    text = nug.descriptions[0] if nug.descriptions else ""
    if len(nug.descriptions) != 1:
        sink.lose("nug.descriptions", "only the first description of a nug can be written")
    row: dict[str, Any] = {kind.text: text}
    if nug.nug_id != ids.next(*filter(None, (nug.parent if kind is ANSWER else None, text))):
        row[kind.id] = nug.nug_id
    if kind is not ANSWER:
        row["query_id"] = nug.query_id
    if nug.aggregator is not None and kind is ANSWER:
        sink.lose("nug.aggregator", "an answer has no aggregator")
    elif nug.aggregator is not None:
        row["aggregator_type"] = nug.aggregator.upper()
    if nug.importance is not None:
        row["importance"] = nug.importance
    extra = given_back(nug.extra)
    if nug.weight is not None and nug.weight not in (extra.get("importance"), extra.get("weight")):
        place = _weight_place(nug.weight, nug.importance, extra)
        row[place] = int(nug.weight) if nug.weight.is_integer() else nug.weight
    return row | {name: value for name, value in extra.items() if name not in (*row, BANK, BANK_KEY)}


def put_entry(bank: dict[str, Any], nug: Nug, text: str, keys: TextKeys, row: dict[str, Any]) -> None:
    """Put an entry into its bank, under its original key if it has one."""
    made_key = keys.next(text)
    key = nug.extra.get(BANK_KEY, made_key)
    while key in bank:
        key = keys.next(text)
    bank[key] = row
