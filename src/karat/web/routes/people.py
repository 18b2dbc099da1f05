"""People of the campaign: inviting, new links, closing accounts, languages."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from karat.campaign.people import accounts, invitations
from karat.model import UsageError
from karat.web.pages import render_page
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
            person = accounts.account_of(connection, number)
            assert person is not None
    except UsageError as error:
        return _people(request, database, problem=str(error))
    state = "is open again" if active else "is closed; the work stays"
    return _people(request, database, said=f"Saved: the account of {person.name} {state}.")


@post("/people/{number:int}/languages", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def set_languages(request: Visit, number: Number, data: Form, database: Store) -> Response[Any]:
    """Which languages a person reads besides the campaign's own."""
    try:
        with writing(request, database) as connection:
            accounts.set_languages(connection, number, data.get("languages", "").replace(",", " ").split())
            person = accounts.account_of(connection, number)
            assert person is not None
    except UsageError as error:
        return _people(request, database, problem=str(error))
    known = " ".join(person.languages) or "none"
    said = (
        f"Saved: languages of {person.name} besides the campaign's own: {known}. Assign the queries again to use them."
    )
    return _people(request, database, said=said)


def _link(request: Visit, token: str) -> str:
    return f"{request.app.state.settings.address or str(request.base_url).rstrip('/')}/invitation/{token}"


def _people(
    request: Visit, database: Store, *, problem: str = "", link: str = "", link_for: str = "", said: str = ""
) -> Response[str]:
    with database.read() as connection:
        listed = accounts.accounts(connection)
    values = {
        "people": listed, "problem": problem, "link": link, "link_for": link_for, "said": said,
        "valid_days": VALID_DAYS,
    }  # fmt: skip
    return render_page(request, "organiser/people.html", tab="people", status=422 if problem else 200, **values)


HANDLERS = [people_page, invite_person, new_link, open_or_close, set_languages]
