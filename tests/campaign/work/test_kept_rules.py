"""What others rely on is kept: passages of nuggets, keys, categories, nugs that people voted on, finished steps."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from builders.campaign_place import PLAIN, STORM, Small
from builders.campaigns import gone, new, saved
from karat.campaign.material.settings import change_settings
from karat.campaign.material.templates import save_template
from karat.campaign.results.export import export_records, skipped_lines
from karat.campaign.store import tables
from karat.campaign.work.annotations import encode_work
from karat.campaign.work.changes import save
from karat.campaign.work.errors import RuleBroken
from karat.campaign.work.payloads import NuggetWork, NugMember, NugWork, VoteWork
from karat.campaign.work.steps import set_step
from karat.campaign.work.task_data import task_data
from karat.campaign.work.task_data.documents import visible_document
from karat.model import Nugget, Query, SpanSet, Template, UsageError, encode_record


def nugget(small: Small, text: str = STORM, **more: object) -> NuggetWork:
    return NuggetWork(passage=small.passage(text), spans=SpanSet([(0, 9)]), **more)  # type: ignore[arg-type]


def test_a_nugget_stays_in_its_passage(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(nugget(small), "n-1"))
        with pytest.raises(RuleBroken, match="stays in its passage"):
            saved(connection, ann, small.query, new(nugget(small, PLAIN), "n-1", version=1))


@pytest.mark.parametrize("key", ["key:5", "suggestion:1", "a:b"])
def test_new_keys_name_nothing_else(small: Small, key: str) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        for record in (nugget(small), NugWork(description="x")):
            with pytest.raises(RuleBroken, match="no colon"):
                saved(connection, ann, small.query, new(record, key))


def test_a_category_is_one_of_the_template(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        template = Template(template_id="t", description="d", categories={"who": "persons", "when": "times"})
        save_template(connection, template)
        record = encode_record(Query(query_id="q1", text="What?", template="t")).decode()
        here = tables.query.c.number == small.query
        connection.execute(tables.query.update().where(here).values(record=record))
        saved(connection, ann, small.query, new(nugget(small, category="who"), "n-1"))
        with pytest.raises(RuleBroken, match="the category is why; choose from who, when"):
            saved(connection, ann, small.query, new(nugget(small, category="why"), "n-2"))


def test_a_suggestion_of_another_passage_is_not_corrected(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        suggested = {"number": 77, "query": small.query, "kind": "nugget", "passage": small.passage(STORM)}
        connection.execute(insert(tables.suggestion).values(**suggested, record=encode_work(nugget(small))))
        wrong = nugget(small, PLAIN, source="corrected", revises=("suggestion:77",))
        with pytest.raises(RuleBroken, match="is in another passage"):
            saved(connection, ann, small.query, new(wrong, "n-1"))
        right = nugget(small, source="corrected", revises=("suggestion:77",))
        saved(connection, ann, small.query, new(right, "n-1"))


def test_an_adjudicated_nug_with_votes_is_not_deleted_and_lost_votes_are_counted(small: Small) -> None:
    from collections import Counter

    eva, ann = small.people["eva"], small.people["ann"]
    with small.database.write() as connection:
        change_settings(connection, {"steps": ["nugs", "votes"]})
        saved(connection, eva, small.query, new(NugWork(description="A storm came."), "g-1"), owner=0)
        set_step(connection, eva, small.query, 0, "nugs", done=True)
        saved(connection, ann, small.query, new(VoteWork(nug="g-1", value="vital")))
        skipped = Counter[str]()
        list(export_records(connection, skipped=skipped))
        assert skipped_lines(skipped) == []
        set_step(connection, eva, small.query, 0, "nugs", done=False)
        with pytest.raises(RuleBroken, match="1 vote or judgement of ann"):
            saved(connection, eva, small.query, gone("nug", "g-1", 1), owner=0)
        list(export_records(connection, skipped=skipped))
        assert skipped_lines(skipped)[0].startswith("left out: 1 vote about nugs that are not in the export")


def test_a_revised_nugget_does_not_open_votes_that_are_done(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        nug = NugWork(description="A storm came.", members=(NugMember(nugget="n-1"),))
        saved(connection, ann, small.query, new(nugget(small), "n-1"), new(nug, "g-1"))
        saved(connection, ann, small.query, new(VoteWork(nug="g-1", value="vital")))
        set_step(connection, ann, small.query, 1, "votes", done=True)
        longer = NuggetWork(passage=small.passage(STORM), spans=SpanSet([(0, 12)]), revision="extended")
        changes = [new(longer, "n-1", version=1), new(VoteWork(nug="g-1", value="okay"), version=1)]
        with pytest.raises(RuleBroken, match="the step votes is done"):
            save(connection, ann, small.query, 1, "r", changes)
        saved(connection, ann, small.query, changes[0])


def test_the_scale_stays_while_there_are_votes(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        change_settings(connection, {"vote_scale": "graded"})
        saved(connection, ann, small.query, new(NugWork(description="A storm came."), "g-1"))
        saved(connection, ann, small.query, new(VoteWork(nug="g-1", value=0.5)))
        with pytest.raises(UsageError, match=r"people have voted already \(1 vote\)"):
            change_settings(connection, {"vote_scale": "vital"})


def test_assessors_see_no_names_that_a_system_gave(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        record = '{"doc_id": "doc1", "citation_id": "my-system-7"}'
        here = tables.citation.c.number == small.citation
        connection.execute(tables.citation.update().where(here).values(record=record))
        document = '{"kind": "document", "doc_id": "doc1", "text": "t", "found_by": "my-system"}'
        connection.execute(tables.document.update().values(record=document))
        data = task_data(connection, ann, small.query, "citations")
        shown = [citation.citation_id for passage in data.passages for citation in passage.citations]
        assert shown == ["c1", "c2"]
        number = connection.execute(tables.document.select()).one().number
        assert "my-system" not in str(visible_document(connection, ann, number))


def test_a_revision_of_what_is_not_exported_is_not_named(small: Small) -> None:
    ann = small.people["ann"]
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(nugget(small), "n-1"))
        joined = nugget(small, revises=("n-1",), revision="joined")
        saved(connection, ann, small.query, gone("nugget", "n-1", 1), new(joined, "n-2"))
        (record,) = (each for each in export_records(connection) if isinstance(each, Nugget))
        assert (record.revises, record.revision) == ((), None)
