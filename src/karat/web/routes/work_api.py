"""The API behind the task pages: what a page shows, saving, undoing, finishing a step, the history."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, PathParameter, QueryParameter

from karat.campaign.work import assignments, changes, steps
from karat.campaign.work import history as past
from karat.campaign.work.annotations import work_from_dict
from karat.campaign.work.errors import Broken, RuleBroken
from karat.campaign.work.payloads import WorkKey
from karat.campaign.work.rules import Change
from karat.campaign.work.task_data import task_data
from karat.campaign.work.task_data.documents import visible_document
from karat.web.security import ANNOTATORS, EVERYBODY, Store, Visit, writing

StepName = Literal["relevance", "nuggets", "nugs", "citations", "votes", "judging"]
Step = FromPath[StepName]
Kind = Literal["relevance", "nugget", "rejection", "nug", "citation", "vote", "judgement", "reviewed", "decision"]
LARGEST = 2**63 - 1
"""What a database holds in a whole number."""
Number = Annotated[int, PathParameter(ge=0, le=LARGEST)]
PageNumber = Annotated[int, QueryParameter(ge=1, le=1_000_000)]
Layer = Annotated[int | None, QueryParameter(ge=0, le=LARGEST)]
"""Whose annotations: an account, or 0 for the adjudicated ones."""
Owner = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
"""Made by the page: the same request that arrives twice is done once."""


class SentChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One annotation as the page wants it; record null deletes it."""

    kind: Kind
    key: WorkKey
    version: Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
    """The version that the page has; 0: it is new."""
    record: dict[str, Any] | None = None
    """See `karat.campaign.work.payloads`; `kind` may be left out."""


class ChangesBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    request: RequestId
    changes: Annotated[tuple[SentChange, ...], msgspec.Meta(min_length=1, max_length=2000)]
    owner: Owner | None = None


class UndoBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    request: RequestId
    owner: Owner | None = None
    batch: Owner | None = None


class StepBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    done: bool
    owner: Owner | None = None


class TimeBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    step: StepName
    seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)]
    owner: Owner | None = None


def layer(request: Visit, owner: int | None) -> int:
    """Whose layer is meant where the page does not say: the own one, and the adjudicated one for an adjudicator."""
    if owner is not None:
        return owner
    return 0 if request.user.role == "adjudicator" else request.user.number


@get("/api/queries", roles=EVERYBODY, sync_to_thread=True)
def list_queries(request: Visit, database: Store, page: PageNumber = 1) -> Any:
    """The queries of the person with the state of each step, 50 per page."""
    with database.read() as connection:
        return assignments.assigned(connection, request.user, page)


@get("/api/queries/{number:int}/work/{step:str}", roles=EVERYBODY, sync_to_thread=True)
def show_work(
    request: Visit, number: Number, step: Step, database: Store, page: PageNumber = 1, owner: Layer = None
) -> Any:
    """Everything that a task page shows."""
    with database.read() as connection:
        return task_data(connection, request.user, number, step, layer(request, owner), page)


@post("/api/queries/{number:int}/changes", roles=ANNOTATORS, sync_to_thread=True, status_code=200)
def save_changes(request: Visit, number: Number, data: JSONBody[ChangesBody], database: Store) -> Any:
    """Save all changes or none."""
    sent = _checked(data.changes)
    with writing(request, database) as connection:
        return changes.save(connection, request.user, number, layer(request, data.owner), data.request, sent)


@post("/api/queries/{number:int}/undo", roles=ANNOTATORS, sync_to_thread=True, status_code=200)
def undo_changes(request: Visit, number: Number, data: JSONBody[UndoBody], database: Store) -> Any:
    """Take back the last own changes, or those of a batch; taking back an undo is a redo."""
    with writing(request, database) as connection:
        owner = layer(request, data.owner)
        return changes.undo(connection, request.user, number, owner, data.request, batch=data.batch)


@post("/api/queries/{number:int}/steps/{step:str}", roles=EVERYBODY, sync_to_thread=True, status_code=200)
def finish_step(
    request: Visit, number: Number, step: Step, data: JSONBody[StepBody], database: Store
) -> dict[str, bool]:
    """Say that a step is done, or open it again."""
    with writing(request, database) as connection:
        steps.set_step(connection, request.user, number, layer(request, data.owner), step, done=data.done)
    return {"done": data.done}


@post("/api/queries/{number:int}/time", roles=ANNOTATORS, sync_to_thread=True, status_code=200)
def add_time(request: Visit, number: Number, data: JSONBody[TimeBody], database: Store) -> dict[str, float]:
    """Add the seconds that were spent on a step."""
    with writing(request, database) as connection:
        steps.add_time(connection, request.user, number, layer(request, data.owner), data.step, seconds=data.seconds)
    return {"seconds": data.seconds}


@get("/api/queries/{number:int}/history", roles=EVERYBODY, sync_to_thread=True)
def show_history(request: Visit, number: Number, database: Store, page: PageNumber = 1, owner: Layer = None) -> Any:
    """Who changed what and when, newest first."""
    with database.read() as connection:
        return past.history(connection, request.user, number, owner=owner, page=page)


@get("/api/documents/{number:int}", roles=EVERYBODY, sync_to_thread=True)
def show_document(request: Visit, number: Number, database: Store) -> Any:
    """A document that is cited in a query of the person."""
    with database.read() as connection:
        return visible_document(connection, request.user, number)


def _checked(sent: tuple[SentChange, ...]) -> list[Change]:
    """The changes with their records; everything that is wrong with the records is said at once."""
    checked, problems = [], []
    for change in sent:
        try:
            record = None if change.record is None else work_from_dict({**change.record, "kind": change.kind})
        except (msgspec.ValidationError, ValueError, OverflowError) as error:
            problems.append(Broken(where=f"{change.kind} {change.key}", what=str(error)))
        else:
            checked.append(Change(kind=change.kind, key=change.key, version=change.version, record=record))
    if problems:
        raise RuleBroken(problems)
    return checked


HANDLERS = [
    list_queries, show_work, save_changes, undo_changes, finish_step, add_time, show_history, show_document
]  # fmt: skip
