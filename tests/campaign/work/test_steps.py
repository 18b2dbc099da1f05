from __future__ import annotations

import pytest
from sqlalchemy import insert

from builders.campaign_place import Small
from builders.campaigns import alone, new, saved
from karat.campaign.material.settings import change_settings
from karat.campaign.store import tables
from karat.campaign.work.errors import NotAllowed, RuleBroken
from karat.campaign.work.payloads import NugWork, VoteWork
from karat.campaign.work.query_key import query_key
from karat.campaign.work.steps import (
    add_time,
    adjudicated_queries,
    is_adjudicated,
    set_step,
    states,
    steps_of,
    votes_wait,
)
from karat.model import Nug, encode_record


def test_steps_are_done_and_opened_again(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        set_step(connection, ann, small.query, 1, "nugs", done=True, now=7.0)
        assert states(connection, small.query, 1)["nugs"].done == 7.0
        assert states(connection, small.query, 2)["nugs"].done is None
        set_step(connection, ann, small.query, 1, "nugs", done=False)
        assert states(connection, small.query, 1)["nugs"].done is None


def test_an_organiser_opens_but_does_not_finish_the_steps_of_others(small: Small) -> None:
    olga = small.people["olga"]
    with small.database.write() as connection:
        set_step(connection, small.people["ann"], small.query, 1, "nugs", done=True)
        set_step(connection, olga, small.query, 1, "nugs", done=False)
        assert states(connection, small.query, 1)["nugs"].done is None
        with pytest.raises(NotAllowed):
            set_step(connection, olga, small.query, 1, "nugs", done=True)
        with pytest.raises(NotAllowed):
            set_step(connection, small.people["ben"], small.query, 1, "nugs", done=False)
        with pytest.raises(NotAllowed):
            set_step(connection, small.people["ann"], 77, 1, "nugs", done=True)


def test_time_adds_up_within_bounds(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        for seconds in (2.5, 4.0):
            add_time(connection, ann, small.query, 1, "nuggets", seconds=seconds)
        assert states(connection, small.query, 1)["nuggets"].seconds == 6.5
        for seconds in (-1.0, 1e9, float("nan")):
            with pytest.raises(RuleBroken, match="from 0 to 3600 seconds"):
                add_time(connection, ann, small.query, 1, "nuggets", seconds=seconds)
        with pytest.raises(NotAllowed):
            add_time(connection, ann, small.query, 2, "nuggets", seconds=1.0)


def test_a_query_is_adjudicated_when_every_step_but_votes_is_done(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        assert steps_of(connection, 0) == ("relevance", "nuggets", "nugs", "citations", "judging")
        for step in steps_of(connection, 0):
            assert not is_adjudicated(connection, small.query)
            set_step(connection, eva, small.query, 0, step, done=True)
        assert is_adjudicated(connection, small.query)
        assert adjudicated_queries(connection) == {small.query}
        with pytest.raises(RuleBroken, match="step votes: not used here; choose from relevance"):
            set_step(connection, eva, small.query, 0, "votes", done=True)


def test_a_query_stays_adjudicated_when_the_campaign_gets_more_steps(small: Small) -> None:
    eva = small.people["eva"]
    with small.database.write() as connection:
        change_settings(connection, {"steps": ["relevance", "nuggets"]})
        for step in ("relevance", "nuggets"):
            set_step(connection, eva, small.query, 0, step, done=True)
        change_settings(connection, {"steps": ["relevance", "nuggets", "judging"]})
        assert is_adjudicated(connection, small.query)
        assert adjudicated_queries(connection) == {small.query}
        set_step(connection, eva, small.query, 0, "nuggets", done=False)
        assert not is_adjudicated(connection, small.query)


def adjudicate(small: Small, *, done: bool) -> None:
    with small.database.write() as connection:
        for step in steps_of(connection, 0):
            set_step(connection, small.people["eva"], small.query, 0, step, done=done)


def test_votes_wait_for_the_adjudication_where_several_people_make_the_nugs(small: Small) -> None:
    ann, eva = small.people["ann"], small.people["eva"]
    later = "Votes open when eva has adjudicated this query."
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(NugWork(description="storm"), "g-1"))
        with pytest.raises(RuleBroken, match=later):
            saved(connection, ann, small.query, new(VoteWork(nug="g-1", value="vital")))
        with pytest.raises(RuleBroken, match=later):
            set_step(connection, ann, small.query, ann.number, "votes", done=True)
        saved(connection, eva, small.query, new(NugWork(description="the storm"), "g-2"))
    adjudicate(small, done=True)
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(VoteWork(nug="g-2", value="vital")))
        set_step(connection, ann, small.query, ann.number, "votes", done=True)
        assert is_adjudicated(connection, small.query), "whoever has not voted yet"


def test_votes_are_open_at_once_for_an_imported_key_or_a_single_assessor(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        with alone(connection, ann, small.query):
            assert votes_wait(connection, [small.query]) == set()
        assert votes_wait(connection, [small.query]) == {small.query}
        nug = Nug(query_id="q1", nug_id="k1", descriptions=("storm",))
        record = encode_record(nug).decode()
        values = {"number": 900, "query": small.query, "nug_id": "k1", "position": 0, "record": record}
        connection.execute(insert(tables.key_nug).values(**values))
        assert votes_wait(connection, [small.query]) == set()
        saved(connection, ann, small.query, new(VoteWork(nug="key:900", value="vital")))


def test_who_voted_on_other_nugs_has_something_to_do_after_the_adjudication(small: Small) -> None:
    """The query was ann's alone, and she had voted; then ben got it, too, and it was adjudicated."""
    ann, eva = small.people["ann"], small.people["eva"]

    def done() -> bool:
        with small.database.read() as connection:
            return states(connection, small.query, ann.number)["votes"].done is not None

    with small.database.write() as connection:
        with alone(connection, ann, small.query):
            saved(connection, ann, small.query, new(NugWork(description="storm"), "g-1"))
            saved(connection, ann, small.query, new(VoteWork(nug="g-1", value="vital")))
            set_step(connection, ann, small.query, ann.number, "votes", done=True)
        saved(connection, eva, small.query, new(NugWork(description="the storm"), "g-2"))
    assert done()
    adjudicate(small, done=True)
    assert not done()
    with small.database.write() as connection:
        assert list(query_key(connection, small.query, ann.number)) == ["g-2"]
        saved(connection, ann, small.query, new(VoteWork(nug="g-2", value="okay")))
        set_step(connection, ann, small.query, ann.number, "votes", done=True)
    adjudicate(small, done=False)
    adjudicate(small, done=True)
    assert done(), "every nug has a vote"
    adjudicate(small, done=False)
    with small.database.write() as connection:
        saved(connection, eva, small.query, new(NugWork(description="another"), "g-3"))
    adjudicate(small, done=True)
    assert not done(), "a nug came later"
