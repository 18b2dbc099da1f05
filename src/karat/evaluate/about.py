"""What there is to know about each measure, from its own docstring."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import msgspec

from karat.measure.base import number
from karat.measure.entries import ENTRIES, Entry
from karat.measure.registry import entry_of, parse_measure

TITLES = {
    "rag": "RAG and rubric scores",
    "trec": "TREC nugget scores",
    "distillation": "Distillation scores",
    "nug_citations": "Citations of nugs",
    "support": "Support of sentences",
    "temporal": "Temporal summarization",
}
"""What the families of measures are called, by the module that defines them."""


def measure_rows() -> Iterator[tuple[str, str, str]]:
    """Name, what it is, and what can be set."""
    for name, entry in ENTRIES.items():
        yield name, entry.summary, ", ".join(entry.settings)


class Family(msgspec.Struct, frozen=True):
    """Measures that are defined in one place."""

    title: str
    rows: tuple[tuple[str, str, str], ...]
    texts: tuple[str, ...]
    """The description of the family, then of each kind of measure in it."""


def measure_families() -> list[Family]:
    """All measures by the module that defines them."""
    rows = {row[0]: row for row in measure_rows()}
    modules: dict[str, list[str]] = {}
    for name, entry in ENTRIES.items():
        modules.setdefault(entry.kind.__module__, []).append(name)
    found = []
    for module, names in modules.items():
        kinds = dict.fromkeys(ENTRIES[name].kind for name in names)
        base = [parent for kind in kinds for parent in kind.__mro__[1:] if parent.__module__ == module]
        described = [inspect.getdoc(sys.modules[module]) or ""]
        described += [f"{kind.__name__}: {inspect.getdoc(kind)}" for kind in (*dict.fromkeys(base), *kinds)]
        found.append(Family(TITLES[module.rpartition(".")[2]], tuple(rows[name] for name in names), tuple(described)))
    return found


def measure_help(name: str) -> str:
    """Everything about one measure: name, settings with defaults, formula and paper."""
    measure = parse_measure(name)
    entry = entry_of(name)
    lines = [str(measure), ""]
    lines += [f"{entry.summary[0].upper()}{entry.summary[1:]}.", ""]
    lines += [inspect.getdoc(type(measure)) or "", ""]
    module = inspect.getdoc(sys.modules[type(measure).__module__]) or ""
    lines += [module, ""]
    if entry.settings:
        lines += ["Settings, with their defaults:", *(f"  {_setting(entry, one)}" for one in entry.settings), ""]
    lines += [f"Counts a query and run: {', '.join(measure.COUNTS)}.", f"Undefined where {measure.undefined()}."]
    return "\n".join(lines)


def _setting(entry: Entry, name: str) -> str:
    defaults = {field.name: field.default for field in msgspec.structs.fields(entry.kind)}
    value = defaults[name]
    return f"{name}={number(value) if isinstance(value, float) else value}"
