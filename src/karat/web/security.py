"""Who may do what: sessions, roles, tokens against forged requests, and the headers of every answer.

One guard stands before every route. It refuses in this order: a wrong host name, a route that does not say who may use
it, a person who may not, and a writing request without the token of the session. What is not allowed is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection, Request
from litestar.datastructures import Cookie, MutableScopeHeaders, State
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.exceptions import ClientException, NotAuthorizedException, PermissionDeniedException
from litestar.handlers import BaseRouteHandler
from litestar.types import Message, Scope
from sqlalchemy import Connection

from karat.campaign.people.accounts import Account
from karat.campaign.people.sessions import extend_session, session_of, still_has_role
from karat.campaign.store.database import Database, Unavailable
from karat.web.lanes import writes

ANYONE = frozenset({"anyone"})
EVERYBODY = frozenset({"organiser", "adjudicator", "assessor"})
"""Everybody who has logged in."""
OVERSEERS = frozenset({"organiser", "adjudicator"})
ORGANISERS = frozenset({"organiser"})
ADJUDICATORS = frozenset({"adjudicator"})
ANNOTATORS = frozenset({"adjudicator", "assessor"})

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_JSON = 1_000_000
MAX_JSON_DEPTH = 32
TOKEN = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)|[\[{\]}]', re.DOTALL)
"""A string or a bracket of JSON. A string that nobody closes ends with the text, and nothing is tried twice: every byte
is looked at once, whatever is sent."""
VISIT_COOKIE = "karat-visit"
ACCOUNT_HEADER = "x-karat-account"

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}

Store = NamedDependency[Database]
Visit = Request[Account, Any, State]
"""A request of a person who has logged in."""


class WebSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the server is reached."""

    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    """Names by which browsers may call the server: a foreign site that points its own name here is refused."""
    https: bool = False
    """People reach the server over https, so cookies are never sent without it."""
    session_cookie: str = "karat-session"
    behind_proxy: bool = False
    """A proxy on this machine stands before the server, and says in X-Forwarded-* where requests come from."""
    address: str = ""
    """What links that are sent to people begin with; empty: the address by which the organiser came."""


async def admit(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The guard of every route."""
    settings: WebSettings = connection.app.state.settings
    _check_host(connection, settings)
    token = connection.cookies.get(settings.session_cookie)
    account = await _account_of(connection.app.state.database, token) if token else None
    connection.scope["user"] = account
    connection.scope["auth"] = token if account is not None else None
    roles = handler.opt.get("roles", frozenset())
    if roles != ANYONE:
        if account is None:
            raise NotAuthorizedException("Please log in.")
        if account.role not in roles:
            raise PermissionDeniedException("Your role does not allow this.")
    _check_person(connection, account)
    assert isinstance(connection, Request)
    writes.set(connection.method not in SAFE_METHODS)
    if connection.method not in SAFE_METHODS:
        # What strangers send is not even looked at.
        await _check_token(connection)
        await _check_body(connection)


def _check_host(connection: ASGIConnection[Any, Any, Any, Any], settings: WebSettings) -> None:
    host = re.sub(r":\d+$", "", connection.headers.get("host", ""))
    if host.lower() not in settings.hosts:
        raise ClientException("The server does not answer under this name.")


def _check_person(connection: ASGIConnection[Any, Any, Any, Any], account: Account | None) -> None:
    """A page says whose it is: what one person does in an old tab is never saved as the work of another."""
    page_of = connection.headers.get(ACCOUNT_HEADER)
    if page_of is not None and page_of != (str(account.number) if account else ""):
        raise NotAuthorizedException("Another person is logged in.")


async def _account_of(database: Database, token: str) -> Account | None:
    def look() -> Account | None:
        with database.read() as connection:
            found = session_of(connection, token)
        if found is not None and found.is_due:
            # Nobody waits for this: it can be done at the next visit.
            with suppress(Unavailable), database.write(wait=False) as connection:
                extend_session(connection, token)
        return None if found is None else found.account

    return await sync_to_thread(look)


async def _check_body(request: Request[Any, Any, Any]) -> None:
    """JSON is small and not nested deeply; who may send more has said so in the route (uploads)."""
    if request.content_type[0] in (RequestEncodingType.URL_ENCODED, RequestEncodingType.MULTI_PART):
        return
    if json_depth(await request.body()) > MAX_JSON_DEPTH:
        raise ClientException(f"The JSON is nested more than {MAX_JSON_DEPTH} deep.")


def json_depth(body: bytes) -> int:
    r"""How deeply brackets are nested outside strings; counting stops when it is too much.

    >>> json_depth(b'{"a": ["]", {"b": "\\"["}]}')
    3
    """
    depth = deepest = 0
    for token in TOKEN.finditer(body):
        bracket = token[0]
        if bracket[:1] == b'"':
            continue
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
        if deepest > MAX_JSON_DEPTH:
            break
    return deepest


async def _check_token(request: Request[Any, Any, Any]) -> None:
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise PermissionDeniedException("The request came from another site.")
    sent = request.headers.get("x-csrftoken")
    if sent is None and request.content_type[0] in (RequestEncodingType.URL_ENCODED, RequestEncodingType.MULTI_PART):
        field = (await request.form()).get("csrf_token")
        sent = field if isinstance(field, str) else None
    secret = request.scope["auth"] or request.cookies.get(VISIT_COOKIE)
    if not sent or not secret or not hmac.compare_digest(sent.encode(), token_of(secret).encode()):
        raise PermissionDeniedException("The page is too old to be sent. Load it again, then repeat what you did.")


@contextmanager
def writing(request: Visit, database: Database) -> Iterator[Connection]:
    """A transaction of somebody who still may write when it begins: an account may be closed while a request waits."""
    with database.write() as connection:
        if not still_has_role(connection, request.auth, request.user.role):
            raise NotAuthorizedException("Please log in.")
        yield connection


def token_of(secret: str) -> str:
    """The token that proves that a request was made by a page of this session: it cannot be made without the cookie."""
    return hmac.new(secret.encode(), b"karat request token", hashlib.sha256).hexdigest()


def page_token(request: Request[Any, Any, Any]) -> tuple[str, Cookie | None]:
    """The token to put into a page, and the cookie it belongs to where the visitor has none yet."""
    secret = request.scope.get("auth") or request.cookies.get(VISIT_COOKIE)
    if secret:
        return token_of(secret), None
    secret = secrets.token_urlsafe(24)
    return token_of(secret), safe_cookie(request, VISIT_COOKIE, secret)


def safe_cookie(request: Request[Any, Any, Any], name: str, value: str | None) -> Cookie:
    """A cookie that scripts cannot read and other sites cannot use; None deletes it."""
    settings: WebSettings = request.app.state.settings
    return Cookie(
        key=name,
        value=value or "",
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings.https or request.url.scheme == "https",
        max_age=None if value else 0,
    )


async def add_headers(message: Message, scope: Scope) -> None:
    """Every answer, refusals included, carries the headers; only static files may be kept by the browser."""
    if message["type"] != "http.response.start":
        return
    message.setdefault("headers", [])
    headers = MutableScopeHeaders.from_message(message)
    for name, value in HEADERS.items():
        headers[name] = value
    is_static = scope["path"].startswith("/static/") and message["status"] < 400
    headers["cache-control"] = "no-cache" if is_static else "no-store"
