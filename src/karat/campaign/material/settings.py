"""The settings of a campaign: what is annotated, by how many people, and what their pages say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from karat.campaign.store.tables import annotation, batch, citation, key_nug, setting, step_state
from karat.model import UsageError
from karat.model.wording import number_of

Step = Literal["relevance", "nuggets", "nugs", "citations", "votes", "judging"]
STEPS: tuple[Step, ...] = ("relevance", "nuggets", "nugs", "citations", "votes", "judging")
"""In the order of the paper."""
Wording = Annotated[str, msgspec.Meta(max_length=4000)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


class Guideline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the panel beside a step says: the rule, and examples of it."""

    rule: Wording
    examples: Annotated[tuple[Wording, ...], msgspec.Meta(max_length=20)] = ()


class Defaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of defaults.toml."""

    types: dict[str, str]
    categories: dict[str, dict[str, str]]
    reasons: dict[str, str]
    guidelines: dict[Step, Guideline]


@cache
def defaults() -> Defaults:
    """What a new campaign starts from."""
    text = files("karat.campaign.material").joinpath("defaults.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Defaults)


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings; those that nobody changed have the defaults."""

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = "Campaign"
    language: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{1,39}$")] = "en"
    """The language that everybody reads; a query in another one goes to those who read it, too."""
    steps: tuple[Step, ...] = ()
    """The steps of the work, in order. Empty until material is imported, which chooses them."""
    words_in_scope: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 500
    """How many words of a response count (500 in GALE); 0: all."""
    assessors_per_query: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    show_suggestion: Literal["after", "before", "never"] = "after"
    """When an assessor sees what a program says: after the own answer, before it, or never."""
    vote_scale: Literal["vital", "graded"] = "vital"
    guidelines: dict[Step, Guideline] = msgspec.field(default_factory=lambda: dict(defaults().guidelines))
    types: Annotated[tuple[Word, ...], msgspec.Meta(max_length=100)] = msgspec.field(
        default_factory=lambda: tuple(defaults().types)
    )
    """The types that a nugget can have."""
    reasons: dict[str, Wording] = msgspec.field(default_factory=lambda: dict(defaults().reasons))
    """How pages word the reasons (model/records.py: RELEVANCE_REASONS and REVISION_REASONS)."""


def read_settings(connection: Connection) -> Settings:
    """The settings of the campaign."""
    rows = connection.execute(select(setting)).all()
    changed = {row.name: msgspec.json.decode(row.value) for row in rows}
    return msgspec.convert(changed, Settings)


def change_settings(connection: Connection, changes: Mapping[str, Any]) -> Settings:
    """Change some settings; the others stay. Guidelines and reasons that are not named stay, too.

    Raises:
        UsageError: there is no such setting, or a value is not possible; nothing is changed then.
    """
    from karat.campaign.material.passages import rescope

    before = read_settings(connection)
    known = Settings.__struct_fields__
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise UsageError(f"settings: there is no {unknown[0]!r}; choose from {', '.join(known)}")
    values = msgspec.to_builtins(before)
    for name, value in changes.items():
        merges = name in ("guidelines", "reasons") and isinstance(value, Mapping)
        values[name] = {**values[name], **msgspec.to_builtins(value)} if merges else msgspec.to_builtins(value)
    after = _checked(values)
    if after.vote_scale != before.vote_scale and (votes := _number_of_votes(connection)):
        raise UsageError(
            f"settings: people have voted already ({number_of(votes, 'vote')}), and votes of two scales cannot be "
            "compared: the scale stays as it is"
        )
    rows = [
        {"name": name, "value": msgspec.json.encode(getattr(after, name)).decode()}
        for name in changes
        if getattr(after, name) != getattr(before, name) or name == "title"
    ]
    if rows:
        connection.execute(delete(setting).where(setting.c.name.in_([row["name"] for row in rows])))
        connection.execute(insert(setting), rows)
    if after.words_in_scope != before.words_in_scope:
        rescope(connection, words=after.words_in_scope)
    return after


def _number_of_votes(connection: Connection) -> int:
    chosen = select(func.count()).where(annotation.c.kind == "vote", annotation.c.record.is_not(None))
    return int(connection.execute(chosen).scalar_one())


def _checked(values: Mapping[str, Any]) -> Settings:
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise UsageError(f"settings: {error}") from None
    if len(set(settings.steps)) < len(settings.steps):
        raise UsageError("settings: a step is named twice")
    texts = (settings.title, *settings.types, *settings.reasons, *settings.reasons.values())
    if any("\0" in text for text in texts):
        raise UsageError("settings: a text has the character NUL; leave it out")
    in_order = tuple(step for step in STEPS if step in settings.steps)
    return msgspec.structs.replace(settings, title=settings.title.strip() or "Campaign", steps=in_order)


def default_steps(connection: Connection) -> tuple[Step, ...]:
    """The steps that fit the material: with a key, judging and votes; else from relevance to votes."""
    if connection.execute(select(key_nug.c.number).limit(1)).first() is not None:
        return ("votes", "judging")
    cited = connection.execute(select(citation.c.number).limit(1)).first() is not None
    return tuple(step for step in STEPS if step != "judging" and (cited or step != "citations"))


def work_has_begun(connection: Connection) -> bool:
    """Whether somebody has saved something or finished a step."""
    saved, finished = select(batch.c.number), select(step_state.c.query).where(step_state.c.done.is_not(None))
    return any(connection.execute(asked.limit(1)).first() is not None for asked in (saved, finished))


def fit_steps(connection: Connection, before: tuple[Step, ...]) -> list[str]:
    """Choose the steps for new material; returns what the organiser should know. before: what was chosen without it.

    Somebody's own choice is kept, and so are the steps of work that has begun: other steps would hide what was done.
    """
    used, fitting = read_settings(connection).steps, default_steps(connection)
    if used and (used != before or used == fitting):
        return []
    if used and work_has_begun(connection):
        return [
            f"the steps stay as they are ({', '.join(used)}), because people have begun to work; for what is new, "
            f"{', '.join(fitting)} would be usual: see the settings"
        ]
    change_settings(connection, {"steps": fitting})
    return []
