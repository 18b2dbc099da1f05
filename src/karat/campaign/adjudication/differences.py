"""Differences: what assessors agree on and what they do not, as items with keys that stay the same.

An item is a passage's relevance, a group of aligned nuggets, a family of nugs, a citation (of a nugget), or a
judgement. Votes are no items: every person's own vote counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace
from sqlalchemy import Connection

from karat.campaign.adjudication.agreements import as_it_stands
from karat.campaign.adjudication.alignment import Layers, Original, short_key
from karat.campaign.adjudication.behind import who_is_behind
from karat.campaign.adjudication.records import Assessor, Differences, Item, Version
from karat.campaign.adjudication.takeover import ROUNDING, Takeover, mapped_nug
from karat.campaign.material.settings import read_settings
from karat.campaign.work.annotations import of_type
from karat.campaign.work.errors import NotAllowed
from karat.campaign.work.payloads import CitationWork, DecisionWork, JudgementWork, NuggetWork, RelevanceWork
from karat.campaign.work.permissions import ADJUDICATED, Person, query_row
from karat.campaign.work.rules import Change
from karat.campaign.work.task_data import in_order, task_answers, task_passages

T = TypeVar("T")


def differences(connection: Connection, person: Person, query_number: int) -> Differences:
    """All assessors' versions side by side; for adjudicators and organisers."""
    if person.role not in ("adjudicator", "organiser"):
        raise NotAllowed
    query_row(connection, query_number)
    layers = Layers(connection, query_number)
    order = in_order(task_answers(connection, query_number))
    items = SideBySide(layers).items(order)
    return Differences(
        assessors=tuple(Assessor(account=number, name=name) for number, name in layers.names.items()),
        behind=tuple(who_is_behind(connection, query_number, layers)),
        passages=task_passages(connection, order, campaign_language=read_settings(connection).language),
        items=tuple(items),
    )


class SideBySide:
    """Makes the items of a query."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.decisions = of_type(layers.of[ADJUDICATED], DecisionWork)
        agreed = [original for family in layers.families.values() if self._nug_agrees(family) for original in family]
        self.takeover = Takeover(layers, agreed)

    def items(self, order: Sequence[int]) -> list[Item]:
        """Passage by passage: relevance, nuggets, citations; then nugs and judgements."""
        place = {number: position for position, number in enumerate(order)}
        of_passages = [*self.relevances(), *self.nuggets(), *self.citations()]
        of_passages.sort(key=lambda item: place.get(item.passage or 0, len(place)))
        return [as_it_stands(item, self.takeover) for item in (*of_passages, *self.nugs(), *self.judgements())]

    # Relevance --------------------------------------------------------------------------------------------------------

    def relevances(self) -> Iterator[Item]:
        people = self.layers.participants("relevance")
        labels = {number: of_type(self.layers.of[number], RelevanceWork) for number in people}
        for key in dict.fromkeys(key for of_person in labels.values() for key in of_person):
            mine = {number: self._mapped(number, labels[number].get(key)) for number in people}
            yield self._item(
                f"relevance:{key}", "relevance", int(key), mine,
                self._label(mine, _relevance_words), _all_alike(mine, _relevance_value),
                {number: [self.takeover.change(record)] for number, record in mine.items() if record is not None},
                self.takeover.removal("relevance", key),
            )  # fmt: skip

    def _mapped(self, number: int, record: RelevanceWork | None) -> RelevanceWork | None:
        """The label, pointing at the nug of the adjudicated layer where it points at one of the assessor's."""
        if record is None or not (target := record.redundant_with or "").startswith("nug:"):
            return record
        return replace(record, redundant_with=f"nug:{mapped_nug(self.layers, number, target.removeprefix('nug:'))}")

    # Nuggets ----------------------------------------------------------------------------------------------------------

    def nuggets(self) -> Iterator[Item]:
        people = self.layers.participants("nuggets")
        checks = self._checks()
        for group, members in self.layers.groups.items():
            mine = {
                number: self.layers.nuggets[number][members[number]] if number in members else None
                for number in dict.fromkeys((*people, *members))
            }
            undisputed = {
                number: [
                    record
                    for (_, of_group), versions in checks.items()
                    if of_group == group and (record := versions.get(number)) is not None
                    if len(members) == 1 or self._check_agrees(versions)
                ]
                for number in members
            }
            first = next(nugget for nugget in mine.values() if nugget is not None)
            yield self._item(
                f"nugget:{group}", "nugget", first.passage, mine, self._nugget_label(mine),
                _all_alike(mine, lambda nugget: (nugget.spans, nugget.type)) and _no_contradiction(mine),
                {number: self.takeover.nugget(number, group, undisputed[number]) for number in members},
                self.takeover.without_nugget(group),
            )  # fmt: skip

    def _nugget_label(self, mine: dict[int, NuggetWork | None]) -> str:
        have = {number: nugget for number, nugget in mine.items() if nugget is not None}
        names = self.layers.names
        if len(have) < len(mine) or len(mine) == 1:
            return f"only {', '.join(names[number] for number in have)}"
        what = []
        if len({nugget.spans for nugget in have.values()}) > 1:
            what.append("other extent")
        if len({nugget.type for nugget in have.values()}) > 1:
            what.append("other type")
        if not what and not _no_contradiction(mine):
            what.append("other category")
        return ", ".join(what) or "the same"

    # Citations --------------------------------------------------------------------------------------------------------

    def citations(self) -> Iterator[Item]:
        people = self.layers.participants("citations")
        for (citation, group), versions in self._checks().items():
            if group is not None and len(self.layers.groups[group]) == 1:
                continue  # It comes along with the nugget that only one assessor has.
            mine = {number: versions.get(number) for number in dict.fromkeys((*people, *versions))}
            key = f"{citation}:{group}" if group else str(citation)
            yield self._item(
                f"citation:{key}", "citation", self._passage_of(group), mine,
                self._label(mine, lambda record: record.support), self._check_agrees(versions),
                {number: [self.takeover.change(replace(record, nugget=group))] for number, record in versions.items()},
                self.takeover.removal("citation", key),
            )  # fmt: skip

    def _checks(self) -> dict[tuple[int, str | None], dict[int, CitationWork]]:
        found: dict[tuple[int, str | None], dict[int, CitationWork]] = {}
        for number in self.layers.accounts:
            for record in of_type(self.layers.of[number], CitationWork).values():
                group = None if record.nugget is None else self.layers.group_of[number, record.nugget]
                found.setdefault((record.citation, group), {})[number] = record
        return found

    def _check_agrees(self, versions: dict[int, CitationWork]) -> bool:
        mine = {number: versions.get(number) for number in (*self.layers.participants("citations"), *versions)}
        return _all_alike(mine, lambda record: record.support)

    def _passage_of(self, group: str | None) -> int | None:
        if group is None:
            return None
        number, key = next(iter(self.layers.groups[group].items()))
        return self.layers.nuggets[number][key].passage

    # Nugs -------------------------------------------------------------------------------------------------------------

    def nugs(self) -> Iterator[Item]:
        people = self.layers.participants("nugs")
        for key, family in self.layers.families.items():
            mine = {
                number: [original for original in family if original[0] == number] or None
                for number in dict.fromkeys((*people, *(number for number, _ in family)))
            }
            everybody = len(mine) > 1 and all(
                originals is not None and len(originals) == 1 for originals in mine.values()
            )
            alike = everybody and len({frozenset(self._members(original, family)) for original in family}) == 1
            yield self._item(
                f"nug:{key}", "degree" if alike else "nug", None, mine,
                self._nug_label(mine, alike), self._nug_agrees(family),
                {number: self.takeover.nugs(number, family) for number, _ in family},
                [change for each in dict.fromkeys(self.layers.nug_keys[original] for original in family)
                 for change in self.takeover.removal("nug", each)],
            )  # fmt: skip

    def _members(self, original: Original, family: Sequence[Original]) -> dict[str, float]:
        nug = self.layers.nugs[original[0]][original[1]]
        return dict(self.layers.compared(original[0], nug, {number for number, _ in family}))

    def _nug_agrees(self, family: Sequence[Original]) -> bool:
        """Everybody has one nug with the same members to the same degrees, and of the same weight."""
        people = self.layers.participants("nugs")
        if len(people) < 2 or sorted(number for number, _ in family) != sorted(people):
            return False
        first, *others = family
        degrees = self._members(first, family)
        nugs = [self.layers.nugs[number][key] for number, key in family]
        return (
            all(_same_degrees(degrees, self._members(other, family)) for other in others)
            and len({1.0 if nug.relevance is None else nug.relevance for nug in nugs}) == 1
            and len({nug.importance for nug in nugs if nug.importance is not None}) < 2
        )

    def _nug_label(self, mine: dict[int, list[Original] | None], alike: bool) -> str:
        names = self.layers.names
        if alike:
            weights = {
                names[number]: self.layers.nugs[number][originals[0][1]]
                for number, originals in mine.items()
                if originals is not None
            }
            said = (
                f"{name}: weight {1 if nug.relevance is None else nug.relevance:g}" for name, nug in weights.items()
            )
            return "the same members; " + ", ".join(said)
        have = [names[number] for number, originals in mine.items() if originals is not None]
        if len(have) < len(mine) or len(mine) == 1:
            return f"only {', '.join(have)}"
        counts = ", ".join(f"{names[number]}: {len(originals or ())}" for number, originals in mine.items())
        is_split = any(len(originals or ()) > 1 for originals in mine.values())
        return f"merged or split ({counts})" if is_split else "other members"

    # Judgements -------------------------------------------------------------------------------------------------------

    def judgements(self) -> Iterator[Item]:
        people = self.layers.participants("judging")
        found: dict[tuple[int, str], dict[int, JudgementWork]] = {}
        for number in people:
            for record in of_type(self.layers.of[number], JudgementWork).values():
                nug = mapped_nug(self.layers, number, record.nug)
                found.setdefault((record.response, nug), {})[number] = record
        for (response, nug), versions in found.items():
            mine = {number: versions.get(number) for number in people}
            yield self._item(
                f"judgement:{response}:{nug}", "judgement", None, mine,
                self._label(mine, lambda record: f"{record.degree:g}"),
                _all_alike(mine, lambda record: record.degree),
                {number: [self.takeover.change(replace(record, nug=nug))] for number, record in versions.items()},
                self.takeover.removal("judgement", f"{response}:{nug}"),
            )  # fmt: skip

    # All --------------------------------------------------------------------------------------------------------------

    def _item(
        self,
        key: str,
        kind: str,
        passage: int | None,
        mine: Iterable[int],
        label: str,
        agreed: bool,
        taken: dict[int, list[Change]],
        removed: list[Change],
    ) -> Item:
        key = short_key(key)
        versions = tuple(
            Version(account=number, changes=tuple(taken.get(number, removed)), absent=number not in taken)
            for number in mine
        )
        return Item(
            item=key, kind=kind, passage=passage, label=label, versions=versions, agreed=agreed,
            decision=self.decisions.get(key),
        )  # fmt: skip

    def _label(self, mine: dict[int, T | None], words: Callable[[T], str]) -> str:
        names = self.layers.names
        return "; ".join(
            f"{names[number]}: {'nothing' if record is None else words(record)}" for number, record in mine.items()
        )


def _relevance_value(record: RelevanceWork) -> object:
    return record.label, record.text_spans, record.reason, record.redundant_with


def _relevance_words(record: RelevanceWork) -> str:
    parts: list[str] = [record.label]
    if record.text_spans is not None:
        parts.append("in part")
    if record.reason is not None:
        parts.append(record.reason.replace("_", " "))
    return ", ".join(parts)


def _all_alike(mine: dict[int, T | None], value: Callable[[T], object]) -> bool:
    """At least two people, and all say the same."""
    records = [record for record in mine.values() if record is not None]
    return len(mine) > 1 and len(records) == len(mine) and len({value(record) for record in records}) == 1


def _no_contradiction(mine: dict[int, NuggetWork | None]) -> bool:
    """Whether nobody says another category than somebody else; saying none contradicts nobody."""
    nuggets = [nugget for nugget in mine.values() if nugget is not None]
    return all(
        len({getattr(nugget, field) for nugget in nuggets} - {None}) < 2
        for field in ("category", "secondary", "world_knowledge")
    )


def _same_degrees(one: dict[str, float], other: dict[str, float]) -> bool:
    """The degree of a lone member says nothing: without company it must be 1, with company it may be less."""
    return one.keys() == other.keys() and (
        len(one) == 1 or all(abs(one[group] - other[group]) <= ROUNDING for group in one)
    )
