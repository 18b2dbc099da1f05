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
    """Whether every step of the adjudicated layer is done."""
    wanted = steps_of(connection, ADJUDICATED)
    return bool(wanted) and set(wanted) <= done_steps(connection, query_number, ADJUDICATED)


def adjudicated_queries(connection: Connection) -> set[int]:
    """All queries of which every step of the adjudicated layer is done."""
    columns = tables.step_state.c
    wanted = set(steps_of(connection, ADJUDICATED))
    done: dict[int, set[str]] = {}
    rows = connection.execute(
        select(columns.query, columns.step).where(columns.owner == ADJUDICATED, columns.done.is_not(None))
    )
    for query, step in rows:
        done.setdefault(query, set()).add(step)
    return {query for query, steps in done.items() if wanted and wanted <= steps}


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
