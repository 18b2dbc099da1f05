"""From the text of an answer to one label per nug, or to what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karat.judges.llm.request import InvalidAnswer

DEGREES = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""What each label says, as a raw score."""
_THINKING = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
_LINE = re.compile(r"\W*(n\d+)\W+(\w[\w ]*?)\W*")
LONGEST_LINE = 200
"""A longer line is no label; nor may it take long to find that out."""
LONGEST_QUOTE = 2_000
NAMES_SHOWN = 5


@dataclass(frozen=True)
class Label:
    """What a model says about one nug."""

    degree: float
    quote: str = ""


def label_schema(names: Sequence[str], *, quotes: bool) -> dict[str, Any]:
    """The JSON schema of an answer: every name is there once, with a label (and a passage before it)."""
    label: dict[str, Any] = {"type": "string", "enum": list(DEGREES)}
    entry = label
    if quotes:
        entry = {
            "type": "object",
            "properties": {"quote": {"type": "string"}, "label": label},
            "required": ["quote", "label"],
            "additionalProperties": False,
        }
    return {
        "type": "object",
        "properties": dict.fromkeys(names, entry),
        "required": list(names),
        "additionalProperties": False,
    }


def read_labels(text: str, names: Sequence[str], *, quotes: bool) -> dict[str, Label]:
    """Exactly one label per name.

    An answer in words may have text around the JSON object, or one line per name (`n1: support`).

    >>> read_labels('{"n1": {"quote": "", "label": "not_support"}}', ["n1"], quotes=True)
    {'n1': Label(degree=0.0, quote='')}

    Raises:
        InvalidAnswer: a name is missing, unknown or there twice, or a label is none of the three.
    """
    entries = _entries(text, quotes=quotes)
    counts = [name for name, _ in entries]
    if twice := [name for name in dict.fromkeys(counts) if counts.count(name) > 1]:
        raise InvalidAnswer(f"{_listed(twice)} is there more than once")
    if unknown := [name for name in counts if name not in names]:
        raise InvalidAnswer(f"{_listed(unknown)} was not asked for")
    if missing := [name for name in names if name not in counts]:
        raise InvalidAnswer(f"{', '.join(missing)} is missing")
    return {name: _label(name, entry) for name, entry in entries}


def read_object(text: str) -> Any:
    """The JSON object in an answer; what a model thought aloud, and text around the object, is left out.

    Raises:
        InvalidAnswer: there is none, or it is not whole.
    """
    answer = _said(text)
    start = answer.find("{")
    if start < 0:
        raise InvalidAnswer("it has no JSON object")
    try:
        found, _ = json.JSONDecoder(object_pairs_hook=_Pairs).raw_decode(answer[start:])
    # ValueError: not JSON, or a number with thousands of digits.
    except (ValueError, RecursionError):
        raise InvalidAnswer("the JSON object is not complete, or not valid") from None
    return found


def _said(text: str) -> str:
    """An answer without what the model thought aloud; one that begins with the object may quote `</think>` itself."""
    return text if text.lstrip().startswith(("{", "```")) else _THINKING.sub("", text)


class _Pairs(list[tuple[str, Any]]):
    """The entries of a JSON object in order, also where a name is there twice."""


def plain(value: Any) -> Any:
    """JSON with dicts for objects.

    Raises:
        InvalidAnswer: an object has an entry twice, or lists are nested too deeply to be an answer.
    """
    try:
        return _plain(value)
    except RecursionError:
        raise InvalidAnswer("the JSON object is nested too deeply") from None


def _plain(value: Any) -> Any:
    if isinstance(value, _Pairs):
        if len(dict(value)) < len(value):
            raise InvalidAnswer("an entry is there more than once")
        return {name: _plain(entry) for name, entry in value}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _entries(text: str, *, quotes: bool) -> list[tuple[str, Any]]:
    try:
        found = read_object(text)
    except InvalidAnswer:
        lines = [line for line in _said(text).splitlines() if len(line) <= LONGEST_LINE] if "{" not in text else []
        labels = [match.groups() for match in map(_LINE.fullmatch, lines) if match is not None]
        if not labels:
            raise
        return [(name, {"label": label}) for name, label in labels]
    # Some models wrap the object: {"labels": {"n1": ...}}.
    if len(found) == 1 and isinstance(found[0][1], _Pairs) and not re.fullmatch(r"n\d+", found[0][0]):
        found = found[0][1]
    return [(str(name), plain(entry)) for name, entry in found]


def _label(name: str, entry: Any) -> Label:
    label = entry.get("label") if isinstance(entry, Mapping) else entry
    quote = entry.get("quote", "") if isinstance(entry, Mapping) else ""
    known = re.sub(r"[\s-]+", "_", label.strip().lower()) if isinstance(label, str) else ""
    if known not in DEGREES:
        said = json.dumps(label)[:40] if not isinstance(label, list | dict) else "a list or an object"
        raise InvalidAnswer(f"the label of {name} is {said}, not one of {', '.join(DEGREES)}")
    return Label(DEGREES[known], quote[:LONGEST_QUOTE] if isinstance(quote, str) else "")


def _listed(names: Sequence[str]) -> str:
    """Names that a model wrote, as a message may show them: short, a few, and without control characters."""
    shown = ["".join(c if c.isprintable() else "?" for c in name[:20]) for name in names[:NAMES_SHOWN]]
    return ", ".join(shown) + (", ..." if len(names) > NAMES_SHOWN else "")
