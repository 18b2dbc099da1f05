"""Which changes the open steps of a layer allow: a step that is done is read-only until it is opened again.

Revisiting nuggets belongs to the procedure: while nugs or citations are open, a nugget of a finished step may be
joined, split, extended, shrunk or retyped, and its memberships and citation checks follow in the same save.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import Place
from karat.campaign.work.errors import Broken, CurrentAnnotation
from karat.campaign.work.payloads import NuggetWork, ReviewedWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules.batch import Change, ChangeBatch
from karat.campaign.work.steps import done_steps, steps_of

STEP_OF_KIND = {
    "relevance": "relevance", "nugget": "nuggets", "rejection": "nuggets", "nug": "nugs", "citation": "citations",
    "vote": "votes", "judgement": "judging",
}  # fmt: skip
FOLLOWS_NUGGETS = ("nug", "citation")
LATER_STEPS = ("nugs", "citations")


def steps_are_open(batch: ChangeBatch) -> Iterator[Broken]:
    """One sentence per change whose step is done or not used."""
    used = steps_of(batch.connection, batch.owner)
    done = done_steps(batch.connection, batch.query_number, batch.owner)
    open_steps = [step for step in used if step not in done]
    may_revise = any(step in open_steps for step in LATER_STEPS)
    revised = _revised(batch) if may_revise else set()
    for change in batch.changes:
        step = _step_of(change, batch.current)
        if step is None or step in open_steps:
            continue
        if revised and (change.place in revised or change.kind in FOLLOWS_NUGGETS):
            continue
        if step not in used and not (batch.owner == ADJUDICATED and step == "votes"):
            what = f"this campaign has no step {step}; it uses {', '.join(used)}"
        elif step not in used:
            what = "votes are not adjudicated: every person's own vote counts"
        else:
            what = f"the step {step} is done; open it again to change something"
        yield Broken(where=f"{change.kind} {change.key}", what=what)


def _step_of(change: Change, current: dict[Place, CurrentAnnotation]) -> str | None:
    """The step that a change belongs to; decisions belong to none."""
    record = change.record
    if record is None and change.place in current:
        record = current[change.place].record
    if isinstance(record, ReviewedWork):
        return record.step
    return STEP_OF_KIND.get(change.kind)


def _revised(batch: ChangeBatch) -> set[Place]:
    """The nuggets that take the place of others, and those whose place is taken; also when that is undone."""
    places: set[Place] = set()
    for change in batch.changes:
        before = batch.current[change.place].record if change.place in batch.current else None
        for record in (before, change.record):
            if isinstance(record, NuggetWork) and (record.revises or record.revision):
                places.add(change.place)
                places.update(("nugget", key) for key in record.revises)
    return places


def saved_per_step(connection: Connection) -> dict[str, int]:
    """How many annotations stand in each step: what nobody sees any more where the campaign does without the step."""
    columns = tables.annotation.c
    rows = connection.execute(
        select(columns.kind, func.count()).where(columns.record.is_not(None)).group_by(columns.kind)
    )
    found: dict[str, int] = {}
    for kind, count in rows:
        if (step := STEP_OF_KIND.get(kind)) is not None:
            found[step] = found.get(step, 0) + count
    return found
