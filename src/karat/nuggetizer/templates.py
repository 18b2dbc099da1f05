"""Question templates: which types of nuggets answer which kind of question (Babko-Malaya et al. 2012, Table 1)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from karat.model import UsageError

TYPES = ("PER", "GPE", "ORG", "TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
"""All types of nuggets, in the order of Table 1."""


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of question: its slots, the types of nuggets that answer it, and how people categorize them."""

    text: str
    types: tuple[str, ...]
    slots: tuple[str, ...] = ()
    limit: dict[str, Annotated[int, msgspec.Meta(ge=1)]] = {}
    ask: dict[str, tuple[str, ...]] = {}
    categories: tuple[str, ...] = ()
    category: dict[str, str] = {}
    source: str = "campaign"

    def types_for(self, asked: str | None = None) -> tuple[str, ...]:
        """The types it produces; what is asked for ("people", say) narrows them."""
        if asked is None:
            return self.types
        if asked not in self.ask:
            known = ", ".join(self.ask) or "this template asks for one thing only"
            raise UsageError(f"asked: {asked!r} is not one of the template's ({known})")
        return self.ask[asked]


@cache
def built_in() -> Mapping[str, Template]:
    """The templates of the papers."""
    return _parsed(files("karat.nuggetizer").joinpath("templates.toml").read_text("utf-8"), "templates.toml")


def load_templates(path: str | Path | None = None) -> dict[str, Template]:
    """The templates of the papers and, with a path, a campaign's own; one of the same id replaces the papers'."""
    if path is None:
        return dict(built_in())
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a file of templates: {error}") from None
    return {**built_in(), **_parsed(text, str(path))}


def template_named(name: str, templates: Mapping[str, Template] | None = None) -> Template:
    """The template of an id."""
    templates = built_in() if templates is None else templates
    if name not in templates:
        raise UsageError(f"template: {name!r} is not one of {', '.join(templates)}")
    return templates[name]


def secondary_tag(category: str, kind: str) -> str:
    """The tag of a relevant event's time or place: they are relevant with it (Babko-Malaya 2008).

    >>> secondary_tag("consequence/reaction/significance", "LOC")
    'CONSEQUENCE-LOC'
    """
    if kind not in {"TMP", "LOC"}:
        raise UsageError(f"only a TMP or a LOC has a secondary tag, not {kind}")
    return f"{category.split('/')[0].upper()}-{kind}"


def checked_types(names: Iterable[str]) -> tuple[str, ...]:
    """Type names in any case, each a type of nuggets, in the order of Table 1."""
    wanted = [name.strip().upper() for name in names if name.strip()]
    unknown = [name for name in wanted if name not in TYPES]
    if unknown:
        raise UsageError(f"types: {', '.join(unknown)}: not one of {', '.join(TYPES)}")
    if not wanted:
        raise UsageError(f"types: name at least one of {', '.join(TYPES)}")
    return tuple(name for name in TYPES if name in wanted)


def _parsed(text: str, where: str) -> dict[str, Template]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where}: not TOML: {error}") from None
    templates = {}
    for name, table in tables.items():
        try:
            template = msgspec.convert(table, Template)
        except msgspec.ValidationError as error:
            raise UsageError(f"{where}: {name}: {error}") from None
        for types in (template.types, tuple(template.limit), *template.ask.values(), tuple(template.category)):
            unknown = [kind for kind in types if kind not in TYPES]
            if unknown:
                raise UsageError(f"{where}: {name}: {', '.join(unknown)}: not one of {', '.join(TYPES)}")
        templates[name] = template
    return templates
