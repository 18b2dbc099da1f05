"""The pages of queries: the list, the tasks, adjudication and the history."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from karat.campaign.people.accounts import accounts
from karat.campaign.work import assignments, permissions, steps
from karat.campaign.work.history import history
from karat.campaign.work.permissions import ADJUDICATED
from karat.model import Query, UsageError, decode_record
from karat.web.pages import go_to, render_page
from karat.web.routes.accounts import Form
from karat.web.routes.work_api import Layer, Number, PageNumber, Step, layer
from karat.web.security import EVERYBODY, ORGANISERS, OVERSEERS, Store, Visit, writing


@get("/", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def home(request: Visit, database: Store, page: PageNumber = 1) -> Response[str]:
    with database.read() as connection:
        listed = assignments.assigned(connection, request.user, page)
    return render_page(request, "home.html", tab="queries", listed=listed)


@get("/queries/{number:int}/{step:str}", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def task_page(request: Visit, number: Number, step: Step, database: Store, owner: Layer = None) -> Response[str]:
    """The shell of a task; its data comes from the API."""
    of_owner = layer(request, owner)
    record = _query(request, database, number, of_owner)
    values: dict[str, Any] = {"query_number": number, "query_text": record.text, "step": step, "owner": of_owner}
    return render_page(request, "task.html", tab="queries", **values)


@get("/queries/{number:int}/adjudication", roles=OVERSEERS, sync_to_thread=True, include_in_schema=False)
def adjudication_page(request: Visit, number: Number, database: Store) -> Response[str]:
    record = _query(request, database, number, ADJUDICATED)
    values: dict[str, Any] = {
        "query_number": number,
        "query_text": record.text,
        "step": "adjudication",
        "owner": ADJUDICATED,
    }
    return render_page(request, "adjudication.html", tab="queries", **values)


@get("/queries/{number:int}/history", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def history_page(request: Visit, number: Number, database: Store, page: PageNumber = 1) -> Response[str]:
    """Who changed what and when; organisers reopen steps here."""
    own = layer(request, None) if request.user.role == "assessor" else ADJUDICATED
    record = _query(request, database, number, own)
    with database.read() as connection:
        past = history(connection, request.user, number, page=page)
        layers = []
        if request.user.role != "assessor":
            names = {person.number: person.name for person in accounts(connection)}
            for of_owner in (*assignments.assessors_of(connection, number), ADJUDICATED):
                states = steps.states(connection, number, of_owner)
                layers.append((of_owner, names.get(of_owner, "the adjudicated layer"), list(states.values())))
    values: dict[str, Any] = {"query_number": number, "query": record, "past": past, "layers": layers}
    return render_page(request, "history.html", tab="queries", **values)


@post("/queries/{number:int}/reopen", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def reopen_step(request: Visit, number: Number, data: Form, database: Store) -> Response[str]:
    """Let somebody change a step that was done."""
    owner = data.get("owner", "")
    if not owner.isascii() or not owner.isdigit() or len(owner) > 18:
        raise UsageError("whose step is to be opened? The form names no one.")
    with writing(request, database) as connection:
        steps.set_step(connection, request.user, number, int(owner), data.get("step", ""), done=False)
    return go_to(request, f"/queries/{number}/history")


def _query(request: Visit, database: Store, number: int, owner: int) -> Query:
    with database.read() as connection:
        row = permissions.query_row(connection, number)
        permissions.check_may_see(connection, request.user, number, owner)
    record = decode_record(row.record.encode())
    assert isinstance(record, Query)
    return record


HANDLERS = [home, task_page, adjudication_page, history_page, reopen_step]
