"""Annotations in the store: reading a layer, and the JSON that records become."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.errors import CurrentAnnotation
from karat.campaign.work.payloads import (
    LARGEST,
    AnyWork,
    CitationWork,
    DecisionWork,
    JudgementWork,
    NuggetWork,
    NugWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
    VoteWork,
    Work,
)
from karat.model.codec import decode_span_set

W = TypeVar("W", bound=Work)
Place = tuple[str, str]
"""The kind and key of an annotation within a layer."""
WORK_TYPES: tuple[type[Work], ...] = (
    RelevanceWork, NuggetWork, RejectionWork, NugWork, CitationWork, VoteWork, JudgementWork, ReviewedWork,
    DecisionWork,
)  # fmt: skip
KINDS = tuple(str(kind.__struct_config__.tag) for kind in WORK_TYPES)
PARTS = 500
"""How many values one statement asks for: databases bound the number of parameters."""


def _decode_hook(kind: type, value: Any) -> Any:
    spans = decode_span_set(kind, value)
    if spans and spans[-1][1] > LARGEST:
        raise ValueError(f"spans end at {LARGEST} at the latest")
    return spans


_decoder = msgspec.json.Decoder(AnyWork, dec_hook=_decode_hook)
_encoder = msgspec.json.Encoder()


def decode_work(text: str | bytes) -> AnyWork:
    """The record in a row; msgspec.ValidationError where it is none."""
    record: AnyWork = _decoder.decode(text)
    return record


def work_from_dict(data: Any) -> AnyWork:
    """The record in a dict, as a request's JSON gives it (with `kind`); msgspec.ValidationError where it is none."""
    record: AnyWork = msgspec.convert(data, AnyWork, dec_hook=_decode_hook)
    return record


def encode_work(record: Work | None) -> str | None:
    """The JSON of a row; the same record gives the same text."""
    return None if record is None else _encoder.encode(record).decode()


def kind_of_work(record: Work | type[Work]) -> str:
    """`relevance`, `nugget`, ..."""
    return str(record.__struct_config__.tag)


def key_of(record: Work) -> str | None:
    """The key that an annotation must have; None where the page makes it (nuggets and nugs)."""
    match record:
        case RelevanceWork():
            return str(record.passage)
        case RejectionWork():
            return str(record.suggestion)
        case CitationWork():
            return f"{record.citation}:{record.nugget}" if record.nugget else str(record.citation)
        case VoteWork():
            return f"{record.nug}:{record.occasion}" if record.occasion else record.nug
        case JudgementWork():
            return f"{record.response}:{record.nug}"
        case ReviewedWork():
            return record.step if record.passage is None else f"{record.step}:{record.passage}"
        case DecisionWork():
            return record.item
        case _:
            return None


def layer(
    connection: Connection, query_number: int, owner: int, kinds: Collection[str] = ()
) -> list[CurrentAnnotation]:
    """What stands in a layer of a query, without what was deleted; of some kinds, or of all."""
    columns = tables.annotation.c
    chosen = (
        select(columns.kind, columns.key, columns.version, columns.record)
        .where(columns.query == query_number, columns.owner == owner, columns.record.is_not(None))
        .order_by(columns.number)
    )
    if kinds:
        chosen = chosen.where(columns.kind.in_(tuple(kinds)))
    return [
        CurrentAnnotation(kind=kind, key=key, version=version, record=decode_work(record))
        for kind, key, version, record in connection.execute(chosen)
    ]


def of_type(annotations: Iterable[CurrentAnnotation], kind: type[W]) -> dict[str, W]:
    """The records of one kind by their key."""
    return {annotation.key: annotation.record for annotation in annotations if isinstance(annotation.record, kind)}


def at_places(
    connection: Connection, query_number: int, owner: int, places: Collection[Place]
) -> dict[Place, CurrentAnnotation]:
    """What stands at the places, and what was deleted there (record None); nothing for places that never were."""
    columns = tables.annotation.c
    wanted, keys = set(places), sorted({key for _, key in places})
    found: dict[Place, CurrentAnnotation] = {}
    for start in range(0, len(keys), PARTS):
        chosen = select(columns.kind, columns.key, columns.version, columns.record).where(
            columns.query == query_number,
            columns.owner == owner,
            columns.kind.in_(sorted({kind for kind, _ in places})),
            columns.key.in_(keys[start : start + PARTS]),
        )
        for kind, key, version, record in connection.execute(chosen):
            if (kind, key) in wanted:
                found[kind, key] = CurrentAnnotation(
                    kind=kind, key=key, version=version, record=None if record is None else decode_work(record)
                )
    return found
