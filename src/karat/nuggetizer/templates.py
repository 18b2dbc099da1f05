"""Question templates: which types of nuggets answer which kind of question (Babko-Malaya et al. 2012, Table 1)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from karat.model import Template, UnfitInput, UsageError

TYPES = ("PER", "GPE", "ORG", "TITLE", "NUM", "EVT", "TMP", "LOC", "MOD", "STM")
"""All types of nuggets, in the order of Table 1 of the paper."""


class QuestionTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
        """The types of nuggets that answer the question; `asked` (for example "people") leaves only some of them."""
        if asked is None:
            return self.types
        if asked not in self.ask:
            if not self.ask:
                raise UsageError(f"asked: {asked!r}: this template has no choice of what is asked for; leave it out")
            raise UsageError(f"asked: {asked!r} is not one of {', '.join(self.ask)}")
        return self.ask[asked]

    def record(self, template_id: str) -> Template:
        """The template as a record, for files and for people; it says no more about its categories than their names."""
        return Template(
            template_id=template_id,
            description=self.text,
            categories=dict.fromkeys(self.categories, ""),
            types=self.types,
            slots=self.slots,
        )


@cache
def built_in() -> Mapping[str, QuestionTemplate]:
    """The templates of the papers."""
    return _parsed(files("karat.nuggetizer").joinpath("templates.toml").read_text("utf-8"), "templates.toml")


def load_templates(path: str | Path | None = None) -> dict[str, QuestionTemplate]:
    """The templates of the papers and, with a path, those of a file; the file's win if the ids are equal."""
    if path is None:
        return dict(built_in())
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnfitInput(f"{path}: the file of templates cannot be read: {error}") from None
    return {**built_in(), **_parsed(text, str(path))}


def template_named(name: str, templates: Mapping[str, QuestionTemplate] | None = None) -> QuestionTemplate:
    """The template with an id."""
    templates = built_in() if templates is None else templates
    if name not in templates:
        raise UsageError(f"template: {name!r} is not one of {', '.join(templates)}")
    return templates[name]


def checked_types(names: Iterable[str]) -> tuple[str, ...]:
    """Names of nugget types, in capital or small letters, checked and put into the order of Table 1."""
    wanted = [name.strip().upper() for name in names if name.strip()]
    unknown = [name for name in wanted if name not in TYPES]
    if unknown:
        raise UsageError(f"types: no such type: {', '.join(unknown)}; choose from {', '.join(TYPES)}")
    if not wanted:
        raise UsageError(f"types: name at least one of {', '.join(TYPES)}")
    return tuple(name for name in TYPES if name in wanted)


def _parsed(text: str, where: str) -> dict[str, QuestionTemplate]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnfitInput(f"{where}: this is not a TOML file: {error}") from None
    templates = {}
    for name, table in tables.items():
        try:
            template = msgspec.convert(table, QuestionTemplate)
        except msgspec.ValidationError as error:
            raise UnfitInput(f"{where}: template {name}: {error}") from None
        for types in (template.types, tuple(template.limit), *template.ask.values(), tuple(template.category)):
            unknown = [kind for kind in types if kind not in TYPES]
            if unknown:
                raise UnfitInput(
                    f"{where}: template {name}: no such type: {', '.join(unknown)}; choose from {', '.join(TYPES)}"
                )
        templates[name] = template
    return templates
