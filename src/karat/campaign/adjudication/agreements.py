"""Agreements that hold: "agreed" is no decision of a person, so it stands only while it is true.

Where assessors change their minds after it was taken over, or somebody changes the adjudicated layer, the item is
outdated. `start` puts the new agreement in the place of the old one where nobody has touched what was taken over;
everything else is open again for the adjudicator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from karat.campaign.adjudication.alignment import Layers
from karat.campaign.adjudication.records import Item
from karat.campaign.adjudication.takeover import Takeover
from karat.campaign.store import tables
from karat.campaign.work.annotations import Place
from karat.campaign.work.payloads import (
    AnyWork,
    CitationWork,
    DecisionWork,
    JudgementWork,
    NuggetWork,
    NugWork,
    RelevanceWork,
)
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.query_key import IMPORTED
from karat.campaign.work.rules import Change

MAY_BE_UNSAID = ("category", "secondary", "world_knowledge", "paraphrase", "anchor")


def as_it_stands(item: Item, takeover: Takeover) -> Item:
    """The item without an "agreed" that is not true (any more)."""
    if item.decision is not None and item.decision.choice != "agreed":
        return item
    if not item.agreed:
        return replace(item, decision=None)
    wanted = agreed_change(item, takeover)
    if not is_possible(takeover, [wanted]):
        return replace(item, decision=None)
    _, standing = takeover.standing.get(wanted.place, (0, None))
    outdated = item.decision is not None if standing is None else _meaning(standing) != _meaning(wanted.record)
    return replace(item, decision=None, outdated=True) if outdated else item


def agreed_change(item: Item, takeover: Takeover) -> Change:
    """What the assessors agree on, as a change of the adjudicated layer (of nugs: the first assessor's)."""
    layers = takeover.layers
    if item.kind == "nugget":
        group = item.item.removeprefix("nugget:")
        nuggets = [layers.nuggets[number][key] for number, key in sorted(layers.groups[group].items())]
        return takeover.change(filled(nuggets), group)
    if item.kind in ("nug", "degree"):
        return takeover.nug(layers.families[item.item.removeprefix("nug:")][0])[0]
    return item.versions[0].changes[0]


def filled(nuggets: Sequence[NuggetWork]) -> NuggetWork:
    """The first nugget; what it does not say is taken from the others."""
    first = nuggets[0]
    for field in MAY_BE_UNSAID:
        if getattr(first, field) is None:
            value = next((getattr(nugget, field) for nugget in nuggets if getattr(nugget, field) is not None), None)
            first = replace(first, **{field: value})
    return first


def _meaning(record: AnyWork | None) -> object:
    """What assessors agree on; notes and words may differ. Members of nugs follow the nuggets that were decided."""
    match record:
        case RelevanceWork():
            return record.label, record.text_spans, record.reason, record.redundant_with
        case NuggetWork():
            return record.spans, record.type, record.category, record.secondary, record.world_knowledge
        case CitationWork():
            return record.support
        case JudgementWork():
            return record.degree
        case NugWork():
            return 1.0 if record.relevance is None else record.relevance, record.importance
    return record


def is_possible(takeover: Takeover, changes: Sequence[Change]) -> bool:
    """Whether what the changes point at is in the adjudicated layer: a difference may stand in between."""
    for change in changes:
        match change.record:
            case RelevanceWork(redundant_with=str(target)) if target.startswith("nug:"):
                possible = target.removeprefix("nug:") in takeover.live_nugs
            case CitationWork(nugget=str(nugget)):
                possible = nugget in takeover.live_nuggets
            case JudgementWork(nug=nug):
                possible = nug.startswith(IMPORTED) or nug in takeover.live_nugs
            case _:
                possible = True
        if not possible:
            return False
    return True


class Untouched:
    """What was taken over as agreed and has not been changed since."""

    def __init__(self, connection: Connection, layers: Layers) -> None:
        batch, change = tables.batch.c, tables.change.c
        rows = connection.execute(
            select(change.kind, change.key, func.max(change.batch))
            .join(tables.batch, batch.number == change.batch)
            .where(batch.query == layers.query_number, batch.owner == ADJUDICATED, batch.refused.is_(False))
            .group_by(change.kind, change.key)
        )
        self._newest: dict[Place, int] = {(kind, key): number for kind, key, number in rows}
        self.agreed = {
            each.key
            for each in layers.of[ADJUDICATED]
            if isinstance(each.record, DecisionWork) and each.record.choice == "agreed"
        }

    def has(self, item_key: str, place: Place) -> bool:
        return item_key in self.agreed and self._newest.get(place, 0) <= self._newest["decision", item_key]

    def without_versions(self, items: Sequence[Item], takeover: Takeover) -> Iterator[Change]:
        """What goes because all assessors deleted what they had agreed on; the word "agreed" goes with it."""
        for item_key in sorted(self.agreed - {item.item for item in items}):
            kind, _, key = item_key.partition(":")
            if self.has(item_key, (kind, key)):
                gone = takeover.without_nugget(key) if kind == "nugget" else takeover.removal(kind, key)
                yield from (*gone, *takeover.removal("decision", item_key))
                takeover.apply(gone)
