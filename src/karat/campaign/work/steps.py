"""Which steps of a query somebody has finished, and the time spent.

Votes are about nugs. Where several assessors make the nugs of a query, votes wait until these are adjudicated: a vote
on a nug that adjudication replaces would be lost. An imported key, or a single assessor's nugs, can be voted on at
once.
"""

from __future__ import annotations

from collections.abc import Collection
from time import time

import msgspec
from sqlalchemy import Connection, func, insert, select, update

from karat.campaign.material.settings import STEPS, read_settings
from karat.campaign.store import tables
from karat.campaign.work.errors import Broken, RuleBroken
from karat.campaign.work.permissions import (
    ADJUDICATED,
    Person,
    check_may_change,
    query_row,
)

LONGEST_SECONDS = 3600.0
"""The time that one message of a page may add; a longer one is a clock that was changed, or a mistake."""
NOT_ADJUDICATED = ("votes",)
"""Steps in which every person's own answer counts."""


class StepState(msgspec.Struct, frozen=True, kw_only=True):
    """A step of one layer. `done`: when it was finished; None: open."""

    query: int
    owner: int
    step: str
    done: float | None = None
    seconds: float = 0.0


def states(connection: Connection, query_number: int, owner: int) -> dict[str, StepState]:
    """Every step that the campaign uses, in order."""
    columns = tables.step_state.c
    rows = connection.execute(
        select(columns.step, columns.done, columns.seconds).where(columns.query == query_number, columns.owner == owner)
    )
    known = {step: (done, seconds) for step, done, seconds in rows}
    made = {}
    for step in steps_of(connection, owner):
        done, seconds = known.get(step, (None, 0.0))
        made[step] = StepState(query=query_number, owner=owner, step=step, done=done, seconds=seconds)
    return made


def steps_of(connection: Connection, owner: int) -> tuple[str, ...]:
    """The steps of a layer in the order of work; votes are not adjudicated."""
    used = read_settings(connection).steps
    return tuple(step for step in STEPS if step in used and not (owner == ADJUDICATED and step in NOT_ADJUDICATED))


def set_step(
    connection: Connection,
    person: Person,
    query_number: int,
    owner: int,
    step: str,
    *,
    done: bool,
    now: float | None = None,
) -> None:
    """Mark a step as done, or open it again. Organisers may open (not finish) the steps of others."""
    query_row(connection, query_number, lock=True)
    if person.role != "organiser" or done:
        check_may_change(connection, person, query_number, owner)
    _check_used(connection, owner, step)
    if done and step == "votes" and votes_wait(connection, [query_number]):
        raise RuleBroken([Broken(where="step votes", what=when_votes_open(connection))])
    moment = time() if now is None else now
    _set(connection, query_number, owner, step, {"done": moment if done else None})
    if owner == ADJUDICATED:
        _note_adjudication(connection, query_number, moment if done else None)
    if done and owner == ADJUDICATED and is_adjudicated(connection, query_number):
        _open_incomplete_votes(connection, query_number)
    what = f"step {step} of query {query_number}, layer {owner}: {'done' if done else 'opened'}"
    connection.execute(insert(tables.event).values(time=moment, account=person.number, what=what))


def add_time(
    connection: Connection, person: Person, query_number: int, owner: int, step: str, *, seconds: float
) -> None:
    """Add time that the person worked on a step; the page leaves out breaks."""
    check_may_change(connection, person, query_number, owner)
    _check_used(connection, owner, step)
    if not 0 <= seconds <= LONGEST_SECONDS:
        raise RuleBroken([Broken(where=f"time of {step}", what=f"from 0 to {LONGEST_SECONDS:.0f} seconds at once")])
    query_row(connection, query_number, lock=True)
    _set(connection, query_number, owner, step, {"seconds": tables.step_state.c.seconds + seconds}, first=seconds)


def done_steps(connection: Connection, query_number: int, owner: int) -> set[str]:
    """The steps of a layer that are read-only."""
    columns = tables.step_state.c
    return set(
        connection.execute(
            select(columns.step).where(columns.query == query_number, columns.owner == owner, columns.done.is_not(None))
        ).scalars()
    )


def is_adjudicated(connection: Connection, query_number: int) -> bool:
    """Whether the adjudication of a query is finished: see `adjudicated_queries`."""
    return query_number in adjudicated_queries(connection, query_number)


def adjudicated_queries(connection: Connection, query_number: int | None = None) -> set[int]:
    """All queries (or the given one, where it is) of which every step of the adjudicated layer is done, or was.

    What was finished stays so when the campaign gets more steps, until somebody opens it again.
    """
    query, state = tables.query.c, tables.step_state.c
    noted = select(query.number).where(query.adjudicated.is_not(None))
    finished = select(state.query, state.step).where(state.owner == ADJUDICATED, state.done.is_not(None))
    if query_number is not None:
        noted, finished = noted.where(query.number == query_number), finished.where(state.query == query_number)
    wanted = set(steps_of(connection, ADJUDICATED))
    done: dict[int, set[str]] = {}
    for number, step in connection.execute(finished):
        done.setdefault(number, set()).add(step)
    now = {number for number, steps in done.items() if wanted and wanted <= steps}
    return now | set(connection.execute(noted).scalars())


def _note_adjudication(connection: Connection, query_number: int, moment: float | None) -> None:
    """Write down that a query is adjudicated, when its last step is done; or that it is not, when one is opened."""
    if moment is None or set(steps_of(connection, ADJUDICATED)) <= done_steps(connection, query_number, ADJUDICATED):
        here = tables.query.c.number == query_number
        connection.execute(update(tables.query).where(here).values(adjudicated=moment))


def votes_wait(connection: Connection, numbers: Collection[int]) -> set[int]:
    """Those of the queries whose votes wait: several assessors, no imported key, and not adjudicated yet."""
    if "nugs" not in steps_of(connection, ADJUDICATED):
        return set()
    assignment, key = tables.assignment.c, tables.key_nug.c
    shared = (
        select(assignment.query)
        .where(assignment.query.in_(numbers), assignment.query.not_in(select(key.query)))
        .group_by(assignment.query)
        .having(func.count() > 1)
    )
    waiting = set(connection.execute(shared).scalars())
    if len(waiting) == 1:
        return {number for number in waiting if not is_adjudicated(connection, number)}
    return waiting - adjudicated_queries(connection) if waiting else waiting


def when_votes_open(connection: Connection) -> str:
    """What people are told who cannot vote yet."""
    columns = tables.account.c
    chosen = select(columns.name).where(columns.role == "adjudicator", columns.active.is_(True)).order_by(columns.name)
    names = " or ".join(connection.execute(chosen).scalars()) or "an adjudicator"
    return f"Votes open when {names} has adjudicated this query."


def _open_incomplete_votes(connection: Connection, query_number: int) -> None:
    """Who finished voting on other nugs has something to do again: the votes on what was adjudicated now."""
    annotation, state, key = tables.annotation.c, tables.step_state.c, tables.key_nug.c
    if connection.execute(select(key.number).where(key.query == query_number).limit(1)).first() is not None:
        return
    here = annotation.query == query_number, annotation.record.is_not(None)
    nugs = set(
        connection.execute(
            select(annotation.key).where(*here, annotation.owner == ADJUDICATED, annotation.kind == "nug")
        ).scalars()
    )
    voted: dict[int, set[str]] = {}
    for owner, place in connection.execute(
        select(annotation.owner, annotation.key).where(*here, annotation.kind == "vote")
    ):
        voted.setdefault(owner, set()).add(place.partition(":")[0])
    finished = select(state.owner).where(state.query == query_number, state.step == "votes", state.done.is_not(None))
    for owner in connection.execute(finished).scalars().all():
        if not nugs <= voted.get(owner, set()):
            _set(connection, query_number, owner, "votes", {"done": None})


def _check_used(connection: Connection, owner: int, step: str) -> None:
    used = steps_of(connection, owner)
    if step not in used:
        raise RuleBroken([Broken(where=f"step {step}", what=f"not used here; choose from {', '.join(used)}")])


def _set(
    connection: Connection,
    query_number: int,
    owner: int,
    step: str,
    values: dict[str, object],
    *,
    first: float = 0.0,
) -> None:
    columns = tables.step_state.c
    here = columns.query == query_number, columns.owner == owner, columns.step == step
    if connection.execute(update(tables.step_state).where(*here).values(**values)).rowcount == 0:
        start = {"seconds": first, "done": values.get("done")}
        connection.execute(insert(tables.step_state).values(query=query_number, owner=owner, step=step, **start))
