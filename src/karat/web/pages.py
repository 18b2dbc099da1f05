"""Pages are made here: Jinja templates, with everything escaped."""

from __future__ import annotations

import datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Request, Response
from litestar.response import Redirect
from markupsafe import Markup

from karat.campaign.results.agreement_words import coefficient_name
from karat.web.security import page_token, safe_cookie

FOLDER = Path(__file__).parent


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["coefficient"] = coefficient_name
    made.filters["day"] = day
    made.filters["duration"] = duration
    made.filters["figure"] = figure
    made.filters["items_by_step"] = lambda states: {state.step: state for state in states}
    made.filters["fields"] = fields
    return made


TOKEN_FIELD = Markup('<input type="hidden" name="csrf_token" value="{}">')


def render_page(
    request: Request[Any, Any, Any], template: str, *, tab: str = "", status: int = 200, **values: Any
) -> Response[str]:
    """The page for this person; `tab` is the entry of the navigation that it belongs to."""
    token, cookie = page_token(request)
    common = {
        "account": request.scope.get("user"),
        "csrf_token": token,
        "csrf_input": TOKEN_FIELD.format(token),
        "campaign_title": request.app.state.title(),
        "page": tab,
    }
    text = environment().get_template(template).render(**common, **values)
    return Response(text, media_type=MediaType.HTML, status_code=status, cookies=[cookie] if cookie else [])


def go_to(request: Request[Any, Any, Any], path: str, *, session: str | None = None, end: bool = False) -> Redirect:
    """To another page of this server after a form was sent; `session` starts a session, `end` ends it."""
    name = request.app.state.settings.session_cookie
    cookies = [safe_cookie(request, name, session)] if session is not None or end else []
    return Redirect(path, status_code=303, cookies=cookies)


def inside(path: str) -> str:
    """A path of this server, whatever was asked for: a link must not lead to another site after the login.

    >>> inside("/queries/3/nuggets"), inside("//elsewhere.example"), inside("https://elsewhere.example")
    ('/queries/3/nuggets', '/', '/')
    """
    plain = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if plain else "/"


def day(seconds: float | None) -> str:
    """
    >>> day(0.0)
    '1970-01-01 00:00'
    """
    if seconds is None:
        return ""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float | None) -> str:
    """
    >>> duration(42), duration(200), duration(7300)
    ('42 s', '3 min', '2 h 2 min')
    """
    if not seconds:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def fields(work: msgspec.Struct) -> list[tuple[str, str]]:
    """What an annotation says, name by name, without its kind."""
    said = msgspec.to_builtins(work)
    return [
        (name.replace("_", " "), value if isinstance(value, str) else msgspec.json.encode(value).decode())
        for name, value in said.items()
        if name != "kind" and value is not None
    ]


def figure(value: float | None) -> str:
    """
    >>> figure(0.51234), figure(None)
    ('0.512', 'undefined')
    """
    return "undefined" if value is None or value != value else f"{value:.3f}"
