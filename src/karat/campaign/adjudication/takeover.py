"""Taking over: an assessor's version as changes of the adjudicated layer, with keys and members mapped to it.

A taken nugget brings its memberships in nugs that are there or agreed on, and the citation checks that nobody disputes.
Where another version was taken before, what only that one had goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from karat.campaign.adjudication.alignment import Layers, Original
from karat.campaign.work.annotations import Place, key_of, kind_of_work, of_type
from karat.campaign.work.payloads import (
    AnyWork,
    CitationWork,
    NugMember,
    NugWork,
)
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules import Change

ROUNDING = 1e-9


class Takeover:
    """Makes changes for the adjudicated layer as it stands."""

    def __init__(self, layers: Layers, agreed_nugs: Iterable[Original] = ()) -> None:
        self.layers = layers
        self.agreed_nugs = set(agreed_nugs)
        self.standing: dict[Place, tuple[int, AnyWork]] = {
            (each.kind, each.key): (each.version, each.record)
            for each in layers.of[ADJUDICATED]
            if each.record is not None
        }
        self.live_nugs = of_type(layers.of[ADJUDICATED], NugWork)
        self.live_nuggets = {key for kind, key in self.standing if kind == "nugget"}

    def apply(self, changes: Iterable[Change]) -> None:
        """See the adjudicated layer as it would be after the changes (with the versions that the store has)."""
        for change in changes:
            if change.record is None:
                self.standing.pop(change.place, None)
                if change.kind == "nug":
                    self.live_nugs.pop(change.key, None)
                elif change.kind == "nugget":
                    self.live_nuggets.discard(change.key)
                continue
            self.standing[change.place] = (change.version, change.record)
            if isinstance(change.record, NugWork):
                self.live_nugs[change.key] = change.record
            elif change.kind == "nugget":
                self.live_nuggets.add(change.key)

    def change(self, record: AnyWork, key: str | None = None) -> Change:
        """A change that saves a record in the place of what stands there."""
        kind, place_key = kind_of_work(record), key or key_of(record)
        assert place_key is not None
        version = self.standing.get((kind, place_key), (0, None))[0]
        return Change(kind=kind, key=place_key, version=version, record=record)

    def removal(self, kind: str, key: str) -> list[Change]:
        """A change that deletes what stands there, if anything does."""
        if (kind, key) not in self.standing:
            return []
        return [Change(kind=kind, key=key, version=self.standing[kind, key][0])]

    # Nuggets ----------------------------------------------------------------------------------------------------------

    def nugget(self, number: int, group: str, citations: Sequence[CitationWork] = ()) -> list[Change]:
        """A nugget under the key of its group, its memberships, and checks of its citations."""
        key = self.layers.groups[group][number]
        changes = [self.change(self.layers.nuggets[number][key], group)]
        for nug_key, nug in self.layers.nugs[number].items():
            if any(member.nugget == key for member in nug.members):
                changes += self._fitting(self._with_member((number, nug_key), nug, group))
        return [*changes, *(self.change(replace(check, nugget=group)) for check in citations)]

    def _with_member(self, original: Original, nug: NugWork, group: str) -> list[Change]:
        target = self.layers.nug_keys[original]
        standing = self.live_nugs.get(target)
        if standing is not None and any(member.nugget == group for member in standing.members):
            return []
        if standing is None:
            return self.nug(original, also=group) if original in self.agreed_nugs else []
        degrees = {self.layers.group_of[original[0], member.nugget]: member.degree for member in nug.members}
        kept = [
            # A lone member had to have degree 1; with company it gets its own degree back.
            replace(member, degree=degrees.get(member.nugget, member.degree)) if len(standing.members) == 1 else member
            for member in standing.members
        ]
        members = (*kept, NugMember(nugget=group, degree=degrees[group]))
        return [self.change(replace(standing, members=_whole_if_alone(members)), target)]

    def _fitting(self, changes: list[Change]) -> list[Change]:
        """The changes, unless a lone member's degree of 1 would be too much: then the membership waits for company."""
        for change in changes:
            if not isinstance(change.record, NugWork) or len(change.record.members) != 1:
                continue
            nugget = change.record.members[0].nugget
            elsewhere = sum(
                member.degree
                for key, nug in self.live_nugs.items()
                for member in nug.members
                if key != change.key and member.nugget == nugget
            )
            if elsewhere > ROUNDING:
                return []
        return changes

    def without_nugget(self, group: str) -> list[Change]:
        """The nugget goes, and its memberships with it."""
        changes = self.removal("nugget", group)
        if not changes:
            return []
        for key, nug in self.live_nugs.items():
            if any(member.nugget == group for member in nug.members):
                members = tuple(member for member in nug.members if member.nugget != group)
                best = None if nug.best == group else nug.best
                changes.append(self.change(replace(nug, members=_whole_if_alone(members), best=best), key))
        return changes

    # Nugs -------------------------------------------------------------------------------------------------------------

    def nug(self, original: Original, *, also: str | None = None) -> list[Change]:
        """A nug with those of its members that the adjudicated layer has."""
        number, key = original
        nug = self.layers.nugs[number][key]
        live = self.live_nuggets | ({also} if also is not None else set())
        mapped = [
            NugMember(nugget=group, degree=member.degree)
            for member in nug.members
            if (group := self.layers.group_of.get((number, member.nugget))) in live and group is not None
        ]
        best = None if nug.best is None else self.layers.group_of.get((number, nug.best))
        description = nug.description
        if not description.strip() and nug.best is not None:
            nugget = self.layers.nuggets[number][nug.best]
            description = nugget.spans.text(self.layers.texts[nugget.passage])
        kept = {member.nugget for member in mapped}
        record = replace(
            nug,
            description=description,
            members=_whole_if_alone(tuple(mapped)),
            best=best if best in kept else None,
        )
        return [self.change(record, self.layers.nug_keys[original])]

    def nugs(self, number: int, family: Sequence[Original]) -> list[Change]:
        """One assessor's nugs of a family; those that only other versions have go."""
        mine = [original for original in family if original[0] == number]
        keys = {self.layers.nug_keys[original] for original in mine}
        others = {self.layers.nug_keys[original] for original in family} - keys
        removed = [change for key in sorted(others) for change in self.removal("nug", key)]
        return [*(change for original in mine for change in self.nug(original)), *removed]


def mapped_nug(layers: Layers, number: int, nug: str) -> str:
    """The nug that an assessor's judgement is about, in the adjudicated layer; imported nugs are the same for all."""
    return layers.nug_keys.get((number, nug), nug)


def _whole_if_alone(members: tuple[NugMember, ...]) -> tuple[NugMember, ...]:
    return (replace(members[0], degree=1.0),) if len(members) == 1 else members
