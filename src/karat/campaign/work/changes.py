"""Saving: all changes of a batch or none, with a version check, once per request, and with a history that only grows.

What a page saves names the version that the page has. Where the store has another one, nothing is saved; the refused
batch stays in the history, so that both versions are kept. Undoing is a new batch that puts back what was before;
undoing that batch is redoing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from time import time

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from karat.campaign.store import tables
from karat.campaign.work.annotations import KINDS, Place, at_places, decode_work, encode_work, layer
from karat.campaign.work.errors import (
    Broken,
    Conflict,
    CurrentAnnotation,
    RuleBroken,
)
from karat.campaign.work.history import batch_to_undo
from karat.campaign.work.payloads import CitationWork, JudgementWork, VoteWork
from karat.campaign.work.permissions import Person, check_may_change, query_row
from karat.campaign.work.rules import Change, ChangeBatch, broken_rules, steps_are_open

MOST_CHANGES = 5000
LONGEST_REQUEST = 80
LONGEST_KEY = 120


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What stands after a save, with the new versions."""

    batch: int
    annotations: tuple[CurrentAnnotation, ...]


def save(
    connection: Connection,
    person: Person,
    query_number: int,
    owner: int,
    request: str,
    changes: Sequence[Change],
    *,
    now: float | None = None,
) -> Saved:
    """Save all changes. The same request again gives the first result and does nothing.

    Raises NotAllowed, RuleBroken (nothing saved), or Conflict (nothing saved, the batch is kept as refused).
    """
    query_row(connection, query_number, lock=True)
    check_may_change(connection, person, query_number, owner)
    content = _content("save", [(change.kind, change.key, change.record) for change in changes])
    if (done := _done_before(connection, person, query_number, owner, request, content)) is not None:
        return done
    _check_form(request, changes)
    current = at_places(connection, query_number, owner, [change.place for change in changes])
    outdated = [change for change in changes if not _is_newest(change, current.get(change.place))]
    if outdated:
        number = _add_batch(connection, person, query_number, owner, request, content, now=now, refused=True)
        _add_history(connection, number, changes, current, refused=True)
        raise Conflict([_standing(change.place, current) for change in outdated])
    return _apply(connection, person, query_number, owner, request, content, changes, current, now=now)


def undo(
    connection: Connection,
    person: Person,
    query_number: int,
    owner: int,
    request: str,
    *,
    batch: int | None = None,
    now: float | None = None,
) -> Saved:
    """Put back what was before the person's last batch (or the given one). Undoing an undo does it again.

    Raises NothingToUndo, Conflict where something was changed since, RuleBroken where other work needs what would go.
    """
    query_row(connection, query_number, lock=True)
    check_may_change(connection, person, query_number, owner)
    content = _content("undo", batch)
    if (done := _done_before(connection, person, query_number, owner, request, content)) is not None:
        return done
    _check_form(request, ())
    number = batch_to_undo(connection, person, query_number, owner, batch)
    columns = tables.change.c
    rows = connection.execute(
        select(columns.kind, columns.key, columns.before, columns.after)
        .where(columns.batch == number)
        .order_by(columns.number)
    ).all()
    current = at_places(connection, query_number, owner, [(kind, key) for kind, key, _, _ in rows])
    changes, changed_since = [], []
    for kind, key, before, after in rows:
        standing = _standing((kind, key), current)
        # Not the version: an undone later change has another version, but the same content.
        if encode_work(standing.record) != after:
            changed_since.append(standing)
        record = None if before is None else decode_work(before)
        changes.append(Change(kind=kind, key=key, version=standing.version, record=record))
    if changed_since:
        refused = _add_batch(
            connection, person, query_number, owner, request, content, now=now, refused=True, undoes=number
        )
        _add_history(connection, refused, changes, current, refused=True)
        raise Conflict(changed_since)
    return _apply(connection, person, query_number, owner, request, content, changes, current, now=now, undoes=number)


def _apply(
    connection: Connection,
    person: Person,
    query_number: int,
    owner: int,
    request: str,
    content: bytes,
    changes: Sequence[Change],
    current: dict[Place, CurrentAnnotation],
    *,
    now: float | None,
    undoes: int | None = None,
) -> Saved:
    batch = ChangeBatch(connection, query_number, owner, changes, current)
    followers = list(_left_without_object(batch))
    if followers:
        current = current | {(standing.kind, standing.key): standing for standing in followers}
        gone = [Change(kind=each.kind, key=each.key, version=each.version) for each in followers]
        batch = ChangeBatch(connection, query_number, owner, [*changes, *gone], current)
    if problems := [*steps_are_open(batch), *broken_rules(batch)]:
        raise RuleBroken(problems)
    number = _add_batch(connection, person, query_number, owner, request, content, now=now, undoes=undoes)
    _add_history(connection, number, batch.changes, current)
    _store(connection, query_number, owner, batch.changes, current)
    return Saved(batch=number, annotations=tuple(_after(change, current) for change in batch.changes))


def _left_without_object(batch: ChangeBatch) -> Iterator[CurrentAnnotation]:
    """What is deleted along: citation checks of a deleted nugget, votes and judgements of a deleted nug."""
    gone = {"nugget": set(), "nug": set()}  # type: dict[str, set[str]]
    for change in batch.changes:
        if change.record is None and change.kind in gone:
            gone[change.kind].add(change.key)
    kinds = (["citation"] if gone["nugget"] else []) + (["vote", "judgement"] if gone["nug"] else [])
    if not kinds:
        return
    changed = {change.place for change in batch.changes}
    for standing in layer(batch.connection, batch.query_number, batch.owner, kinds):
        record = standing.record
        object_is_gone = (isinstance(record, CitationWork) and record.nugget in gone["nugget"]) or (
            isinstance(record, VoteWork | JudgementWork) and record.nug in gone["nug"]
        )
        if object_is_gone and (standing.kind, standing.key) not in changed:
            yield standing


def _check_form(request: str, changes: Sequence[Change]) -> None:
    problems = []
    if not 1 <= len(request) <= LONGEST_REQUEST:
        problems.append(Broken(where="request", what=f"1 to {LONGEST_REQUEST} characters"))
    if len(changes) > MOST_CHANGES:
        problems.append(Broken(where="changes", what=f"{len(changes)} at once; at most {MOST_CHANGES} are possible"))
    for change in changes:
        if change.kind not in KINDS:
            problems.append(Broken(where=change.kind[:LONGEST_KEY], what=f"choose from {', '.join(KINDS)}"))
        elif not 1 <= len(change.key) <= LONGEST_KEY:
            problems.append(Broken(where=change.kind, what=f"a key has 1 to {LONGEST_KEY} characters"))
    if problems:
        raise RuleBroken(problems)


def _is_newest(change: Change, standing: CurrentAnnotation | None) -> bool:
    if standing is None:
        return change.version == 0
    # A page that never saw what was deleted makes it anew.
    return change.version == standing.version or (standing.record is None and change.version == 0)


def _standing(place: Place, current: dict[Place, CurrentAnnotation]) -> CurrentAnnotation:
    return current.get(place) or CurrentAnnotation(kind=place[0], key=place[1], version=0)


def _after(change: Change, current: dict[Place, CurrentAnnotation]) -> CurrentAnnotation:
    version = _standing(change.place, current).version + 1
    return CurrentAnnotation(kind=change.kind, key=change.key, version=version, record=change.record)


def _add_batch(
    connection: Connection,
    person: Person,
    query_number: int,
    owner: int,
    request: str,
    content: bytes,
    *,
    now: float | None,
    refused: bool = False,
    undoes: int | None = None,
) -> int:
    values = {
        "time": time() if now is None else now, "account": person.number, "query": query_number, "owner": owner,
        "request": request, "content": content, "refused": refused, "undoes": undoes,
    }  # fmt: skip
    inserted = connection.execute(insert(tables.batch).values(**values)).inserted_primary_key
    assert inserted is not None
    return int(inserted[0])


def _add_history(
    connection: Connection,
    number: int,
    changes: Sequence[Change],
    current: dict[Place, CurrentAnnotation],
    *,
    refused: bool = False,
) -> None:
    rows = []
    for change in changes:
        standing = _standing(change.place, current)
        # A refused change keeps the version that its page had.
        version = change.version if refused else standing.version + 1
        before, after = encode_work(standing.record), encode_work(change.record)
        row = {"batch": number, "kind": change.kind, "key": change.key, "version": version}
        rows.append({**row, "before": before, "after": after})
    if rows:
        connection.execute(insert(tables.change), rows)


def _store(
    connection: Connection,
    query_number: int,
    owner: int,
    changes: Sequence[Change],
    current: dict[Place, CurrentAnnotation],
) -> None:
    new: list[dict[str, object]] = []
    changed: list[dict[str, object]] = []
    for change in changes:
        after = _after(change, current)
        row = {"kind_": change.kind, "key_": change.key, "version": after.version, "record": encode_work(after.record)}
        (changed if change.place in current else new).append(row)
    columns = tables.annotation.c
    if new:
        made = insert(tables.annotation).values(
            query=query_number, owner=owner, kind=bindparam("kind_"), key=bindparam("key_"),
            version=bindparam("version"), record=bindparam("record"),
        )  # fmt: skip
        connection.execute(made, new)
    if changed:
        here = columns.query == query_number, columns.owner == owner
        connection.execute(
            update(tables.annotation).where(
                *here, columns.kind == bindparam("kind_"), columns.key == bindparam("key_")
            ),
            changed,
        )


def _content(what: str, sent: object) -> bytes:
    """A hash of what a request asks for."""
    return blake2b(msgspec.json.encode([what, sent]), digest_size=16).digest()


def _done_before(
    connection: Connection, person: Person, query_number: int, owner: int, request: str, content: bytes
) -> Saved | None:
    """The result of the same request, where it was sent before."""
    columns = tables.batch.c
    row = connection.execute(
        select(columns.number, columns.query, columns.owner, columns.refused, columns.content).where(
            columns.account == person.number, columns.request == request
        )
    ).first()
    if row is None:
        return None
    number, query, of_owner, refused, known = row
    if (query, of_owner, known) != (query_number, owner, content):
        other = "something else" if (query, of_owner) == (query_number, owner) else "another query"
        raise RuleBroken([Broken(where="request", what=f"this request was used for {other}; send a new one")])
    made = tables.change.c
    rows = connection.execute(
        select(made.kind, made.key, made.version, made.after).where(made.batch == number).order_by(made.number)
    ).all()
    if refused:
        current = at_places(connection, query_number, owner, [(kind, key) for kind, key, _, _ in rows])
        raise Conflict([_standing((kind, key), current) for kind, key, _, _ in rows])
    annotations = tuple(
        CurrentAnnotation(kind=kind, key=key, version=version, record=None if after is None else decode_work(after))
        for kind, key, version, after in rows
    )
    return Saved(batch=number, annotations=annotations)
