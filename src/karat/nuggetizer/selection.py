"""Which of a snippet's nuggets a question asks for (Babko-Malaya et al. 2012, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.model import SpanSet
from karat.nuggetizer.drafts import FoundNugget, Nuggetized, Step
from karat.nuggetizer.templates import TYPES, Template


def place_in_text(nugget: FoundNugget) -> tuple[int, int, str]:
    """By its first character, then the longer first."""
    return nugget.spans[0][0], -nugget.spans.length, nugget.type


def select(
    nuggetized: Nuggetized,
    *,
    template: Template | None = None,
    asked: str | None = None,
    types: Sequence[str] = TYPES,
    explain: bool = False,
) -> Nuggetized:
    """The nuggets of the wanted types that the template asks for; of a limited type the first in the text.

    What the type settles of a nugget's category is set, too: time and location for "list facts about an event".
    """
    wanted = set(types) & set(template.types_for(asked) if template is not None else TYPES)
    limit = template.limit if template is not None else {}
    counts: dict[str, int] = {}
    kept: list[FoundNugget] = []
    steps = list(nuggetized.steps)
    for one in nuggetized.nuggets:
        if one.type not in wanted:
            why = "type-not-asked-for"
        elif counts.get(one.type, 0) >= limit.get(one.type, len(nuggetized.nuggets)):
            why = "limit-of-template"
        else:
            counts[one.type] = counts.get(one.type, 0) + 1
            kept.append(_categorized(one, template))
            continue
        if explain:
            steps.append(Step(rule=why, did="removed", type=one.type, text=one.text))
    return msgspec.structs.replace(nuggetized, nuggets=tuple(kept), steps=tuple(steps))


def join_events(nuggetized: Nuggetized) -> Nuggetized:
    """One large event instead of several that answer nothing on their own (Babko-Malaya 2008, section 3.2.1).

    For questions of which a snippet holds one event (the relationship of two persons): from the first event to the last
    with the modifiers around them, under the anchor of the first.
    """
    parts = [one for one in nuggetized.nuggets if one.type in {"EVT", "MOD"}]
    events = [one for one in parts if one.type == "EVT"]
    if len(parts) < 2 or not events:
        return nuggetized
    whole = SpanSet([(min(one.spans[0][0] for one in parts), max(one.spans[-1][1] for one in parts))])
    first = min(events, key=lambda one: (one.anchor or one.spans)[0][0])
    joined = msgspec.structs.replace(first, spans=whole, text=whole.text(nuggetized.text), rule="join-events")
    rest = [one for one in nuggetized.nuggets if one not in parts]
    return msgspec.structs.replace(nuggetized, nuggets=tuple(sorted([joined, *rest], key=place_in_text)))


def _categorized(one: FoundNugget, template: Template | None) -> FoundNugget:
    if template is None or one.type not in template.category:
        return one
    return msgspec.structs.replace(one, category=template.category[one.type])
