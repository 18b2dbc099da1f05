"""What changed from one version of a key to the next: a record per change, and the fields that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from karat.model import Nug, Vote
from karat.model.identity import NUG_TIME

Kind = Literal[
    "query added", "query removed", "added", "removed", "split", "merged", "corrected", "reworded", "moved", "renamed",
    "importance", "weight", "relevance", "votes", "structure", "other", "unchanged",
]  # fmt: skip
MEANINGS: dict[Kind, str] = {
    "query added": "a query that only the new key has, with all its nugs",
    "query removed": "a query that only the old key has, with all its nugs",
    "added": "a nug that only the new key has",
    "removed": "a nug that only the old key has",
    "split": "one nug has become several",
    "merged": "several nugs have become one",
    "corrected": "nearly the same words, but another statement: another number or name, a negation, or the same id",
    "reworded": "the same statement in other words",
    "moved": "the same text in another query",
    "renamed": "the same text with another id",
    "importance": "vital has become okay, or okay vital",
    "weight": "another weight",
    "relevance": "another relevance",
    "votes": "other votes",
    "structure": "another parent, or another way to put parts together (AND, OR)",
    "other": "other members, assessor, world knowledge, adjudication or time",
    "unchanged": "nothing that can change a score",
}
"""Every kind of change. One nug may have several: reworded, and another importance."""


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """A field in which the old and the new nug differ; None where it is absent."""

    field: str
    old: str | None
    new: str | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Old nugs and the new nugs they have become. Every nug of both keys is in exactly one change."""

    query_id: str
    kinds: tuple[Kind, ...]
    """What changed, the most important first."""
    old: tuple[Nug, ...] = ()
    new: tuple[Nug, ...] = ()
    sure: float = 1.0
    """How surely the nugs belong together, from 0 to 1: how much of each side the other contains."""
    by_id: bool = False
    """Whether the id has decided that they belong together."""
    fields: tuple[FieldChange, ...] = ()

    @property
    def kind(self) -> Kind:
        return self.kinds[0]

    @property
    def carries(self) -> bool:
        """Whether a judgement of the old nug says something about the new one: one nug, and the same statement."""
        one = len(self.old) == len(self.new) == 1 and self.old[0].query_id == self.new[0].query_id
        return one and "corrected" not in self.kinds


def counts_of(changes: Iterable[Change]) -> dict[Kind, int]:
    """How many changes have each kind, in the order of the kinds; a change with two kinds counts twice."""
    counted = Counter(kind for change in changes for kind in change.kinds)
    return {kind: counted[kind] for kind in MEANINGS if counted[kind]}


def pair_change(
    old: Nug, new: Nug, *, sure: float, reworded: bool, corrected: bool, by_id: bool, votes: Sequence[Sequence[Vote]],
    parents: dict[str, str],
) -> Change:  # fmt: skip
    """The change of one nug to one nug. parents: the old id of each new nug that has one counterpart."""
    fields = _fields(old, new, votes, parents)
    named = {field.field for field in fields}
    kinds: list[Kind] = ["corrected"] if corrected else ["reworded"] if reworded else []
    kinds += ["moved"] if old.query_id != new.query_id else []
    if old.nug_id != new.nug_id and not kinds:
        kinds.append("renamed")
    kinds += [kind for kind in ("importance", "weight", "relevance", "votes") if kind in named]
    kinds += ["structure"] if named & {"parent", "aggregator"} else []
    kinds += ["other"] if named & {"members", "world_knowledge", "assessor", "adjudicated", NUG_TIME} else []
    return Change(
        query_id=old.query_id, kinds=tuple(kinds) or ("unchanged",), old=(old,), new=(new,), sure=sure, by_id=by_id,
        fields=fields,
    )  # fmt: skip


def _fields(
    old: Nug, new: Nug, votes: Sequence[Sequence[Vote]], parents: dict[str, str]
) -> tuple[FieldChange, ...]:  # fmt: skip
    mine, other = _values(old, votes[0], {}), _values(new, votes[1], parents)
    return tuple(
        FieldChange(field=field, old=mine[field], new=other[field]) for field in mine if mine[field] != other[field]
    )


def _values(nug: Nug, votes: Sequence[Vote], parents: dict[str, str]) -> dict[str, str | None]:
    """What is compared beside texts and ids; a parent goes by its old id, so that a new name is no new structure."""
    cast = sorted(
        f"{vote.assessor}{f'/{vote.occasion}' if vote.occasion is not None else ''}: "
        + (vote.value if isinstance(vote.value, str) else f"{vote.value:g}")
        + (" (primary)" if vote.primary else "") + (" (adjudicated)" if vote.adjudicated else "")
        for vote in votes
    )  # fmt: skip
    members = sorted(f"{member.nugget_id} {member.degree:g}" for member in nug.members)
    time = nug.extra.get(NUG_TIME)
    return {
        "importance": nug.importance,
        "weight": None if nug.weight is None else f"{nug.weight:.12g}",
        "relevance": None if nug.relevance is None else f"{nug.relevance:.12g}",
        "votes": ", ".join(cast) or None,
        "parent": None if nug.parent is None else parents.get(nug.parent, nug.parent),
        "aggregator": nug.aggregator,
        "members": ", ".join(members) or None,
        "world_knowledge": "true" if nug.world_knowledge else None,
        "assessor": nug.assessor,
        "adjudicated": "true" if nug.adjudicated else None,
        NUG_TIME: None if time is None else str(time),
    }
