"""Rules that keep what others rely on: what an annotation is about, what a key means, the nugs that people voted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlalchemy import select

from karat.campaign.store import tables
from karat.campaign.work.annotations import decode_work
from karat.campaign.work.errors import Broken
from karat.campaign.work.payloads import JudgementWork, NuggetWork, NugWork, VoteWork
from karat.campaign.work.permissions import ADJUDICATED
from karat.campaign.work.rules.batch import ChangeBatch, broken

Rule = Callable[[ChangeBatch], Iterator[Broken]]


def nuggets_stay_in_their_passage(batch: ChangeBatch) -> Iterator[Broken]:
    """Citation checks and revisions are about the passage that a nugget was marked in."""
    for change, record in batch.records(NuggetWork):
        standing = batch.current.get(change.place)
        before = None if standing is None else standing.record
        if isinstance(before, NuggetWork) and before.passage != record.passage:
            yield broken(change, "a nugget stays in its passage; delete it and mark a new one there")


def new_keys_are_plain(batch: ChangeBatch) -> Iterator[Broken]:
    """A colon stands between the parts of other keys (`key:5`, `suggestion:1`, `NUG:OCCASION`)."""
    for change in batch.changes:
        is_own = isinstance(change.record, NuggetWork | NugWork)
        if is_own and ":" in change.key and change.place not in batch.current:
            yield broken(change, "the key of a new nugget or nug has no colon: those name something else")


def categories_are_the_templates(batch: ChangeBatch) -> Iterator[Broken]:
    """A category is one of the query's template; one that was there, or that a program suggested, may stay."""
    for change, record in batch.records(NuggetWork):
        if record.category is None or not batch.categories or record.category in batch.categories:
            continue
        standing = batch.current.get(change.place)
        known = [None if standing is None else standing.record]
        for name in record.revises:
            number = name.removeprefix("suggestion:")
            if number != name and number.isdecimal() and len(number) < 19:
                known.append(batch.suggested_nugget(int(number)))
        if not any(isinstance(each, NuggetWork) and each.category == record.category for each in known):
            yield broken(change, f"the category is {record.category}; choose from {', '.join(batch.categories)}")


def nugs_that_others_use_stay(batch: ChangeBatch) -> Iterator[Broken]:
    """An adjudicated nug that people voted on or judged is not deleted: their work would be about nothing."""
    deleted = set(batch.deleted(NugWork)) if batch.owner == ADJUDICATED else set()
    if not deleted:
        return
    annotation, account = tables.annotation.c, tables.account.c
    rows = batch.connection.execute(
        select(account.name, annotation.record)
        .join(tables.account, account.number == annotation.owner)
        .where(
            annotation.query == batch.query_number,
            annotation.kind.in_(("vote", "judgement")),
            annotation.record.is_not(None),
        )
        .order_by(account.name)
    )
    users: dict[str, list[str]] = {}
    for name, text in rows:
        record = decode_work(text)
        if isinstance(record, VoteWork | JudgementWork) and record.nug in deleted:
            users.setdefault(record.nug, []).append(name)
    for nug, names in users.items():
        used = "1 vote or judgement" if len(names) == 1 else f"{len(names):,} votes or judgements"
        yield Broken(
            where=f"nug {nug}",
            what=f"has {used} of {', '.join(dict.fromkeys(names))}: it cannot be deleted; rewrite it, or let them "
            "take these back first",
        )


KEPT_RULES: tuple[Rule, ...] = (
    nuggets_stay_in_their_passage, new_keys_are_plain, categories_are_the_templates, nugs_that_others_use_stay,
)  # fmt: skip
