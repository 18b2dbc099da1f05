from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from sqlalchemy import select, update

from builders.campaign_place import Small
from builders.campaigns import add_material, add_people, new, saved
from karat.campaign.store import tables
from karat.campaign.store.database import Database, open_database
from karat.campaign.work.assignments import assign, assign_query, assigned, unassign_query
from karat.campaign.work.payloads import RelevanceWork
from karat.campaign.work.steps import set_step, steps_of
from karat.model import UsageError

PEOPLE = (("ann", ""), ("ben", "ar"), ("cay", "ar zh"), ("dan", ""))


def campaign(place: Path, queries: int, languages: dict[str, str] | None = None) -> Database:
    database = open_database(place)
    tables.metadata.create_all(database.engine)
    with database.write() as connection:
        add_people(connection, *((name, "assessor", known) for name, known in PEOPLE), ("eva", "adjudicator", "zh"))
        answers = {f"q{number}": {"alpha": [f"Text {number}."]} for number in range(queries)}
        add_material(connection, answers, languages=languages)
    return database


def who_has_what(database: Database) -> dict[int, set[int]]:
    has: dict[int, set[int]] = {}
    with database.read() as connection:
        for query, account in connection.execute(select(tables.assignment.c.query, tables.assignment.c.account)):
            has.setdefault(query, set()).add(account)
    return has


def test_every_query_has_two_assessors_and_the_load_is_even(tmp_path: Path) -> None:
    database = campaign(tmp_path, 12)
    with database.write() as connection:
        done = assign(connection)
    assert done.added == 24
    assert done.loads == {"ann": 6, "ben": 6, "cay": 6, "dan": 6}
    has = who_has_what(database)
    assert all(len(people) == 2 for people in has.values())
    pairs = Counter(frozenset(people) for people in has.values())
    assert pairs == {frozenset(pair): 2 for pair in combinations((1, 2, 3, 4), 2)}


def test_assigning_again_only_adds(tmp_path: Path) -> None:
    database = campaign(tmp_path, 5)
    with database.write() as connection:
        assign(connection)
    before = who_has_what(database)
    with database.write() as connection:
        assert assign(connection).added == 0
        assert assign(connection, per_query=3).added == 5
    after = who_has_what(database)
    assert all(before[query] < after[query] for query in before)


def test_a_query_in_another_language_goes_to_those_who_read_it(tmp_path: Path) -> None:
    database = campaign(tmp_path, 6, {"q4": "ar", "q5": "ar", "q0": "en"})
    with database.write() as connection:
        loads = assign(connection).loads
        arabic = (
            connection.execute(select(tables.query.c.number).where(tables.query.c.language == "ar")).scalars().all()
        )
    assert all(who_has_what(database)[query] == {2, 3} for query in arabic)
    assert sorted(loads.values()) == [3, 3, 3, 3]


def test_too_few_readers_are_named_and_do_not_stop_the_other_queries(tmp_path: Path) -> None:
    database = campaign(tmp_path, 3, {"q1": "zh", "q2": "ru"})
    with database.write() as connection:
        done = assign(connection)
    first, second = done.missing
    assert "1 query in ru: 2 active assessors reading ru needed, there is nobody" in first
    assert "1 query in zh: 2 active assessors reading zh needed, there is cay" in second
    assert sorted(map(len, who_has_what(database).values())) == [1, 2], "what can be assigned is"
    assert done.added == 3


def test_people_who_left_are_replaced(tmp_path: Path) -> None:
    database = campaign(tmp_path, 2)
    with database.write() as connection:
        assign(connection)
        connection.execute(update(tables.account).where(tables.account.c.number == 1).values(active=False))
        assert assign(connection).added == 1


def test_one_query_is_given_and_taken_back_before_work_began(small: Small) -> None:
    query, ann = small.material.queries["q2"], small.people["ann"]
    with small.database.write() as connection:
        unassign_query(connection, query, ann.number)
        assert assigned(connection, ann).total == 1
        assign_query(connection, query, ann.number)
        assign_query(connection, query, ann.number)
        assert assigned(connection, ann).total == 2
        work = RelevanceWork(passage=small.material.passages["q2", "Cats sleep."], label="relevant")
        saved(connection, ann, query, new(work))
        with pytest.raises(UsageError, match="what was done stays"):
            unassign_query(connection, query, ann.number)
        with pytest.raises(UsageError, match="active assessors only"):
            assign_query(connection, query, small.people["eva"].number)


def test_the_list_says_which_steps_are_done(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        set_step(connection, ann, small.query, ann.number, "nuggets", done=True)
        mine, hers = assigned(connection, ann), assigned(connection, small.people["ben"])
        everything = assigned(connection, small.people["olga"])
    assert [(query.query_id, query.text) for query in mine.queries] == [
        ("q1", "What about q1?"), ("q2", "What about q2?"),
    ]  # fmt: skip
    assert [state.step for state in mine.queries[0].steps if state.done] == ["nuggets"]
    assert not any(state.done for query in hers.queries for state in query.steps)
    assert [query.assessors for query in everything.queries] == [2, 2]
    assert "votes" not in [state.step for state in everything.queries[0].steps]


def test_an_adjudicator_sees_first_what_is_ready_and_whom_the_rest_waits_for(small: Small) -> None:
    ann, ben, eva = (small.people[name] for name in ("ann", "ben", "eva"))
    second = small.material.queries["q2"]

    def listed() -> list[tuple[str, bool, tuple[str, ...]]]:
        with small.database.read() as connection:
            return [(query.query_id, query.ready, query.waits_for) for query in assigned(connection, eva).queries]

    assert listed() == [("q1", False, ("ann", "ben")), ("q2", False, ("ann", "ben"))]
    with small.database.write() as connection:
        for person in (ann, ben):
            for step in steps_of(connection, 0):
                set_step(connection, person, second, person.number, step, done=True)
        set_step(connection, ann, small.query, ann.number, "nuggets", done=True)
    assert listed() == [("q2", True, ()), ("q1", False, ("ann", "ben"))]
    with small.database.write() as connection:
        for step in steps_of(connection, 0):
            set_step(connection, eva, second, 0, step, done=True)
    assert listed() == [("q1", False, ("ann", "ben")), ("q2", False, ())]
    with small.database.read() as connection:
        assert all(query.waits_for == () for query in assigned(connection, ann).queries), "nobody sees others' work"
