"""What to say about rows in no known format: the fields they have, the nearest format, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from karat.formats.tables.columns import ALIASES, meanings, plain

SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("named-rows", ("query", "answer")),
    ("named-rows", ("query_id", "answer")),
    ("named-rows", ("query_id", "query")),
    ("named-rows", ("query_id", "nug")),
    ("named-rows", ("query_id", "run_id", "nug", "label")),
    ("named-rows", ("query_id", "nug", "assessor", "vote")),
    ("named-rows", ("query_id", "run_id", "measure", "value")),
    ("karat", ("kind",)),
    ("nuggetizer-bank", ("qid", "query", "nuggets")),
    ("nuggetizer-assignments", ("qid", "run_id", "answer_text", "nuggets")),
    ("trec-rag24", ("run_id", "topic_id", "topic", "references", "answer")),
    ("ragas", ("user_input", "response", "reference")),
    ("deepeval", ("input", "actual_output")),
    ("chat", ("messages",)),
    ("documents", ("doc_id", "text")),
)
"""Formats that people write themselves, with the fields that make them known; the plainest first."""
SHOWN = 12
"""How many fields a message names."""
LOOKED_AT = 300
"""How many fields are compared with those of known formats: an object that has more is hardly a row."""


class Nearest(NamedTuple):
    """The format that rows resemble most."""

    format: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    meant: dict[str, str]
    """Fields that it lacks, with the field of the rows that is spelt nearly like it."""


def nearest_format(fields: Iterable[str], *, only: str | None = None) -> Nearest | None:
    """The shape with the largest share of its fields in the rows (a misspelt one counts half); None: none has any."""
    names = [*islice(fields, LOOKED_AT)]
    best: Nearest | None = None
    best_share = 0.0
    for format, wanted in SHAPES:
        if only is not None and format != only:
            continue
        found = _found(names, format)
        lacks = tuple(field for field in wanted if field not in found)
        unused = [name for name in names if name not in found.values()]
        meant = {field: near for field in lacks if (near := _misspelt(field, unused, format)) is not None}
        share = (len(wanted) - len(lacks) + len(meant) / 2) / len(wanted)
        if share > best_share:
            best, best_share = Nearest(format, tuple(field for field in wanted if field in found), lacks, meant), share
    return best


def about_fields(fields: Iterable[str], *, only: str | None = None, what: str = "fields") -> str:
    """The fields that were seen, and what is missing for the nearest format."""
    names = [*fields]
    shown = ", ".join(map(repr, names[:SHOWN])) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    near = nearest_format(names, only=only)
    if near is None or not near.lacks:
        return f"it has the {what} {shown}"
    lacking = ", ".join(
        f"{each!r} (is {near.meant[each]!r} meant?)" if each in near.meant else repr(each) for each in near.lacks
    )
    has = f" with {', '.join(map(repr, near.has))}" if near.has else ""
    return f"it has the {what} {shown}; the nearest known format is {near.format}{has}, and {lacking} is missing for it"


def _found(names: list[str], format: str) -> dict[str, str]:
    """Each field that a format knows, and the name it has in the rows."""
    return meanings(names) if format == "named-rows" else {name: name for name in names}


def _misspelt(field: str, names: list[str], format: str) -> str | None:
    spellings = (field, *ALIASES.get(field, ())) if format == "named-rows" else (field,)
    by_plain = {plain(name): name for name in names}
    for spelling in spellings:
        if near := get_close_matches(plain(spelling), by_plain, 1, 0.75):
            return by_plain[near[0]]
    return None
