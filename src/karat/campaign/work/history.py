"""The history of a query: every batch, the refused ones too, newest first."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import decode_work
from karat.campaign.work.errors import NotAllowed, NothingToUndo
from karat.campaign.work.payloads import AnyWork
from karat.campaign.work.permissions import Person, check_may_see, query_row

PAGE = 50


class PastChange(msgspec.Struct, frozen=True, kw_only=True):
    """One annotation before and after; in a refused batch `after` is what was not saved."""

    kind: str
    key: str
    version: int
    before: AnyWork | None = None
    after: AnyWork | None = None


class PastBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that were saved or refused together."""

    batch: int
    time: float
    account: int
    name: str
    owner: int
    refused: bool
    undoes: int | None
    undone: bool
    changes: tuple[PastChange, ...]


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    page: int
    pages: int
    batches: tuple[PastBatch, ...]


def history(
    connection: Connection, person: Person, query_number: int, *, owner: int | None = None, page: int = 1
) -> HistoryPage:
    """Who changed what and when. An assessor sees the own layer; others see all, or that of one owner."""
    query_row(connection, query_number)
    if person.role == "assessor" and owner is None:
        owner = person.number
    check_may_see(connection, person, query_number, 0 if owner is None else owner)
    batch = tables.batch.c
    here = [batch.query == query_number] + ([] if owner is None else [batch.owner == owner])
    total = connection.execute(select(func.count()).select_from(tables.batch).where(*here)).scalar_one()
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    rows = connection.execute(
        select(batch.number, batch.time, batch.account, tables.account.c.name, batch.owner, batch.refused, batch.undoes)
        .join(tables.account, tables.account.c.number == batch.account)
        .where(*here)
        .order_by(batch.number.desc())
        .limit(PAGE)
        .offset((page - 1) * PAGE)
    ).all()
    changes = _changes(connection, [row.number for row in rows])
    undone = _undone(connection, query_number)
    batches = tuple(
        PastBatch(
            batch=row.number, time=row.time, account=row.account, name=row.name, owner=row.owner, refused=row.refused,
            undoes=row.undoes, undone=row.number in undone, changes=tuple(changes.get(row.number, ())),
        )
        for row in rows
    )  # fmt: skip
    return HistoryPage(page=page, pages=pages, batches=batches)


def _changes(connection: Connection, batches: list[int]) -> dict[int, list[PastChange]]:
    columns = tables.change.c
    rows = connection.execute(
        select(columns.batch, columns.kind, columns.key, columns.version, columns.before, columns.after)
        .where(columns.batch.in_(batches))
        .order_by(columns.number)
    )
    found: dict[int, list[PastChange]] = {}
    for number, kind, key, version, before, after in rows:
        change = PastChange(kind=kind, key=key, version=version, before=_record(before), after=_record(after))
        found.setdefault(number, []).append(change)
    return found


def _record(text: str | None) -> AnyWork | None:
    return None if text is None else decode_work(text)


def _undone(connection: Connection, query_number: int) -> set[int]:
    """The batches whose newest undo stands. Undos come after what they undo, so the newest is looked at first."""
    columns = tables.batch.c
    rows = connection.execute(
        select(columns.number, columns.undoes)
        .where(columns.query == query_number, columns.undoes.is_not(None), columns.refused.is_(False))
        .order_by(columns.number.desc())
    )
    undone: set[int] = set()
    for number, undoes in rows:
        if number not in undone:
            undone.add(undoes)
    return undone


def batch_to_undo(connection: Connection, person: Person, query_number: int, owner: int, wanted: int | None) -> int:
    """The wanted batch, else the newest own one that stands; an undo is only undone when it is named."""
    columns = tables.batch.c
    rows = connection.execute(
        select(columns.number, columns.undoes)
        .where(
            columns.query == query_number,
            columns.owner == owner,
            columns.account == person.number,
            columns.refused.is_(False),
        )
        .order_by(columns.number.desc())
    ).all()
    undone = _undone(connection, query_number)
    if wanted is not None:
        if wanted not in {number for number, _ in rows}:
            raise NotAllowed
        if wanted in undone:
            raise NothingToUndo("This change was already undone.")
        return wanted
    for number, undoes in rows:
        if undoes is None and number not in undone:
            return int(number)
    raise NothingToUndo("You have changed nothing here that could be undone.")
