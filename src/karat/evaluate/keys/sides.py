"""The two sides of an edit: the same runs and judgements with the old key and with the new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from karat.evaluate.keys.changes import Change
from karat.formats import load
from karat.model import Collection, Judgement, Nug, Query, Record, Template, Vote
from karat.model.wording import number_of

CARRIED = "carried_from"
"""The field of a judgement that was made for another id: that id."""


@dataclass(frozen=True)
class Sides:
    """Two keys, and what is scored by them."""

    old: Collection
    new: Collection
    runs: Collection
    """All records but keys: responses, judgements, nuggets, ..."""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, old: Collection, new: Collection, runs: Collection) -> Sides:
        """Keys have nugs, votes, queries and templates; other records of their files do not count, and a note says so.

        Nugs and votes of the other files do not count either: they would be in both keys, and hide the change.
        """
        notes = []
        for name, key in (("old", old), ("new", new)):
            others = len(key) - len(key.nugs) - len(key.votes) - len(key.queries) - len(key.templates)
            if key.judgements or key.responses:
                notes.append(
                    f"the file of the {name} key also has {number_of(others, 'other record')} (runs, judgements), "
                    "which do not count: give the file once more behind the keys to score by them"
                )
        if runs.nugs or runs.votes:
            notes.append(
                f"{number_of(len(runs.nugs), 'nug')} and {number_of(len(runs.votes), 'vote')} in the files behind the "
                "keys left out: what is scored by are the two keys"
            )
        parts = [
            Collection(record for record in key if isinstance(record, Nug | Vote | Query | Template))
            for key in (old, new)
        ]
        rest = Collection(record for record in runs if not isinstance(record, Nug | Vote))
        return cls(parts[0], parts[1], rest, tuple(notes))

    def old_side(self) -> tuple[Collection, list[str]]:
        """What is scored by the old key, and which judgements have no nug in it."""
        return _side(self.old, self.runs, "old")

    def new_side(self, changes: Iterable[Change], *, carry: bool) -> tuple[Collection, list[str]]:
        """The same by the new key; carry: judgements follow what a nug says instead of its id."""
        runs, notes = carried(self.runs, changes) if carry else (self.runs, [])
        side, orphaned = _side(self.new, runs, "new")
        return side, [*notes, *orphaned]


def _side(key: Collection, runs: Collection, name: str) -> tuple[Collection, list[str]]:
    nugs = key.key.nugs
    kept: list[Record] = []
    orphans: Counter[tuple[str, str]] = Counter()
    for record in runs:
        if isinstance(record, Judgement) and record.query_id in nugs and record.nug_id not in nugs[record.query_id]:
            orphans[record.query_id, record.nug_id] += 1
        else:
            kept.append(record)
    notes = []
    if orphans:
        (query_id, nug_id), _ = min(orphans.items())
        notes.append(
            f"{number_of(sum(orphans.values()), 'judgement')} of {number_of(len(orphans), 'nug')} that the {name} key "
            f"does not have do not count with it (the first: nug {nug_id} of query {query_id})"
        )
    return load(list(key), kept), notes


def carried(runs: Collection, changes: Iterable[Change]) -> tuple[Collection, list[str]]:
    """The judgements of old nugs under the ids of the new nugs that say the same; marked with `CARRIED`.

    A nug that says something else, or that was split, merged or removed, takes no judgement along: another nug may have
    its id by now. A judgement that was made for the new id counts before one that is carried over.
    """
    follow: dict[tuple[str, str], str] = {}
    lost: set[tuple[str, str]] = set()
    for change in changes:
        for nug in change.old:
            if change.carries:
                follow[nug.query_id, nug.nug_id] = change.new[0].nug_id
            else:
                lost.add((nug.query_id, nug.nug_id))
    kept: list[Record] = []
    moved: list[Judgement] = []
    ended = 0
    for record in runs:
        if not isinstance(record, Judgement):
            kept.append(record)
            continue
        place = record.query_id, record.nug_id
        if follow.get(place, record.nug_id) != record.nug_id:
            moved.append(replace(record, nug_id=follow[place], extra=record.extra | {CARRIED: record.nug_id}))
        elif place in lost:
            ended += 1
        else:
            kept.append(record)
    notes = [f"{number_of(len(moved), 'judgement')} carried over to other ids of nugs that say the same"]
    if ended:
        notes.append(
            f"{number_of(ended, 'judgement')} not carried over: their nugs were removed, split, merged or corrected"
        )
    return Collection([*kept, *moved]), notes
