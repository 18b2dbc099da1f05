"""Settings of the campaign, guidelines and templates."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromQuery
from msgspec.structs import replace

from karat.campaign.material.settings import STEPS, change_settings, read_settings
from karat.campaign.material.templates import campaign_templates, save_template
from karat.campaign.people.accounts import log_event
from karat.campaign.work.rules import saved_per_step
from karat.model import Template, UsageError
from karat.web.pages import go_to, render_page
from karat.web.routes.accounts import Form
from karat.web.security import ORGANISERS, Store, Visit, writing


@get("/settings", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def settings_page(request: Visit, database: Store, saved: FromQuery[bool] = False) -> Response[str]:
    return _settings(request, database, saved=saved)


@post("/settings", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def save_settings(request: Visit, data: Form, database: Store) -> Response[Any]:
    try:
        values = _values(data)
        with writing(request, database) as connection:
            change_settings(connection, values)
            log_event(connection, "changed the settings", by=request.user.number)
    except UsageError as error:
        return _settings(request, database, problem=str(error))
    return go_to(request, "/settings?saved=true")


@post("/settings/templates", roles=ORGANISERS, sync_to_thread=True, include_in_schema=False)
def store_template(request: Visit, data: Form, database: Store) -> Response[Any]:
    """Change what a template says, or add one."""
    try:
        template = _template(data)
        with writing(request, database) as connection:
            known = campaign_templates(connection).get(template.template_id)
            # Slots are named by the material; the organiser does not change them.
            save_template(connection, template if known is None else replace(template, slots=known.slots))
            log_event(connection, f"changed the template {template.template_id}", by=request.user.number)
    except UsageError as error:
        return _settings(request, database, problem=str(error))
    return go_to(request, "/settings?saved=true")


def _values(data: dict[str, str]) -> dict[str, Any]:
    guidelines = {}
    for step in STEPS:
        examples = tuple(part.strip() for part in _lines_apart(data.get(f"examples_{step}", "")) if part.strip())
        guidelines[step] = {"rule": data.get(f"rule_{step}", "").strip(), "examples": examples}
    return {
        "title": data.get("title", "").strip()[:200],
        "language": data.get("language", "").strip()[:40],
        "steps": [step for step in STEPS if data.get(f"step_{step}") == "yes"],
        "words_in_scope": _whole_number(data, "words_in_scope", 0, 100_000),
        "assessors_per_query": _whole_number(data, "assessors_per_query", 1, 20),
        "show_suggestion": data.get("show_suggestion", "after"),
        "vote_scale": data.get("vote_scale", "vital"),
        "types": [line.strip() for line in data.get("types", "").splitlines() if line.strip()],
        "guidelines": guidelines,
    }


def _lines_apart(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n\n")


def _whole_number(data: dict[str, str], name: str, low: int, high: int) -> int:
    text = data.get(name, "").strip()
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not low <= int(text) <= high:
        raise UsageError(f"setting {name}: {text[:20]!r} is not a number from {low} to {high:,}")
    return int(text)


def _template(data: dict[str, str]) -> Template:
    name = data.get("template_id", "").strip()
    categories = {}
    for line in data.get("categories", "").splitlines():
        category, colon, meaning = line.partition(":")
        if line.strip() and (not colon or not category.strip()):
            raise UsageError(f"category {line.strip()[:80]!r}: write NAME: meaning")
        if line.strip():
            categories[category.strip()] = meaning.strip()
    types = tuple(line.strip() for line in data.get("types", "").splitlines() if line.strip())
    description = data.get("description", "").strip()
    return Template(template_id=name, description=description, categories=categories, types=types)


def _settings(request: Visit, database: Store, *, problem: str = "", saved: bool = False) -> Response[str]:
    with database.read() as connection:
        chosen = read_settings(connection)
        known = list(campaign_templates(connection).values())
        saved_work = saved_per_step(connection)
    values = {
        "saved_work": saved_work,
        "chosen": chosen,
        "templates": known,
        "all_steps": STEPS,
        "problem": problem,
        "saved": saved,
    }
    return render_page(request, "organiser/settings.html", tab="settings", status=422 if problem else 200, **values)


HANDLERS = [settings_page, save_settings, store_template]
