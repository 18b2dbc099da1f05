"""An agreement is no decision: it follows the assessors, and never writes over what a person did."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from builders.campaign_place import PLAIN, STORM, Small
from builders.campaigns import gone, new, saved
from karat.campaign.adjudication.decisions import decide, start
from karat.campaign.adjudication.differences import differences
from karat.campaign.adjudication.records import Item
from karat.campaign.work.annotations import layer, of_type
from karat.campaign.work.changes import undo
from karat.campaign.work.payloads import DecisionWork, NuggetWork, RelevanceWork
from karat.campaign.work.rules import Change
from karat.model import SpanSet


def label(small: Small, value: str, text: str = STORM, version: int = 0) -> Change:
    record = RelevanceWork(passage=small.passage(text), label=value)  # type: ignore[arg-type]
    return Change(kind="relevance", key=str(record.passage), version=version, record=record)


def say(connection: Connection, small: Small, *changes: Change, names: tuple[str, ...] = ("ann", "ben")) -> None:
    for name in names:
        saved(connection, small.people[name], small.query, *changes)


def begin(connection: Connection, small: Small) -> None:
    start(connection, small.people["eva"], small.query)


def item(connection: Connection, small: Small, key: str) -> Item:
    found = differences(connection, small.people["eva"], small.query).items
    return {each.item: each for each in found}[key]


def adjudicated(connection: Connection, small: Small) -> dict[str, str]:
    return {key: record.label for key, record in of_type(layer(connection, small.query, 0), RelevanceWork).items()}


def test_a_new_agreement_takes_the_place_of_the_old_one(small: Small) -> None:
    key = str(small.passage(STORM))
    with small.database.write() as connection:
        say(connection, small, label(small, "relevant"), label(small, "relevant", PLAIN))
        begin(connection, small)
        say(connection, small, label(small, "irrelevant", version=1))
        assert item(connection, small, f"relevance:{key}").outdated
        assert item(connection, small, f"relevance:{key}").decision is None
        begin(connection, small)
        assert adjudicated(connection, small)[key] == "irrelevant"
        again = item(connection, small, f"relevance:{key}")
        assert (again.outdated, again.decision and again.decision.choice) == (False, "agreed")
        assert start(connection, small.people["eva"], small.query) is None


def test_an_agreement_that_ended_is_open_and_a_decision_stays(small: Small) -> None:
    key = f"relevance:{small.passage(STORM)}"
    with small.database.write() as connection:
        say(connection, small, label(small, "relevant"))
        begin(connection, small)
        say(connection, small, label(small, "irrelevant", version=1), names=("ann",))
        begin(connection, small)
        opened = item(connection, small, key)
        assert (opened.agreed, opened.decision) == (False, None)
        decide(connection, small.people["eva"], small.query, "d1", key, take=small.people["ben"].number)
        say(connection, small, label(small, "irrelevant", version=1), names=("ben",))
        begin(connection, small)
        assert adjudicated(connection, small) == {str(small.passage(STORM)): "relevant"}
        decision = item(connection, small, key).decision
        assert decision is not None
        assert decision.choice == "taken"


@pytest.mark.parametrize("edit", ["irrelevant", None])
def test_what_the_adjudicator_changed_is_open_and_not_overwritten(small: Small, edit: str | None) -> None:
    key = str(small.passage(STORM))
    with small.database.write() as connection:
        say(connection, small, label(small, "relevant"), label(small, "relevant", PLAIN))
        begin(connection, small)
        own = Change(kind="relevance", key=key, version=1) if edit is None else label(small, edit, version=1)
        saved(connection, small.people["eva"], small.query, own, owner=0)
        begin(connection, small)
        assert adjudicated(connection, small).get(key) == edit
        assert item(connection, small, f"relevance:{key}").outdated
        decide(connection, small.people["eva"], small.query, "d1", f"relevance:{key}", take=small.people["ann"].number)
        assert adjudicated(connection, small)[key] == "relevant"
        assert not item(connection, small, f"relevance:{key}").outdated


def test_a_nugget_follows_and_goes_when_all_delete_it(small: Small) -> None:
    def nugget(*span: int) -> NuggetWork:
        return NuggetWork(passage=small.passage(STORM), spans=SpanSet([span]))  # type: ignore[list-item]

    def standing(connection: Connection) -> list[NuggetWork]:
        return list(of_type(layer(connection, small.query, 0), NuggetWork).values())

    with small.database.write() as connection:
        say(connection, small, new(nugget(0, 20), "n-1"), label(small, "relevant"))
        begin(connection, small)
        say(connection, small, Change(kind="nugget", key="n-1", version=1, record=nugget(4, 20)))
        begin(connection, small)
        assert [each.spans for each in standing(connection)] == [SpanSet([(4, 20)])]
        say(connection, small, gone("nugget", "n-1", 2))
        begin(connection, small)
        assert standing(connection) == []
        assert len(of_type(layer(connection, small.query, 0), DecisionWork)) == 1


def test_start_after_undo_takes_over_again(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        say(connection, small, label(small, "relevant"))
        for turn in range(3):
            taken = start(connection, eva, small.query)
            assert taken is not None
            assert len(taken.annotations) == 2
            assert len(layer(connection, small.query, 0)) == 2
            assert list(adjudicated(connection, small).values()) == ["relevant"]
            undo(connection, eva, small.query, 0, f"u{turn}")
            assert adjudicated(connection, small) == {}
