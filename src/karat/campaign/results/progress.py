"""Progress: which step of which query each person has finished, and the time that it took."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, func, select

from karat.campaign.store import tables
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules.open_steps import STEP_OF_KIND
from karat.campaign.work.steps import adjudicated_queries, steps_of, votes_wait
from karat.model import Query, decode_record

PAGE = 50


class StepProgress(msgspec.Struct, frozen=True, kw_only=True):
    """`done`: when; None: open. `items`: how many annotations the step has; `seconds`: time spent; `waits`: it cannot
    be done yet."""

    step: str
    done: float | None
    seconds: float
    items: int
    waits: bool = False

    @property
    def seconds_per_item(self) -> float | None:
        return self.seconds / self.items if self.items else None


class PersonProgress(msgspec.Struct, frozen=True, kw_only=True):
    """One assessor's work on a query; `account` 0: the adjudicated layer."""

    account: int
    name: str
    steps: tuple[StepProgress, ...]


class QueryProgress(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    query_id: str
    text: str
    adjudicated: bool
    people: tuple[PersonProgress, ...]
    """The assessors of the query."""
    adjudication: PersonProgress


class PersonTotal(msgspec.Struct, frozen=True, kw_only=True):
    """All work of one assessor: queries assigned and finished, steps done, time and items."""

    account: int
    name: str
    queries: int
    finished: int
    steps_done: int
    seconds: float
    items: int


class ProgressPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of queries, and totals over all of them."""

    page: int
    pages: int
    total: int
    adjudicated: int
    steps: tuple[str, ...]
    queries: tuple[QueryProgress, ...]
    people: tuple[PersonTotal, ...]


def progress(connection: Connection, page: int = 1) -> ProgressPage:
    """The progress of the campaign, 50 queries a page."""
    query, assignment, account = tables.query.c, tables.assignment.c, tables.account.c
    total = connection.execute(select(func.count()).select_from(tables.query)).scalar_one()
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    rows = connection.execute(
        select(query.number, query.query_id, query.record)
        .order_by(query.position)
        .limit(PAGE)
        .offset((page - 1) * PAGE)
    ).all()
    numbers = [row.number for row in rows]
    assigned: dict[int, list[tuple[int, str]]] = {}
    people = connection.execute(
        select(assignment.query, assignment.account, account.name)
        .join(tables.account, account.number == assignment.account)
        .where(assignment.query.in_(numbers))
        .order_by(account.name)
    )
    for row in people:
        assigned.setdefault(row.query, []).append((row.account, row.name))
    work = _Work(connection, numbers)
    own_steps, adjudicated_steps = steps_of(connection, 1), steps_of(connection, ADJUDICATED)
    finished = adjudicated_queries(connection)
    listed = []
    for row in rows:
        record = decode_record(row.record.encode())
        assert isinstance(record, Query)
        listed.append(
            QueryProgress(
                number=row.number, query_id=row.query_id, text=record.text, adjudicated=row.number in finished,
                people=tuple(
                    work.person(row.number, number, name, own_steps) for number, name in assigned.get(row.number, ())
                ),
                adjudication=work.person(row.number, ADJUDICATED, "adjudication", adjudicated_steps),
            )
        )  # fmt: skip
    return ProgressPage(
        page=page, pages=pages, total=total, adjudicated=len(finished), steps=own_steps, queries=tuple(listed),
        people=tuple(_totals(connection, own_steps)),
    )  # fmt: skip


class _Work:
    """States of steps and counts of items, of some queries."""

    def __init__(self, connection: Connection, numbers: list[int]) -> None:
        state, annotation = tables.step_state.c, tables.annotation.c
        self._states = {
            (row.query, row.owner, row.step): (row.done, row.seconds)
            for row in connection.execute(
                select(state.query, state.owner, state.step, state.done, state.seconds).where(state.query.in_(numbers))
            )
        }
        self._waiting = votes_wait(connection, numbers)
        self._items: dict[tuple[int, int, str], int] = {}
        counts = connection.execute(
            select(annotation.query, annotation.owner, annotation.kind, func.count().label("items"))
            .where(annotation.query.in_(numbers), annotation.record.is_not(None))
            .group_by(annotation.query, annotation.owner, annotation.kind)
        )
        for row in counts:
            step = STEP_OF_KIND.get(row.kind)
            if step is not None:
                place = row.query, row.owner, step
                self._items[place] = self._items.get(place, 0) + row.items

    def person(self, query: int, owner: int, name: str, steps: tuple[str, ...]) -> PersonProgress:
        made = []
        for step in steps:
            done, seconds = self._states.get((query, owner, step), (None, 0.0))
            items = self._items.get((query, owner, step), 0)
            waits = step == "votes" and query in self._waiting
            made.append(StepProgress(step=step, done=done, seconds=seconds, items=items, waits=waits))
        return PersonProgress(account=owner, name=name, steps=tuple(made))


def _totals(connection: Connection, steps: tuple[str, ...]) -> list[PersonTotal]:
    """Counted by the database, so that the number of queries costs nothing here."""
    account, assignment, state, annotation = (
        tables.account.c, tables.assignment.c, tables.step_state.c, tables.annotation.c,
    )  # fmt: skip
    queries = _counts(connection, select(assignment.account, func.count()).group_by(assignment.account))
    items = _counts(
        connection,
        select(annotation.owner, func.count())
        .where(annotation.record.is_not(None), annotation.kind.in_(STEP_OF_KIND))
        .group_by(annotation.owner),
    )
    seconds = _counts(connection, select(state.owner, func.sum(state.seconds)).group_by(state.owner))
    done_per_query = (
        select(state.owner, state.query, func.count().label("steps"))
        .where(state.done.is_not(None), state.step.in_(steps))
        .group_by(state.owner, state.query)
        .subquery()
    )
    done = _counts(
        connection, select(done_per_query.c.owner, func.sum(done_per_query.c.steps)).group_by(done_per_query.c.owner)
    )
    finished = _counts(
        connection,
        select(done_per_query.c.owner, func.count())
        .where(done_per_query.c.steps >= max(1, len(steps)))
        .group_by(done_per_query.c.owner),
    )
    people = connection.execute(
        select(account.number, account.name).where(account.role == "assessor").order_by(account.name)
    )
    return [
        PersonTotal(
            account=row.number, name=row.name, queries=int(queries.get(row.number, 0)),
            finished=int(finished.get(row.number, 0)), steps_done=int(done.get(row.number, 0)),
            seconds=float(seconds.get(row.number, 0.0)), items=int(items.get(row.number, 0)),
        )
        for row in people
    ]  # fmt: skip


def _counts(connection: Connection, statement: object) -> dict[int, float]:
    return {row[0]: row[1] for row in connection.execute(statement)}  # type: ignore[call-overload]
