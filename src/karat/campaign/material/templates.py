"""Templates: what is relevant for a kind of question. A campaign's own come first, then those of the papers."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from karat.campaign.material.settings import defaults
from karat.campaign.store.tables import template
from karat.model import Template, UsageError, decode_record, encode_record
from karat.nuggetizer.templates import QuestionTemplate, built_in


@cache
def built_in_templates() -> dict[str, Template]:
    """The nuggetizer's templates as records, with what their categories mean.

    The papers print categories for facts about an event; for the others the categories are the types of nuggets.
    """
    return {name: _record(name, question) for name, question in built_in().items()}


def _record(name: str, question: QuestionTemplate) -> Template:
    meanings = defaults().categories.get(name, {})
    categories = {category: meanings.get(category, "") for category in question.categories}
    by_type = {kind: defaults().types[kind] for kind in question.types}
    return replace(question.record(name), categories=categories or by_type)


def template_of(connection: Connection, template_id: str | None) -> Template | None:
    """The template of a query; None where it names none, or one that nobody described."""
    if template_id is None:
        return None
    record = connection.execute(select(template.c.record).where(template.c.template_id == template_id)).scalar()
    return built_in_templates().get(template_id) if record is None else _decoded(record)


def campaign_templates(connection: Connection) -> dict[str, Template]:
    """All templates by id: the built-in ones, and the campaign's own in their place or besides."""
    rows = connection.execute(select(template).order_by(template.c.template_id)).all()
    return {**built_in_templates(), **{row.template_id: _decoded(row.record) for row in rows}}


def save_template(connection: Connection, record: Template) -> None:
    """Store a template of the campaign, in the place of one with the same id."""
    if not record.template_id.strip() or "\0" in record.template_id:
        raise UsageError("a template needs an id")
    connection.execute(delete(template).where(template.c.template_id == record.template_id))
    connection.execute(insert(template), {"template_id": record.template_id, "record": encode_record(record).decode()})


def _decoded(record: str) -> Template:
    decoded = decode_record(record.encode())
    assert isinstance(decoded, Template)
    return decoded
