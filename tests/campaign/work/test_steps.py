from __future__ import annotations

import pytest

from builders.campaign_place import Small
from karat.campaign.material.settings import change_settings
from karat.campaign.work.errors import NotAllowed, RuleBroken
from karat.campaign.work.steps import add_time, adjudicated_queries, is_adjudicated, set_step, states, steps_of


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
