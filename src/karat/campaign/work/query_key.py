"""The key of a query, for votes and judging: imported nugs, else the adjudicated ones, else the assessor's own."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import layer, of_type
from karat.campaign.work.payloads import NugWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.steps import is_adjudicated
from karat.model import Nug, decode_record

IMPORTED = "key:"
"""How the key of an imported nug begins; its number follows."""


class KeyNug(msgspec.Struct, frozen=True, kw_only=True):
    """A nug of the query's key, as pages show it."""

    key: str
    descriptions: tuple[str, ...]
    importance: str | None = None


def key_owner(connection: Connection, query_number: int, owner: int) -> int | None:
    """Whose nugs are the key for somebody's layer; None: an imported key."""
    columns = tables.key_nug.c
    imported = select(columns.number).where(columns.query == query_number).limit(1)
    if connection.execute(imported).first() is not None:
        return None
    return ADJUDICATED if is_adjudicated(connection, query_number) else owner


def query_key(connection: Connection, query_number: int, owner: int) -> dict[str, KeyNug]:
    """The nugs that can be voted on and judged, by their key and in order."""
    whose = key_owner(connection, query_number, owner)
    if whose is not None:
        nugs = of_type(layer(connection, query_number, whose, ["nug"]), NugWork)
        return {
            key: KeyNug(key=key, descriptions=(nug.description,), importance=nug.importance)
            for key, nug in nugs.items()
        }
    columns = tables.key_nug.c
    rows = connection.execute(
        select(columns.number, columns.record).where(columns.query == query_number).order_by(columns.position)
    )
    imported = [(f"{IMPORTED}{number}", decode_record(record.encode())) for number, record in rows]
    return {
        key: KeyNug(key=key, descriptions=nug.descriptions, importance=nug.importance)
        for key, nug in imported
        if isinstance(nug, Nug)
    }
