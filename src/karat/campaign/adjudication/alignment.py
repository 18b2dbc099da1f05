"""Which nuggets, and which nugs, of several assessors are about the same.

Nuggets of one passage are aligned by their overlap, the best first: 2 |a & b| / (|a| + |b|) in meaningful characters
(letters and digits), at least a half. A group has at most one nugget of each assessor. Nuggets that share less stay
apart, so that both can be taken over.

Nugs are compared over aligned nuggets: nugs of two assessors are in one family where they have members of the same
group. A family with one nug per assessor is the same nug, perhaps with other degrees; otherwise somebody merged what
another kept apart.

Groups and nugs have keys in the adjudicated layer that are made from the original's, so that they stay the same.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

from sqlalchemy import Connection, select

from karat.campaign.store import tables
from karat.campaign.work.annotations import kind_of_work, layer, of_type
from karat.campaign.work.errors import CurrentAnnotation
from karat.campaign.work.payloads import AnyWork, NuggetWork, NugWork, ReviewedWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules.open_steps import STEP_OF_KIND
from karat.model import SpanSet

LEAST_OVERLAP = 0.5
LONGEST_KEY = 120
Original = tuple[int, str]
"""The account and key of an assessor's nugget or nug."""


def adjudicated_key(prefix: str, original: Original) -> str:
    """The key in the adjudicated layer of what was made from an assessor's nugget or nug."""
    digest = blake2b(f"{original[0]}:{original[1]}".encode(), digest_size=10).digest()
    return f"{prefix}-{b32encode(digest).decode().lower()[:12]}"


class Layers:
    """The layers of the assessors who worked on a query, the adjudicated one, and the texts that they are about."""

    def __init__(self, connection: Connection, query_number: int) -> None:
        self.query_number = query_number
        annotation, account = tables.annotation.c, tables.account.c
        owners = (
            select(annotation.owner)
            .where(annotation.query == query_number, annotation.owner != ADJUDICATED, annotation.record.is_not(None))
            .distinct()
        )
        rows = connection.execute(
            select(account.number, account.name).where(account.number.in_(owners)).order_by(account.number)
        )
        self.names: dict[int, str] = {row[0]: row[1] for row in rows}
        self.of: dict[int, list[CurrentAnnotation]] = {
            number: layer(connection, query_number, number) for number in (*self.names, ADJUDICATED)
        }
        state = tables.step_state.c
        self._done = {
            (row.owner, row.step)
            for row in connection.execute(
                select(state.owner, state.step).where(state.query == query_number, state.done.is_not(None))
            )
        }
        passage = tables.passage.c
        texts = connection.execute(select(passage.number, passage.text).where(passage.query == query_number))
        self.texts: dict[int, str] = {row[0]: row[1] for row in texts}

    @property
    def accounts(self) -> tuple[int, ...]:
        return tuple(self.names)

    def participants(self, step: str) -> tuple[int, ...]:
        """The assessors who worked on a step: who finished it, or saved something that belongs to it."""
        return tuple(
            number
            for number in self.accounts
            if (number, step) in self._done or any(_is_of_step(each.record, step) for each in self.of[number])
        )

    @cached_property
    def nuggets(self) -> dict[int, dict[str, NuggetWork]]:
        return {number: of_type(annotations, NuggetWork) for number, annotations in self.of.items()}

    @cached_property
    def nugs(self) -> dict[int, dict[str, NugWork]]:
        return {number: of_type(annotations, NugWork) for number, annotations in self.of.items()}

    @cached_property
    def groups(self) -> dict[str, dict[int, str]]:
        """Aligned nuggets: the key in the adjudicated layer -> account -> key of the account's nugget."""
        by_passage: dict[int, list[Original]] = {}
        for number in self.accounts:
            for key, nugget in self.nuggets[number].items():
                by_passage.setdefault(nugget.passage, []).append((number, key))
        found = [
            group
            for passage, originals in by_passage.items()
            for group in self._aligned(originals, self.texts[passage])
        ]
        return {adjudicated_key("n", min(group.items())): group for group in found}

    def _aligned(self, originals: Sequence[Original], text: str) -> list[dict[int, str]]:
        spans = {original: self.nuggets[original[0]][original[1]].spans for original in originals}
        types = {original: self.nuggets[original[0]][original[1]].type for original in originals}
        pairs = [
            (-share, types[one] != types[other], one, other)
            for one, other in touching(spans)
            if one[0] != other[0] and (share := overlap(spans[one], spans[other], text)) >= LEAST_OVERLAP
        ]
        group_of = {original: {original[0]: original[1]} for original in originals}
        for _, _, one, other in sorted(pairs):
            left, right = group_of[one], group_of[other]
            if left is not right and not left.keys() & right.keys():
                left |= right
                for number, key in right.items():
                    group_of[number, key] = left
        return list({id(group): group for group in group_of.values()}.values())

    @cached_property
    def group_of(self) -> dict[Original, str]:
        """The group of each assessor's nugget."""
        return {original: group for group, members in self.groups.items() for original in members.items()}

    @cached_property
    def families(self) -> dict[str, list[Original]]:
        """Nugs that are about the same, by the key in the adjudicated layer of the first of them."""
        shared = {group for group, members in self.groups.items() if len(members) > 1}
        holders: dict[str, list[Original]] = {}
        alike: dict[str, list[Original]] = {}
        originals = [(number, key) for number in self.accounts for key in self.nugs[number]]
        for number, key in originals:
            nug = self.nugs[number][key]
            for member in nug.members:
                if (group := self.group_of.get((number, member.nugget))) in shared and group is not None:
                    holders.setdefault(group, []).append((number, key))
            if not nug.members:
                alike.setdefault(nug.description.strip().casefold(), []).append((number, key))
        family_of = {original: [original] for original in originals}
        for together in (*holders.values(), *alike.values()):
            for one, other in pairwise(together):
                left, right = family_of[one], family_of[other]
                if left is not right:
                    left += right
                    for original in right:
                        family_of[original] = left
        found = {id(family): sorted(family) for family in family_of.values()}
        return {adjudicated_key("g", family[0]): family for family in found.values()}

    @cached_property
    def nug_keys(self) -> dict[Original, str]:
        """The key of each assessor's nug in the adjudicated layer: one for all where each assessor has one."""
        keys: dict[Original, str] = {}
        for key, family in self.families.items():
            is_one = len({number for number, _ in family}) == len(family)
            keys |= {original: key if is_one else adjudicated_key("g", original) for original in family}
        return keys

    def compared(self, number: int, nug: NugWork, accounts: Iterable[int]) -> Mapping[str, float]:
        """The degree of each member that all of these assessors have a nugget for."""
        wanted = set(accounts)
        degrees = {}
        for member in nug.members:
            group = self.group_of.get((number, member.nugget))
            if group is not None and wanted <= self.groups[group].keys():
                degrees[group] = member.degree
        return degrees


def _is_of_step(record: AnyWork | None, step: str) -> bool:
    if isinstance(record, ReviewedWork):
        return record.step == step
    return record is not None and STEP_OF_KIND.get(kind_of_work(record)) == step


def touching(spans: Mapping[Original, SpanSet]) -> Iterator[tuple[Original, Original]]:
    """The pairs that may overlap: those whose intervals, from the first to the last marked character, do.

    One sweep over the text: beside the pairs it gives, it costs no more than sorting.
    """
    rank = {original: place for place, original in enumerate(spans)}
    reaching: list[Original] = []
    for original in sorted(filter(spans.__getitem__, spans), key=lambda each: (spans[each][0][0], rank[each])):
        start = spans[original][0][0]
        reaching = [other for other in reaching if spans[other][-1][1] > start]
        for other in reaching:
            yield (other, original) if rank[other] < rank[original] else (original, other)
        reaching.append(original)


def overlap(one: SpanSet, other: SpanSet, text: str) -> float:
    """2 |a & b| / (|a| + |b|) in letters and digits; equal spans without any overlap wholly."""
    if one == other:
        return 1.0
    both = one.intersection(other).meaningful_length(text)
    return 2 * both / (one.meaningful_length(text) + other.meaningful_length(text)) if both else 0.0


def short_key(key: str) -> str:
    """A key that fits: a long one ends in a hash of itself."""
    if len(key) <= LONGEST_KEY:
        return key
    return f"{key[: LONGEST_KEY - 21]}.{blake2b(key.encode(), digest_size=10).hexdigest()}"
