"""Adjudicating: agreements are taken over at once, each difference is taken from somebody, rewritten or left.

The assessors' layers stay as they are. Everything goes through `save`, so that rules and history hold, and undo works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from karat.campaign.adjudication.alignment import Layers
from karat.campaign.adjudication.differences import SideBySide
from karat.campaign.adjudication.records import Item
from karat.campaign.work.annotations import Place, of_type
from karat.campaign.work.changes import Saved, save
from karat.campaign.work.errors import Broken, RuleBroken
from karat.campaign.work.payloads import (
    AnyWork,
    CitationWork,
    DecisionWork,
    JudgementWork,
    NuggetWork,
    RejectionWork,
    RelevanceWork,
    ReviewedWork,
)
from karat.campaign.work.permissions import ADJUDICATED, Person, check_may_change, query_row
from karat.campaign.work.query_key import IMPORTED
from karat.campaign.work.rules import Change
from karat.campaign.work.task_data import in_order, task_answers

FIRST_TO_LAST = ("nugget", "nug", "degree", "relevance", "citation", "judgement")
"""The order of taking over: nugs need their nuggets, labels may point at nugs, citations at nuggets."""


def start(
    connection: Connection,
    adjudicator: Person,
    query_number: int,
    *,
    request: str | None = None,
    now: float | None = None,
) -> Saved | None:
    """Take over everything that the assessors agree on and that is not in the adjudicated layer; None: nothing new.

    Run again after assessors changed something, it adds what they agree on now and leaves what was decided.
    """
    query_row(connection, query_number, lock=True)
    check_may_change(connection, adjudicator, query_number, ADJUDICATED)
    layers = Layers(connection, query_number)
    if len(layers.names) < 2:
        who = ", ".join(layers.names.values()) or "nobody"
        raise RuleBroken([Broken(where="adjudication", what=f"two assessors are needed, but only {who} worked on it")])
    comparison = SideBySide(layers)
    batch: dict[Place, Change] = {}
    _take_agreed(comparison, in_order(task_answers(connection, query_number)), batch)
    for record in _agreed_acts(layers):
        change = comparison.takeover.change(record)
        if change.place not in comparison.takeover.standing:
            batch[change.place] = change
    if not batch:
        return None
    name = request or f"start-{query_number}-{len(layers.of[ADJUDICATED])}-{_newest(layers)}"
    return save(connection, adjudicator, query_number, ADJUDICATED, name, list(batch.values()), now=now)


def decide(
    connection: Connection,
    adjudicator: Person,
    query_number: int,
    request: str,
    item_key: str,
    *,
    take: int | None = None,
    rewrite: Sequence[Change] | None = None,
    reason: str | None = None,
    now: float | None = None,
) -> Saved:
    """Decide one difference: take an account's version, save a rewritten one, or (neither) leave it out."""
    query_row(connection, query_number, lock=True)
    check_may_change(connection, adjudicator, query_number, ADJUDICATED)
    layers = Layers(connection, query_number)
    comparison = SideBySide(layers)
    items = {item.item: item for item in comparison.items(())}
    if item_key not in items:
        raise RuleBroken([Broken(where=item_key, what="there is no such difference (any more); load the page again")])
    item = items[item_key]
    if take is not None:
        changes = list(_version(item, take))
        decision = DecisionWork(item=item_key, choice="taken", taken_from=take, reason=reason)
    elif rewrite is not None:
        changes, decision = list(rewrite), DecisionWork(item=item_key, choice="rewritten", reason=reason)
    else:
        changes, decision = _removal(comparison, item), DecisionWork(item=item_key, choice="left", reason=reason)
    changes.append(comparison.takeover.change(decision))
    return save(connection, adjudicator, query_number, ADJUDICATED, request, changes, now=now)


def _take_agreed(comparison: SideBySide, order: Sequence[int], batch: dict[Place, Change]) -> None:
    takeover = comparison.takeover
    items = sorted(comparison.items(order), key=lambda item: FIRST_TO_LAST.index(item.kind))
    for item in items:
        if not item.agreed or item.decision is not None:
            continue
        changes = _agreed_changes(comparison, item)
        if not changes or not _is_possible(comparison, changes):
            continue
        decision = DecisionWork(item=item.item, choice="agreed")
        for change in (*changes, takeover.change(decision)):
            batch[change.place] = change
        takeover.apply(changes)


def _agreed_changes(comparison: SideBySide, item: Item) -> list[Change]:
    """The first assessor's version; what it does not say is taken from the others.

    Nuggets were taken before, and changed nugs since: nugs are asked for anew.
    """
    takeover, layers = comparison.takeover, comparison.layers
    first = item.versions[0]
    if item.kind == "nugget":
        group = item.item.removeprefix("nugget:")
        if group in takeover.live_nuggets:
            return []
        nuggets = [layers.nuggets[number][key] for number, key in sorted(layers.groups[group].items())]
        changes = takeover.nugget(first.account, group)
        return [replace(changes[0], record=_filled(nuggets)), *changes[1:]]
    if item.kind in ("nug", "degree"):
        family = layers.families[item.item.removeprefix("nug:")]
        if layers.nug_keys[family[0]] in takeover.live_nugs or any(
            layers.nugs[number][key].members for number, key in family
        ):
            # Nugs come along with their nuggets.
            return []
        return takeover.nugs(first.account, family)
    return [change for change in first.changes if change.place not in takeover.standing]


def _filled(nuggets: Sequence[NuggetWork]) -> NuggetWork:
    first = nuggets[0]
    for field in ("category", "secondary", "world_knowledge", "paraphrase", "anchor"):
        if getattr(first, field) is None:
            value = next((getattr(nugget, field) for nugget in nuggets if getattr(nugget, field) is not None), None)
            first = replace(first, **{field: value})
    return first


def _is_possible(comparison: SideBySide, changes: Sequence[Change]) -> bool:
    """Whether what the changes point at is in the adjudicated layer: a difference may stand in between."""
    takeover = comparison.takeover
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


def _agreed_acts(layers: Layers) -> Iterator[AnyWork]:
    """What has no versions: that all looked somewhere, or all rejected a suggestion."""
    for kind in (ReviewedWork, RejectionWork):
        acts = {number: of_type(layers.of[number], kind) for number in layers.accounts}
        for key, record in acts[layers.accounts[0]].items():
            if isinstance(record, ReviewedWork) and record.step == "votes":
                continue
            if all(key in of_person for of_person in acts.values()):
                yield record  # type: ignore[misc]


def _version(item: Item, account: int) -> Sequence[Change]:
    for version in item.versions:
        if version.account == account:
            return version.changes
    raise RuleBroken([Broken(where=item.item, what="this account has no version of it")])


def _removal(comparison: SideBySide, item: Item) -> list[Change]:
    """What a version taken before must take back: as if an assessor who has nothing there were taken."""
    absent = [version for version in item.versions if version.absent]
    if absent:
        return list(absent[0].changes)
    if item.kind == "nugget":
        return comparison.takeover.without_nugget(item.item.removeprefix("nugget:"))
    places = {change.place for version in item.versions for change in version.changes}
    return [change for kind, key in sorted(places) for change in comparison.takeover.removal(kind, key)]


def _newest(layers: Layers) -> int:
    return sum(each.version for annotations in layers.of.values() for each in annotations)
