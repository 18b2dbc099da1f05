"""Logging in and out, accepting an invitation, changing the password."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.enums import RequestEncodingType
from litestar.params import Body, FromQuery, PathParameter
from litestar.response import Redirect

from karat.campaign.people.accounts import set_password
from karat.campaign.people.invitations import accept, invited_account, token_hash
from karat.campaign.people.passwords import SHORTEST, check_new_password
from karat.campaign.people.sessions import LoginRefused, login, logout, new_session
from karat.model import UsageError
from karat.web.pages import go_to, inside, render_page
from karat.web.security import ANYONE, EVERYBODY, Store, Visit

Form = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
Token = Annotated[str, PathParameter(max_length=200)]


@get("/login", roles=ANYONE, sync_to_thread=True, include_in_schema=False)
def login_page(request: Request[Any, Any, Any], next: FromQuery[str] = "/") -> Response[Any]:
    if request.scope["user"] is not None:
        return go_to(request, inside(next))
    return render_page(request, "accounts/login.html", next_page=inside(next), name="", problem="")


@post("/login", roles=ANYONE, sync_to_thread=True, include_in_schema=False)
def log_in(request: Request[Any, Any, Any], data: Form, database: Store) -> Response[Any]:
    name, next_page = data.get("name", ""), inside(data.get("next", "/"))
    try:
        token = login(database, name, data.get("password", ""), address_of(request))
    except LoginRefused:
        values = {"next_page": next_page, "name": name[:80], "problem": "The name or the password is wrong."}
        return render_page(request, "accounts/login.html", status=401, **values)
    if request.scope["auth"]:
        # A new login ends the session that the browser had before.
        with database.write() as connection:
            logout(connection, request.scope["auth"])
    return go_to(request, next_page, session=token)


@post("/logout", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def log_out(request: Visit, database: Store) -> Redirect:
    with database.write() as connection:
        logout(connection, request.auth)
    return go_to(request, "/login", end=True)


@get("/invitation/{token:str}", roles=ANYONE, sync_to_thread=True, include_in_schema=False)
def invitation_page(request: Request[Any, Any, Any], token: Token, database: Store) -> Response[str]:
    with database.read() as connection:
        invited = invited_account(connection, token)
    values: dict[str, Any] = {"invited": invited, "problem": "", "shortest": SHORTEST}
    return render_page(request, "accounts/invitation.html", status=200 if invited else 404, **values)


@post("/invitation/{token:str}", roles=ANYONE, sync_to_thread=True, include_in_schema=False)
def accept_invitation(request: Request[Any, Any, Any], token: Token, data: Form, database: Store) -> Response[Any]:
    with database.read() as connection:
        invited = invited_account(connection, token)
    try:
        password = _chosen_password(data)
        with database.write() as connection:
            session = new_session(connection, accept(connection, token, password))
    except UsageError as error:
        values: dict[str, Any] = {"invited": invited, "problem": str(error), "shortest": SHORTEST}
        return render_page(request, "accounts/invitation.html", status=422, **values)
    return go_to(request, "/", session=session)


@get("/password", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def password_page(request: Visit) -> Response[str]:
    return render_page(request, "accounts/password.html", problem="", shortest=SHORTEST)


@post("/password", roles=EVERYBODY, sync_to_thread=True, include_in_schema=False)
def set_own_password(request: Visit, data: Form, database: Store) -> Response[Any]:
    """The password of today is checked by a login, which counts wrong attempts; its session replaces all others."""
    try:
        password = _chosen_password(data)
        session = login(database, request.user.name, data.get("old_password", ""), address_of(request))
        with database.write() as connection:
            set_password(connection, request.user.number, password, keep_session=token_hash(session))
    except (UsageError, LoginRefused) as error:
        problem = "The password of today is wrong." if isinstance(error, LoginRefused) else str(error)
        return render_page(request, "accounts/password.html", status=422, problem=problem, shortest=SHORTEST)
    return go_to(request, "/", session=session)


def address_of(request: Request[Any, Any, Any]) -> str:
    """Where the request comes from; behind a proxy uvicorn has put the browser's address here."""
    return request.client.host if request.client is not None else "unknown"


def _chosen_password(data: dict[str, str]) -> str:
    password = data.get("password", "")
    if password != data.get("again", ""):
        raise UsageError("The two passwords differ.")
    check_new_password(password)
    return password


HANDLERS = [login_page, log_in, log_out, invitation_page, accept_invitation, password_page, set_own_password]
