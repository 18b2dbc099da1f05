"""Adjudicating: agreements are taken over at once, each difference is taken from somebody, rewritten or left.

The assessors' layers stay as they are. Everything goes through `save`, so that rules and history hold, and undo works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from secrets import token_hex

from sqlalchemy import Connection

from karat.campaign.adjudication.agreements import Untouched, agreed_change, is_possible
from karat.campaign.adjudication.alignment import Layers
from karat.campaign.adjudication.differences import SideBySide
from karat.campaign.adjudication.records import Item
from karat.campaign.work.annotations import Place, of_type
from karat.campaign.work.changes import Saved, save
from karat.campaign.work.errors import Broken, RuleBroken
from karat.campaign.work.payloads import (
    AnyWork,
    DecisionWork,
    RejectionWork,
    ReviewedWork,
)
from karat.campaign.work.permissions import ADJUDICATED, Person, check_may_change, query_row
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

    Run again after assessors changed something, it adds what they agree on now, puts a new agreement in the place of
    an old one, and leaves what a person decided or changed.
    """
    query_row(connection, query_number, lock=True)
    check_may_change(connection, adjudicator, query_number, ADJUDICATED)
    layers = Layers(connection, query_number)
    if len(layers.names) < 2:
        who = ", ".join(layers.names.values()) or "nobody"
        raise RuleBroken([Broken(where="adjudication", what=f"two assessors are needed, but only {who} worked on it")])
    comparison = SideBySide(layers)
    batch: dict[Place, Change] = {}
    items = comparison.items(in_order(task_answers(connection, query_number)))
    untouched = Untouched(connection, layers)
    for change in untouched.without_versions(items, comparison.takeover):
        batch[change.place] = change
    _take_agreed(comparison, items, untouched, batch)
    for record in _agreed_acts(layers):
        change = comparison.takeover.change(record)
        if change.place not in comparison.takeover.standing:
            batch[change.place] = change
    if not batch:
        return None
    # A new name each time: what is there already is not taken over again, and what was undone may be.
    name = request or f"start-{token_hex(16)}"
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


def _take_agreed(
    comparison: SideBySide, items: Sequence[Item], untouched: Untouched, batch: dict[Place, Change]
) -> None:
    takeover = comparison.takeover
    for item in sorted(items, key=lambda item: FIRST_TO_LAST.index(item.kind)):
        if not item.agreed or item.decision is not None:
            continue
        if item.outdated:
            renewed = agreed_change(item, takeover)
            changes = [renewed] if untouched.has(item.item, renewed.place) else []
        else:
            changes = _agreed_changes(comparison, item)
        if not changes or not is_possible(takeover, changes):
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
        return [agreed_change(item, takeover), *takeover.nugget(first.account, group)[1:]]
    if item.kind in ("nug", "degree"):
        family = layers.families[item.item.removeprefix("nug:")]
        if layers.nug_keys[family[0]] in takeover.live_nugs or any(
            layers.nugs[number][key].members for number, key in family
        ):
            # Nugs come along with their nuggets.
            return []
        return takeover.nugs(first.account, family)
    return [change for change in first.changes if change.place not in takeover.standing]


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
