"""Which of a snippet's nuggets a question asks for (Babko-Malaya et al. 2012, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.model import SpanSet
from karat.nuggetizer.drafts import DraftChange, FoundNugget, Nuggetized
from karat.nuggetizer.templates import TYPES, QuestionTemplate


def place_in_text(nugget: FoundNugget) -> tuple[int, int, str]:
    """A sort key: by the first character; of those with the same first character, the longer first."""
    return nugget.spans[0][0], -nugget.spans.length, nugget.type


def select(
    nuggetized: Nuggetized,
    *,
    template: QuestionTemplate | None = None,
    asked: str | None = None,
    types: Sequence[str] = TYPES,
    explain: bool = False,
) -> Nuggetized:
    """Only the nuggets of the wanted types that the template asks for; of a type with a limit, the first in the text.

    Where the template says so, the type also sets the category: TMP and LOC nuggets of the template "list facts about
    an event" get the categories time and location.
    """
    wanted = set(types) & set(template.types_for(asked) if template is not None else TYPES)
    limit = template.limit if template is not None else {}
    counts: dict[str, int] = {}
    kept: list[FoundNugget] = []
    changes = list(nuggetized.changes)
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
            changes.append(DraftChange(rule=why, did="removed", type=nugget.type, text=nugget.text))
    return msgspec.structs.replace(nuggetized, nuggets=tuple(kept), changes=tuple(changes))


def join_events(nuggetized: Nuggetized) -> Nuggetized:
    """Join all events of a snippet to one large event (Babko-Malaya 2008, section 3.2.1).

    For questions that take one event per snippet (the relationship of two persons), because the single events answer
    nothing by themselves. The new event reaches from the first event or modifier to the last and has the anchor of the
    first event.
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


def _categorized(nugget: FoundNugget, template: QuestionTemplate | None) -> FoundNugget:
    if template is None or nugget.type not in template.category:
        return nugget
    return msgspec.structs.replace(nugget, category=template.category[nugget.type])
