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
    for nugget in nuggetized.nuggets:
        if nugget.type not in wanted:
            why = "type-not-asked-for"
        elif counts.get(nugget.type, 0) >= limit.get(nugget.type, len(nuggetized.nuggets)):
            why = "limit-of-template"
        else:
            counts[nugget.type] = counts.get(nugget.type, 0) + 1
            kept.append(_categorized(nugget, template))
            continue
        if explain:
            steps.append(Step(rule=why, did="removed", type=nugget.type, text=nugget.text))
    return msgspec.structs.replace(nuggetized, nuggets=tuple(kept), steps=tuple(steps))


def join_events(nuggetized: Nuggetized) -> Nuggetized:
    """One large event instead of several that answer nothing on their own (Babko-Malaya 2008, section 3.2.1).

    For questions of which a snippet holds one event (the relationship of two persons): from the first event to the last
    with the modifiers around them, under the anchor of the first.
    """
    parts = [nugget for nugget in nuggetized.nuggets if nugget.type in {"EVT", "MOD"}]
    events = [nugget for nugget in parts if nugget.type == "EVT"]
    if len(parts) < 2 or not events:
        return nuggetized
    whole = SpanSet([(min(nugget.spans[0][0] for nugget in parts), max(nugget.spans[-1][1] for nugget in parts))])
    first = min(events, key=lambda nugget: (nugget.anchor or nugget.spans)[0][0])
    joined = msgspec.structs.replace(first, spans=whole, text=whole.text(nuggetized.text), rule="join-events")
    rest = [nugget for nugget in nuggetized.nuggets if nugget not in parts]
    return msgspec.structs.replace(nuggetized, nuggets=tuple(sorted([joined, *rest], key=place_in_text)))


def _categorized(nugget: FoundNugget, template: Template | None) -> FoundNugget:
    if template is None or nugget.type not in template.category:
        return nugget
    return msgspec.structs.replace(nugget, category=template.category[nugget.type])
