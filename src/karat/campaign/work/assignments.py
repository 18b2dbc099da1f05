"""Who works on which query: every query goes to several assessors who read its language, and the load is even."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from time import time

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from karat.campaign.material.settings import read_settings
from karat.campaign.store import tables
from karat.campaign.work.permissions import ADJUDICATED, Person
from karat.campaign.work.steps import adjudicated_queries, steps_of, votes_wait
from karat.model import Query, UsageError, decode_record
from karat.model.wording import number_of

PAGE = 50


class Assigned(msgspec.Struct, frozen=True, kw_only=True):
    """What `assign` did; `loads`: how many queries each assessor has now."""

    added: int
    loads: dict[str, int]
    missing: tuple[str, ...] = ()
    """A sentence per language that too few people read: its queries have fewer assessors than wanted."""


class StepDone(msgspec.Struct, frozen=True, kw_only=True):
    """`waits`: it cannot be done yet."""

    step: str
    done: bool
    waits: bool = False


class ListedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query in a person's list. Of which layer the steps are: the person's own, or the adjudicated one."""

    number: int
    query_id: str
    text: str
    language: str | None
    steps: tuple[StepDone, ...]
    assessors: int
    adjudicated: bool
    waits_for: tuple[str, ...] = ()
    """Assessors who have not finished what is adjudicated; told to those who do not annotate."""

    @property
    def ready(self) -> bool:
        """Whether it can be adjudicated: at least two people have done it, and nobody is at it."""
        return self.assessors > 1 and not self.waits_for and not self.adjudicated


class QueryPage(msgspec.Struct, frozen=True, kw_only=True):
    page: int
    pages: int
    total: int
    queries: tuple[ListedQuery, ...]


def assign(connection: Connection, *, per_query: int | None = None, now: float | None = None) -> Assigned:
    """Give every query to at least `per_query` assessors (the campaign's setting by default). Only adds.

    Queries that few can read are given out first; then each goes to those with the least work, and among these to
    those who share the fewest queries, so that many pairs of assessors can be compared. Where too few read a
    language, its queries go to those who do, and `missing` says what is missing; the other queries are assigned.
    """
    chosen = read_settings(connection)
    wanted = chosen.assessors_per_query if per_query is None else per_query
    if wanted < 1:
        raise UsageError(f"assessors per query: {wanted}; at least 1 is needed")
    people = _assessors(connection)
    columns = tables.query.c
    queries = connection.execute(select(columns.number, columns.language).order_by(columns.position)).all()
    readers = {
        language: [
            number for number, (_, known) in people.items() if language in (None, chosen.language) or language in known
        ]
        for language in {language for _, language in queries}
    }
    missing = _missing(readers, Counter(language for _, language in queries), wanted, people)
    has = _has(connection, people)
    loads = Counter(dict.fromkeys(people, 0))
    shared: Counter[frozenset[int]] = Counter()
    for assessors in has.values():
        loads.update(assessors)
        shared.update(map(frozenset, combinations(sorted(assessors), 2)))
    moment = time() if now is None else now
    rows = []
    for number, language in sorted(queries, key=lambda row: len(readers[row[1]])):
        mine = has.setdefault(number, set())
        while len(mine) < wanted:
            free = [person for person in readers[language] if person not in mine]
            if not free:
                break
            best = min(free, key=lambda one: (loads[one], sum(shared[frozenset((one, with_))] for with_ in mine), one))
            shared.update(frozenset((best, with_)) for with_ in mine)
            mine.add(best)
            loads[best] += 1
            rows.append({"query": number, "account": best, "assigned": moment})
    if rows:
        connection.execute(insert(tables.assignment), rows)
    loads_by_name = {people[number][0]: load for number, load in loads.items()}
    return Assigned(added=len(rows), loads=loads_by_name, missing=tuple(missing))


def assign_query(connection: Connection, query_number: int, account_number: int, *, now: float | None = None) -> None:
    """Give one query to one assessor; nothing happens where the person has it."""
    if account_number not in _assessors(connection):
        raise UsageError("queries are assigned to active assessors only")
    columns = tables.assignment.c
    here = columns.query == query_number, columns.account == account_number
    if connection.execute(select(columns.query).where(*here)).first() is None:
        moment = time() if now is None else now
        row = {"query": query_number, "account": account_number, "assigned": moment}
        connection.execute(insert(tables.assignment).values(**row))


def unassign_query(connection: Connection, query_number: int, account_number: int) -> None:
    """Take a query from an assessor who has not begun; work that was done is never taken away."""
    batch, columns = tables.batch.c, tables.assignment.c
    begun = select(batch.number).where(batch.query == query_number, batch.account == account_number)
    if connection.execute(begun).first() is not None:
        raise UsageError("this assessor has worked on the query; what was done stays")
    connection.execute(
        delete(tables.assignment).where(columns.query == query_number, columns.account == account_number)
    )


def assigned(connection: Connection, person: Person, page: int = 1) -> QueryPage:
    """The person's queries with the state of each step: an assessor's own, for others all of them.

    An adjudicator gets first what is ready, then what waits for somebody, then what is adjudicated.
    """
    query, assignment = tables.query.c, tables.assignment.c
    mine = select(query.number, query.query_id, query.language, query.record)
    owner = ADJUDICATED
    if person.role == "assessor":
        owner = person.number
        mine = mine.join(tables.assignment, assignment.query == query.number).where(assignment.account == owner)
    total = connection.execute(select(func.count()).select_from(mine.subquery())).scalar_one()
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    behind: dict[int, list[str]] = {}
    if person.role == "adjudicator":
        behind = _behind(connection)
        numbers = _ready_first(connection, behind)[(page - 1) * PAGE : page * PAGE]
        rows = sorted(connection.execute(mine.where(query.number.in_(numbers))), key=lambda row: numbers.index(row[0]))
    else:
        rows = list(connection.execute(mine.order_by(query.position).limit(PAGE).offset((page - 1) * PAGE)))
        numbers = [row.number for row in rows]
    state = tables.step_state.c
    done = {
        (number, step)
        for number, step in connection.execute(
            select(state.query, state.step).where(
                state.owner == owner, state.query.in_(numbers), state.done.is_not(None)
            )
        )
    }
    assigned_to = select(assignment.query, func.count()).where(assignment.query.in_(numbers)).group_by(assignment.query)
    counts: dict[int, int] = {row[0]: row[1] for row in connection.execute(assigned_to)}
    adjudicated, steps = adjudicated_queries(connection), steps_of(connection, owner)
    waiting, listed = {(number, "votes") for number in votes_wait(connection, numbers)}, []
    for row in rows:
        record = decode_record(row.record.encode())
        assert isinstance(record, Query)
        listed.append(
            ListedQuery(
                number=row.number, query_id=row.query_id, text=record.text, language=row.language,
                steps=tuple(
                    StepDone(step=step, done=(row.number, step) in done, waits=(row.number, step) in waiting)
                    for step in steps
                ),
                assessors=counts.get(row.number, 0), adjudicated=row.number in adjudicated,
                waits_for=tuple(behind.get(row.number, ())),
            )
        )  # fmt: skip
    return QueryPage(page=page, pages=pages, total=total, queries=tuple(listed))


def _behind(connection: Connection) -> dict[int, list[str]]:
    """The names of those who have a query and have not finished every step that is adjudicated."""
    state, assignment, account = tables.step_state.c, tables.assignment.c, tables.account.c
    wanted = steps_of(connection, ADJUDICATED)
    done = (
        select(state.query, state.owner, func.count().label("steps"))
        .where(state.done.is_not(None), state.step.in_(wanted))
        .group_by(state.query, state.owner)
        .subquery()
    )
    rows = connection.execute(
        select(assignment.query, account.name)
        .join(tables.account, account.number == assignment.account)
        .outerjoin(done, (done.c.query == assignment.query) & (done.c.owner == assignment.account))
        .where(func.coalesce(done.c.steps, 0) < len(wanted))
        .order_by(account.name)
    )
    found: dict[int, list[str]] = {}
    for number, name in rows:
        found.setdefault(number, []).append(name)
    return found


def _ready_first(connection: Connection, behind: dict[int, list[str]]) -> list[int]:
    """All queries in the order in which an adjudicator needs them."""
    query, assignment = tables.query.c, tables.assignment.c
    shared = set(
        connection.execute(select(assignment.query).group_by(assignment.query).having(func.count() > 1)).scalars()
    )
    adjudicated = adjudicated_queries(connection)
    numbers = connection.execute(select(query.number).order_by(query.position)).scalars().all()
    return sorted(
        numbers, key=lambda number: (number in adjudicated, number in behind or number not in shared)
    )  # sorted() keeps the order of the campaign among equals


def _assessors(connection: Connection) -> dict[int, tuple[str, set[str]]]:
    """The name and the languages of every active assessor."""
    columns = tables.account.c
    rows = connection.execute(
        select(columns.number, columns.name, columns.languages)
        .where(columns.role == "assessor", columns.active.is_(True))
        .order_by(columns.number)
    )
    return {number: (name, set(languages.split())) for number, name, languages in rows}


def _has(connection: Connection, people: Iterable[int]) -> dict[int, set[int]]:
    columns, active = tables.assignment.c, set(people)
    has: dict[int, set[int]] = {}
    for query, account in connection.execute(select(columns.query, columns.account)):
        if account in active:
            has.setdefault(query, set()).add(account)
    return has


def _missing(
    readers: dict[str | None, list[int]],
    queries: Counter[str | None],
    wanted: int,
    people: dict[int, tuple[str, set[str]]],
) -> Iterator[str]:
    """Every language that lacks assessors, in words."""
    for language, able in sorted(readers.items(), key=lambda item: item[0] or ""):
        if len(able) >= wanted:
            continue
        names = ", ".join(people[number][0] for number in able) or "nobody"
        what = f"{number_of(queries[language], 'query')} in {language}" if language else "the queries"
        needs = number_of(wanted, "active assessor") + (f" reading {language}" if language else "")
        yield f"{what}: {needs} needed, there is {names}; invite more, or mark who reads the language"


def assessors_of(connection: Connection, query_number: int) -> list[int]:
    """The accounts that a query is assigned to, in the order in which they were made."""
    columns = tables.assignment.c
    chosen = select(columns.account).where(columns.query == query_number).order_by(columns.account)
    return list(connection.execute(chosen).scalars())
