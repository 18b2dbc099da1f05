from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select

from builders.campaign_place import EMOJI, PLAIN, STORM, Small
from builders.campaigns import Somebody, gone, new, saved
from karat.campaign.store import tables
from karat.campaign.work.annotations import layer
from karat.campaign.work.changes import save, undo
from karat.campaign.work.errors import Conflict, NotAllowed, NothingToUndo, RuleBroken
from karat.campaign.work.history import history
from karat.campaign.work.payloads import (
    CitationWork,
    NuggetWork,
    NugMember,
    NugWork,
    RelevanceWork,
    VoteWork,
)
from karat.campaign.work.steps import set_step
from karat.model import SpanSet


def relevance(small: Small, text: str = PLAIN, label: str = "relevant") -> RelevanceWork:
    return RelevanceWork(passage=small.passage(text), label=label)  # type: ignore[arg-type]


def nugget(small: Small, *pairs: tuple[int, int], text: str = STORM, **more: object) -> NuggetWork:
    return NuggetWork(passage=small.passage(text), spans=SpanSet(pairs), **more)  # type: ignore[arg-type]


def records(small: Small, person: str | int) -> dict[tuple[str, str], object]:
    owner = person if isinstance(person, int) else small.people[person].number
    with small.database.read() as connection:
        return {(each.kind, each.key): each.record for each in layer(connection, small.query, owner)}


def test_a_save_gives_versions_and_stands_in_the_owners_layer(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        first = saved(connection, ann, small.query, new(relevance(small)))
        second = saved(connection, ann, small.query, new(relevance(small, label="irrelevant"), version=1))
    assert [(each.key, each.version) for each in first.annotations] == [(str(small.passage(PLAIN)), 1)]
    assert second.annotations[0].version == 2
    assert list(records(small, "ann").values()) == [relevance(small, label="irrelevant")]
    assert records(small, "ben") == {}


def test_the_same_request_is_done_once(small: Small) -> None:
    ann, change = small.people["ann"], new(relevance(small))
    with small.database.write() as connection:
        first = save(connection, ann, small.query, ann.number, "once", [change])
    with small.database.write() as connection:
        again = save(connection, ann, small.query, ann.number, "once", [change])
        assert connection.execute(select(func.count()).select_from(tables.change)).scalar() == 1
    assert first == again


def test_a_request_of_another_query_is_refused(small: Small) -> None:
    ann, change = small.people["ann"], new(relevance(small))
    with small.database.write() as connection:
        save(connection, ann, small.query, ann.number, "once", [change])
        with pytest.raises(RuleBroken, match="used for another query"):
            save(connection, ann, small.material.queries["q2"], ann.number, "once", [])


def test_an_old_version_is_refused_and_both_versions_are_kept(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(relevance(small)))
    stale = [new(relevance(small, label="irrelevant")), new(nugget(small, (0, 9)), "n-1")]
    for _ in range(2):  # sent again, it is refused again and not kept twice
        with pytest.raises(Conflict) as conflict, small.database.write() as connection:
            save(connection, ann, small.query, ann.number, "late", stale)
        assert (conflict.value.current[0].version, conflict.value.current[0].record) == (1, relevance(small))
    assert list(records(small, "ann")) == [("relevance", str(small.passage(PLAIN)))]
    with small.database.read() as connection:
        past = history(connection, ann, small.query)
    assert [batch.refused for batch in past.batches] == [True, False]
    assert past.batches[0].changes[0].after == relevance(small, label="irrelevant")
    assert past.batches[0].changes[0].before == relevance(small)


def test_all_or_nothing(small: Small) -> None:
    good, bad = new(nugget(small, (0, 9)), "n-1"), new(nugget(small, (0, 900)), "n-2")
    with pytest.raises(RuleBroken), small.database.write() as connection:
        saved(connection, small.people["ann"], small.query, good, bad)
    assert records(small, "ann") == {}


def test_what_was_deleted_can_be_made_anew_by_a_page_that_never_saw_it(small: Small) -> None:
    ann, key = small.people["ann"], str(small.passage(PLAIN))
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(relevance(small)))
        saved(connection, ann, small.query, gone("relevance", key, 1))
        again = saved(connection, ann, small.query, new(relevance(small)))
    assert again.annotations[0].version == 3
    with small.database.write() as connection, pytest.raises(Conflict):
        saved(connection, ann, small.query, gone("relevance", key, 1))


def test_undo_walks_back_and_redo_walks_forward(small: Small) -> None:
    ann = small.people["ann"]
    place = "relevance", str(small.passage(PLAIN))
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(relevance(small)))
        saved(connection, ann, small.query, new(relevance(small, label="irrelevant"), version=1))
        first_undo = undo(connection, ann, small.query, ann.number, "u1")
        assert first_undo.annotations[0].record == relevance(small)
        second_undo = undo(connection, ann, small.query, ann.number, "u2")
        assert second_undo.annotations[0].record is None
        with pytest.raises(NothingToUndo):
            undo(connection, ann, small.query, ann.number, "u3")
        undo(connection, ann, small.query, ann.number, "r1", batch=second_undo.batch)
        redone = undo(connection, ann, small.query, ann.number, "r2", batch=first_undo.batch)
        assert redone.annotations[0].record == relevance(small, label="irrelevant")
        with pytest.raises(NothingToUndo):
            undo(connection, ann, small.query, ann.number, "r3", batch=first_undo.batch)
        undo(connection, ann, small.query, ann.number, "u4")
    assert records(small, "ann") == {place: relevance(small)}


def test_undo_is_refused_where_something_was_changed_since(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        first = saved(connection, ann, small.query, new(relevance(small)))
        saved(connection, ann, small.query, new(relevance(small, label="irrelevant"), version=1))
    with pytest.raises(Conflict), small.database.write() as connection:
        undo(connection, ann, small.query, ann.number, "u1", batch=first.batch)
    assert list(records(small, "ann").values()) == [relevance(small, label="irrelevant")]


def test_undo_is_refused_where_other_work_needs_it(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        first = saved(connection, ann, small.query, new(nugget(small, (0, 9)), "n-1"))
        nug = NugWork(description="storm", best="n-1", members=(NugMember(nugget="n-1"),))
        saved(connection, ann, small.query, new(nug, "g-1"))
        with pytest.raises(RuleBroken, match="member of nug g-1"):
            undo(connection, ann, small.query, ann.number, "u1", batch=first.batch)


def test_nobody_undoes_the_work_of_others(small: Small) -> None:
    with small.database.write() as connection:
        first = saved(connection, small.people["ann"], small.query, new(relevance(small)))
        ben = small.people["ben"]
        with pytest.raises(NotAllowed):
            undo(connection, ben, small.query, ben.number, "u1", batch=first.batch)
        with pytest.raises(NotAllowed):
            undo(connection, ben, small.query, small.people["ann"].number, "u2", batch=first.batch)


@pytest.mark.parametrize(
    ("name", "owner"), [("ann", 2), ("ann", 0), ("eva", 1), ("eva", 3), ("olga", 4), ("olga", 0), ("olga", 1)]
)
def test_everybody_writes_only_where_they_may(small: Small, name: str, owner: int) -> None:
    with small.database.write() as connection, pytest.raises(NotAllowed):
        saved(connection, small.people[name], small.query, new(relevance(small)), owner=owner)


def test_an_assessor_needs_the_assignment(small: Small) -> None:
    stranger = Somebody(99, "dan", "assessor")
    with small.database.write() as connection, pytest.raises(NotAllowed):
        saved(connection, stranger, small.query, new(relevance(small)))
    with small.database.write() as connection, pytest.raises(NotAllowed):
        saved(connection, small.people["ann"], 4, new(relevance(small)))


def test_deleting_a_nugget_takes_its_citation_checks_along_and_undo_brings_both_back(small: Small) -> None:
    ann, check = small.people["ann"], CitationWork(citation=small.citation, nugget="n-1", support="full")
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(nugget(small, (0, 9)), "n-1"), new(check))
        before = records(small, "ann")
        done = saved(connection, ann, small.query, gone("nugget", "n-1", 1))
        assert [each.kind for each in done.annotations] == ["nugget", "citation"]
        undo(connection, ann, small.query, ann.number, "u1")
    assert before == {}
    assert len(records(small, "ann")) == 2


def test_deleting_a_nug_takes_its_votes_along(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(NugWork(description="storm"), "g-1"))
        saved(connection, ann, small.query, new(VoteWork(nug="g-1", value="vital")))
        saved(connection, ann, small.query, gone("nug", "g-1", 1))
        assert layer(connection, small.query, ann.number) == []
        undo(connection, ann, small.query, ann.number, "u1")
    assert set(records(small, "ann")) == {("nug", "g-1"), ("vote", "g-1")}


def test_a_step_that_is_done_is_read_only_until_it_is_opened(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        set_step(connection, ann, small.query, ann.number, "relevance", done=True)
        with pytest.raises(RuleBroken, match="the step relevance is done; open it again"):
            saved(connection, ann, small.query, new(relevance(small)))
        saved(connection, ann, small.query, new(nugget(small, (0, 9)), "n-1"))
        set_step(connection, ann, small.query, ann.number, "relevance", done=False)
        saved(connection, ann, small.query, new(relevance(small)))


def test_nuggets_of_a_finished_step_may_be_revisited_but_not_added(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        nug = NugWork(description="storm", members=(NugMember(nugget="n-1"),))
        saved(connection, ann, small.query, new(nugget(small, (0, 20)), "n-1"), new(nug, "g-1"))
        for step in ("nuggets", "nugs"):
            set_step(connection, ann, small.query, ann.number, step, done=True)
        with pytest.raises(RuleBroken, match="the step nuggets is done"):
            saved(connection, ann, small.query, new(nugget(small, (0, 9), text=EMOJI), "n-9"))
        halves = [
            new(nugget(small, pair, revises=("n-1",), revision="split", reason="partly_supported"), key)
            for key, pair in (("n-2", (0, 9)), ("n-3", (10, 20)))
        ]
        members = (NugMember(nugget="n-2", degree=0.5), NugMember(nugget="n-3", degree=0.5))
        moved = NugWork(description="storm", members=members)
        saved(connection, ann, small.query, *halves, gone("nugget", "n-1", 1), new(moved, "g-1", 1))
        with pytest.raises(RuleBroken, match="the step nugs is done"):
            saved(connection, ann, small.query, new(NugWork(description="new"), "g-2"))
        undo(connection, ann, small.query, ann.number, "u1")
    assert set(records(small, "ann")) == {("nugget", "n-1"), ("nug", "g-1")}


def test_history_is_seen_by_those_who_may(small: Small) -> None:
    with small.database.write() as connection:
        saved(connection, small.people["ann"], small.query, new(relevance(small)))
        saved(connection, small.people["ben"], small.query, new(relevance(small)))
        of_ann = history(connection, small.people["ann"], small.query)
        assert [batch.name for batch in of_ann.batches] == ["ann"]
        assert [batch.name for batch in history(connection, small.people["eva"], small.query).batches] == ["ben", "ann"]
        with pytest.raises(NotAllowed):
            history(connection, small.people["ann"], small.query, owner=small.people["ben"].number)


def test_a_request_with_another_content_is_refused(small: Small) -> None:
    """Not answered as if it had been saved."""
    ann = small.people["ann"]
    with small.database.write() as connection:
        first = save(connection, ann, small.query, ann.number, "once", [new(relevance(small))])
        other = replace(new(relevance(small)), record=relevance(small, label="irrelevant"), version=1)
        with pytest.raises(RuleBroken, match="used for something else"):
            save(connection, ann, small.query, ann.number, "once", [other])
        with pytest.raises(RuleBroken, match="used for something else"):
            undo(connection, ann, small.query, ann.number, "once")
        assert save(connection, ann, small.query, ann.number, "once", [new(relevance(small))]) == first
