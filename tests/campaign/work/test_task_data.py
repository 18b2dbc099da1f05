from __future__ import annotations

import msgspec
import pytest
from sqlalchemy import insert, update

from builders.campaign_place import EMOJI, OTHER, PLAIN, STORM, Small
from builders.campaigns import add_material, alone, new, saved
from karat.campaign.store import tables
from karat.campaign.work.annotations import encode_work
from karat.campaign.work.errors import NotAllowed
from karat.campaign.work.payloads import JudgementWork, NuggetWork, NugMember, NugWork, RelevanceWork
from karat.campaign.work.steps import set_step
from karat.campaign.work.task_data import TaskData, task_data
from karat.model import SpanSet


def shown(small: Small, name: str, step: str, **more: int) -> TaskData:
    with small.database.read() as connection:
        return task_data(connection, small.people[name], small.query, step, **more)


def test_passages_come_once_in_the_order_of_unnamed_answers(small: Small) -> None:
    data = shown(small, "ann", "relevance")
    assert [passage.text for passage in data.passages] == [STORM, EMOJI, PLAIN, OTHER]
    assert [answer.label for answer in data.answers] == ["Answer 1", "Answer 2"]
    assert data.answers[1].passages == tuple(small.passage(text) for text in (EMOJI, OTHER, EMOJI))
    assert data.passages[3].scope == 0
    assert data.passages[0].scope == len(STORM)
    assert data.passages[0].origin == "translation"


def test_no_run_and_nobody_elses_work_is_in_it(small: Small) -> None:
    with small.database.write() as connection:
        for name in ("ann", "ben"):
            note = RelevanceWork(passage=small.passage(PLAIN), label="relevant", note=f"by {name}")
            nugget = NuggetWork(passage=small.passage(STORM), spans=SpanSet([(0, 9)]), note=f"by {name}")
            saved(connection, small.people[name], small.query, new(note), new(nugget, "n-1"))
    for step in ("relevance", "nuggets", "nugs", "citations", "votes", "judging"):
        text = msgspec.json.encode(shown(small, "ann", step)).decode()
        assert "alpha" not in text
        assert "beta" not in text
        assert "by ben" not in text


def test_layers_are_seen_by_those_who_may(small: Small) -> None:
    assert shown(small, "ann", "nuggets").editable
    assert shown(small, "eva", "nuggets").editable
    assert shown(small, "eva", "nuggets").owner == 0
    assert not shown(small, "eva", "nuggets", owner=1).editable
    assert not shown(small, "olga", "nuggets", owner=1).editable
    for step, owner in (("nuggets", 2), ("nuggets", 0), ("nothing", 1)):
        with pytest.raises(NotAllowed):
            shown(small, "ann", step, owner=owner)
    with small.database.write() as connection:
        set_step(connection, small.people["ann"], small.query, 1, "nuggets", done=True)
    assert (shown(small, "ann", "nuggets").done, shown(small, "ann", "nuggets").editable) == (True, False)


def test_the_source_stands_beside_a_translation(small: Small) -> None:
    passage = shown(small, "ann", "citations").passages[0]
    assert passage.source is not None
    assert passage.source.language == "ar"
    assert "العاصفة" in passage.source.text
    assert [(citation.doc_id, citation.title) for citation in passage.citations] == [("doc1", "News"), ("doc2", None)]
    assert passage.citations[0].chunk == SpanSet([(0, 30)])
    assert passage.citations[1].document is None


def test_similar_nuggets_same_words_first_and_not_those_of_one_nug(small: Small) -> None:
    """n-3 holds the text of all others of its passage, so it is similar to none; n-5 has the text of n-1."""
    storm = {"n-1": (0, 20), "n-2": (4, 30), "n-3": (0, 30), "n-5": (0, 20)}
    spans = {**{key: (STORM, pair) for key, pair in storm.items()}, "n-4": (PLAIN, (0, 6))}
    with small.database.write() as connection:
        changes = [
            new(NuggetWork(passage=small.passage(text), spans=SpanSet([pair])), key)
            for key, (text, pair) in spans.items()
        ]
        saved(connection, small.people["ann"], small.query, *changes)
    pairs = [(pair.nuggets, pair.score) for pair in shown(small, "ann", "nugs").similar]
    assert pairs == [(("n-1", "n-5"), 1.0), (("n-1", "n-2"), 0.857), (("n-2", "n-5"), 0.857)]
    with small.database.write() as connection:
        members = tuple(NugMember(nugget=key, degree=0.5) for key in ("n-1", "n-2"))
        saved(connection, small.people["ann"], small.query, new(NugWork(description="storm", members=members), "g-1"))
    data = shown(small, "ann", "nugs")
    assert ("n-1", "n-2") not in [pair.nuggets for pair in data.similar]
    assert [passage.text for passage in data.passages] == [STORM, PLAIN]


def suggest_judgement(small: Small, response: int, nug: str, degree: float, details: str = "{}") -> int:
    number = 5000 + response + int(degree * 100)
    record = JudgementWork(response=response, nug=nug, degree=degree)
    with small.database.write() as connection:
        connection.execute(
            insert(tables.suggestion).values(
                number=number, query=small.query, kind="judgement", response=response, record=encode_work(record),
                details=details,
            )
        )  # fmt: skip
    return number


def test_pairs_come_least_certain_first_and_the_judge_speaks_after_the_assessor(small: Small) -> None:
    ann = small.people["ann"]
    alpha, beta = (small.material.responses["q1", run] for run in ("alpha", "beta"))
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(NugWork(description="storm"), "g-1"))
        saved(connection, ann, small.query, new(NugWork(description="ships"), "g-2"))
    suggest_judgement(small, alpha, "g-1", 0.9)
    unsure = suggest_judgement(small, beta, "g-1", 1.0, '{"probabilities": {"0": 0.4, "1": 0.6}}')
    data = shown(small, "ann", "judging")
    assert [(pair.response, pair.nug, pair.uncertainty) for pair in data.pairs] == [
        (alpha, "g-2", 1.0), (beta, "g-2", 1.0), (beta, "g-1", 0.8), (alpha, "g-1", 0.2),
    ]  # fmt: skip
    assert data.suggestions == ()
    with small.database.write() as connection:
        saved(connection, ann, small.query, new(JudgementWork(response=beta, nug="g-1", degree=0.0)))
    assert [suggestion.number for suggestion in shown(small, "ann", "judging").suggestions] == [unsure]
    with small.database.write() as connection:
        connection.execute(insert(tables.setting).values(name="show_suggestion", value='"before"'))
    assert len(shown(small, "ann", "judging").suggestions) == 2
    with small.database.write() as connection:
        connection.execute(
            update(tables.setting).where(tables.setting.c.name == "show_suggestion").values(value='"never"')
        )
    assert shown(small, "ann", "judging").suggestions == ()


OPEN_LATER = "Votes open when eva has adjudicated this query."


def test_who_votes_is_not_told_the_importance(small: Small) -> None:
    with small.database.write() as connection:
        nug = NugWork(description="storm", importance="vital")
        saved(connection, small.people["ann"], small.query, new(nug, "g-1"))
    waiting = shown(small, "ann", "votes")
    assert (waiting.key, waiting.editable, waiting.waits) == ((), False, OPEN_LATER)
    assert [step.step for step in waiting.steps if step.waits] == ["votes"]
    with small.database.write() as connection, alone(connection, small.people["ann"], small.query):
        data = task_data(connection, small.people["ann"], small.query, "votes")
    assert (data.editable, data.waits) == (True, None)
    assert [(nug.key, nug.descriptions, nug.importance) for nug in data.key] == [("g-1", ("storm",), None)]
    assert data.passages == ()


def test_many_passages_are_paged(small: Small) -> None:
    texts = [f"Sentence number {number}." for number in range(120)]
    with small.database.write() as connection:
        made = add_material(connection, {"q9": {"gamma": list(texts)}}, first=9000)
        connection.execute(
            insert(tables.assignment).values(query=made.queries["q9"], account=small.people["ann"].number, assigned=0.0)
        )
        first, last = (
            task_data(connection, small.people["ann"], made.queries["q9"], "relevance", page=page) for page in (1, 99)
        )
    assert (first.page, first.pages, len(first.passages)) == (1, 3, 50)
    assert (last.page, [passage.text for passage in last.passages]) == (3, texts[100:])


def test_types_come_with_their_meaning(small: Small) -> None:
    data = shown(small, "ann", "nuggets")
    assert data.type_meanings["PER"] == "a person who takes part"
    assert set(data.type_meanings) <= set(data.types)
