"""People of the campaign: inviting, new links, closing accounts, languages."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from karat.campaign.people import accounts, invitations
from karat.model import UsageError
from karat.web.pages import go_to, render_page
from karat.web.routes.accounts import Form
from karat.web.routes.work_api import Number
from karat.web.security import ORGANISERS, Store, Visit, writing

VALID_DAYS = round(invitations.VALID_SECONDS / 86400)


@get("/people", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def people_page(request: Visit, database: Store) -> Response[str]:
    return _people(request, database)


@post("/people", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def invite_person(request: Visit, data: Form, database: Store) -> Response[str]:
    """Make an account and show its link once."""
    try:
        with writing(request, database) as connection:
            languages = data.get("languages", "").split()
            person = accounts.create_account(connection, data.get("name", ""), data.get("role", ""), languages)
            token = invitations.invite(connection, person.number)
            what = f"invited {person.name} as {person.role}"
            accounts.log_event(connection, what, by=request.user.number)
    except UsageError as error:
        return _people(request, database, problem=str(error))
    return _people(request, database, link_for=person.name, link=_link(request, token))


@post("/people/{number:int}/invitation", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def new_link(request: Visit, number: Number, database: Store) -> Response[str]:
    """A new link for somebody who lost the link or the password."""
    try:
        with writing(request, database) as connection:
            token = invitations.invite(connection, number)
            person = accounts.account_of(connection, number)
            assert person is not None
            accounts.log_event(connection, f"new link for {person.name}", by=request.user.number)
    except UsageError as error:
        return _people(request, database, problem=str(error))
    return _people(request, database, link_for=person.name, link=_link(request, token))


@post("/people/{number:int}/active", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def open_or_close(request: Visit, number: Number, data: Form, database: Store) -> Response[Any]:
    """Close an account (its sessions end at once), or open it again. What the person annotated stays."""
    active = data.get("active") == "yes"
    try:
        if number == request.user.number:
            raise UsageError("you cannot close your own account; another organiser can")
        with writing(request, database) as connection:
            accounts.set_active(connection, number, active)
            what = f"{'opened' if active else 'closed'} account {number}"
            accounts.log_event(connection, what, by=request.user.number)
    except UsageError as error:
        return _people(request, database, problem=str(error))
    return go_to(request, "/people")


@post("/people/{number:int}/languages", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def set_languages(request: Visit, number: Number, data: Form, database: Store) -> Response[Any]:
    """Which languages a person reads besides the campaign's own."""
    try:
        with writing(request, database) as connection:
            accounts.set_languages(connection, number, data.get("languages", "").replace(",", " ").split())
    except UsageError as error:
        return _people(request, database, problem=str(error))
    return go_to(request, "/people")


def _link(request: Visit, token: str) -> str:
    return f"{request.app.state.settings.address or str(request.base_url).rstrip('/')}/invitation/{token}"


def _people(request: Visit, database: Store, *, problem: str = "", link: str = "", link_for: str = "") -> Response[str]:
    with database.read() as connection:
        listed = accounts.accounts(connection)
    values = {"people": listed, "problem": problem, "link": link, "link_for": link_for, "valid_days": VALID_DAYS}
    return render_page(request, "organiser/people.html", tab="people", status=422 if problem else 200, **values)


HANDLERS = [people_page, invite_person, new_link, open_or_close, set_languages]
