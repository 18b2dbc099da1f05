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
_LINE = re.compile(r"^\W*(n\d+)\W+(\w[\w ]*?)\W*$", re.MULTILINE)
LONGEST_QUOTE = 2_000


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
        raise InvalidAnswer(f"{', '.join(twice)} is there more than once")
    if unknown := [name for name in counts if name not in names]:
        raise InvalidAnswer(f"{', '.join(name[:20] for name in unknown[:5])} was not asked for")
    if missing := [name for name in names if name not in counts]:
        raise InvalidAnswer(f"{', '.join(missing)} is missing")
    return {name: _label(name, entry) for name, entry in entries}


def read_object(text: str) -> Any:
    """The JSON object in an answer; what a model thought aloud, and text around the object, is left out.

    Raises:
        InvalidAnswer: there is none, or it is not whole.
    """
    answer = _THINKING.sub("", text)
    start = answer.find("{")
    if start < 0:
        raise InvalidAnswer("it has no JSON object")
    try:
        found, _ = json.JSONDecoder(object_pairs_hook=_Pairs).raw_decode(answer[start:])
    except (json.JSONDecodeError, RecursionError):
        raise InvalidAnswer("the JSON object is not complete, or not valid") from None
    return found


class _Pairs(list[tuple[str, Any]]):
    """The entries of a JSON object in order, also where a name is there twice."""


def plain(value: Any) -> Any:
    """JSON with dicts for objects.

    Raises:
        InvalidAnswer: an object has an entry twice.
    """
    if isinstance(value, _Pairs):
        if len(dict(value)) < len(value):
            raise InvalidAnswer("an entry is there more than once")
        return {name: plain(entry) for name, entry in value}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def _entries(text: str, *, quotes: bool) -> list[tuple[str, Any]]:
    try:
        found = read_object(text)
    except InvalidAnswer:
        lines = _LINE.findall(_THINKING.sub("", text)) if "{" not in text else []
        if not lines:
            raise
        return [(name, {"label": label}) for name, label in lines]
    # Some models wrap the object: {"labels": {"n1": ...}}.
    if len(found) == 1 and isinstance(found[0][1], _Pairs) and not re.fullmatch(r"n\d+", found[0][0]):
        found = found[0][1]
    return [(str(name), plain(entry)) for name, entry in found]


def _label(name: str, entry: Any) -> Label:
    label = entry.get("label") if isinstance(entry, Mapping) else entry
    quote = entry.get("quote", "") if isinstance(entry, Mapping) else ""
    known = re.sub(r"[\s-]+", "_", label.strip().lower()) if isinstance(label, str) else ""
    if known not in DEGREES:
        said = json.dumps(label)[:40]
        raise InvalidAnswer(f"the label of {name} is {said}, not one of {', '.join(DEGREES)}")
    return Label(DEGREES[known], quote[:LONGEST_QUOTE] if isinstance(quote, str) else "")
