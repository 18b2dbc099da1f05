"""The pages of queries: the list, the tasks, adjudication and the history."""

from __future__ import annotations

from litestar import Response, get, post

from karat.campaign.people.accounts import accounts
from karat.campaign.store.database import Database
from karat.campaign.work import assignments, permissions, steps
from karat.campaign.work.history import history
from karat.campaign.work.permissions import ADJUDICATED
from karat.model import Query, UsageError, decode_record
from karat.web.pages import go_to, page
from karat.web.routes.accounts import Form
from karat.web.routes.work_api import PageNumber, QueryNumber, Step, layer
from karat.web.security import ADJUDICATORS, EVERYBODY, ORGANISERS, Visit


@get("/", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def home(request: Visit, database: Database, number: PageNumber = 1) -> Response[str]:
    with database.read() as connection:
        listed = assignments.assigned(connection, request.user, number)
    return page(request, "home.html", tab="queries", listed=listed)


@get("/queries/{query:int}/{step:str}", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def task_page(
    request: Visit, query: QueryNumber, step: Step, database: Database, owner: int | None = None
) -> Response[str]:
    """The shell of a task; its data comes from the API."""
    of_owner = layer(request, owner)
    record = _query(request, database, query, of_owner)
    values = {"query_number": query, "query_text": record.text, "step": step, "owner": of_owner}
    return page(request, "task.html", tab="queries", **values)


@get("/queries/{query:int}/adjudication", roles=ADJUDICATORS, sync_to_thread=True, include_in_schema=False)
def adjudication_page(request: Visit, query: QueryNumber, database: Database) -> Response[str]:
    record = _query(request, database, query, ADJUDICATED)
    values = {"query_number": query, "query_text": record.text}
    return page(request, "adjudication.html", tab="queries", **values)


@get("/queries/{query:int}/history", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def history_page(request: Visit, query: QueryNumber, database: Database, number: PageNumber = 1) -> Response[str]:
    """Who changed what and when; organisers reopen steps here."""
    own = layer(request, None) if request.user.role == "assessor" else ADJUDICATED
    record = _query(request, database, query, own)
    with database.read() as connection:
        past = history(connection, request.user, query, page=number)
        layers = []
        if request.user.role != "assessor":
            names = {person.number: person.name for person in accounts(connection)}
            for of_owner in (*assignments.assessors_of(connection, query), ADJUDICATED):
                states = steps.states(connection, query, of_owner)
                layers.append((of_owner, names.get(of_owner, "the adjudicated layer"), list(states.values())))
    values = {"query_number": query, "query": record, "past": past, "layers": layers}
    return page(request, "history.html", tab="queries", **values)


@post("/queries/{query:int}/reopen", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def reopen_step(request: Visit, query: QueryNumber, data: Form, database: Database) -> Response[str]:
    """Let somebody change a step that was done."""
    owner = data.get("owner", "")
    if not owner.isascii() or not owner.isdigit() or len(owner) > 18:
        raise UsageError("whose step is to be opened? The form names no one.")
    with database.write() as connection:
        steps.set_step(connection, request.user, query, int(owner), data.get("step", ""), done=False)
    return go_to(request, f"/queries/{query}/history")


def _query(request: Visit, database: Database, query: int, owner: int) -> Query:
    with database.read() as connection:
        row = permissions.query_row(connection, query)
        permissions.check_may_see(connection, request.user, query, owner)
    record = decode_record(row.record.encode())
    assert isinstance(record, Query)
    return record


HANDLERS = [home, task_page, adjudication_page, history_page, reopen_step]
