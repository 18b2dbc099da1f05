"""Which steps of a query somebody has finished, and the time spent."""

from __future__ import annotations

from time import time

import msgspec
from sqlalchemy import Connection, insert, select, update

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
    moment = time() if now is None else now
    _set(connection, query_number, owner, step, {"done": moment if done else None})
    if owner == ADJUDICATED:
        _note_adjudication(connection, query_number, moment if done else None)
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
