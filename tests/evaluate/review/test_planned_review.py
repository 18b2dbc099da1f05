"""A review that asks what a plan of questions lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from builders.planned import asked, said, small_world
from karat.evaluate.plan.question_plan import Block, QuestionPlan, mark_of, plan_text
from karat.evaluate.plan.random_part import draw_part
from karat.evaluate.review.review import Review
from karat.model import Judgement, Response, UsageError
from karat.model.wording import natural

WORLD, TRUTH = small_world(queries=4)
PLAN = karat.best_questions(WORLD, minutes=1000, judge="lexical").plan
Name = tuple[str, str, str]


def review_of(*more: Any, plan: QuestionPlan = PLAN, **options: Any) -> Review:
    return karat.review([*WORLD, *more], judge="lexical", plan=plan, **options)


def name_of(review: Review) -> Name:
    question = review.next()
    assert question is not None
    return question.pair.query_id, question.pair.run_id, question.pair.nug_id


def walked(review: Review, degree: float | None = 1.0) -> list[Name]:
    names = []
    while review.next() is not None:
        names.append(name_of(review))
        review.answer(degree)
    return names


def by_response(block: Block) -> list[Name]:
    return sorted((pair.name for pair in block.pairs), key=lambda name: tuple(map(natural, name)))


def test_questions_come_block_by_block_and_within_a_block_answer_by_answer() -> None:
    assert walked(review_of()) == [name for block in PLAN.blocks for name in by_response(block)]
    assert len(PLAN.blocks) == 2


def test_every_answer_says_to_which_plan_and_block_it_belongs(tmp_path: Path) -> None:
    review = review_of(save=tmp_path / "mine.jsonl")
    review.answer_all(lambda question: TRUTH[question.pair.query_id, question.pair.run_id, question.pair.nug_id])
    blocks = {pair.name: (block, pair.size) for block in PLAN.blocks for pair in block.pairs}
    saved = karat.load(tmp_path / "mine.jsonl").judgements
    assert len(saved) == PLAN.questions == 60
    for judgement in saved:
        mark = mark_of(judgement)
        assert mark is not None
        block, size = blocks[judgement.query_id, judgement.run_id, judgement.nug_id]
        assert (mark.plan, mark.judge, mark.measure) == (PLAN.plan, PLAN.judge, "strict_vital")
        assert (mark.block, mark.questions, mark.scale, mark.size) == (block.number, 30, block.scale, size)
    # What was saved is all that scoring needs.
    scoring = karat.score(WORLD, tmp_path / "mine.jsonl", judge="lexical")
    assert "|ci:ppi-pairs|labelled:60|" in (scoring.of_all()[0].signature or "")


def test_the_same_text_in_two_runs_is_asked_about_in_both() -> None:
    texts = {record.query_id: record.snippets for record in WORLD.responses if record.run_id == "atlas"}
    twins = [
        msgspec.structs.replace(record, snippets=texts[record.query_id])
        if isinstance(record, Response) and record.run_id == "birch"
        else record
        for record in WORLD
    ]
    plan = karat.best_questions(twins, minutes=1000, judge="lexical").plan
    review = karat.review(twins, judge="lexical", plan=plan)
    assert sorted(walked(review)) == sorted(asked(plan))
    assert len(review.answers()) == 60
    assert all(isinstance(one, Judgement) and mark_of(one) is not None for one in review.answers())


def test_undo_asks_again(tmp_path: Path) -> None:
    review = review_of(save=tmp_path / "mine.jsonl")
    first = name_of(review)
    review.answer(1.0)
    second = name_of(review)
    review.answer(None)
    assert (review.answered, review.to_come()) == (2, 58)
    review.undo()
    assert name_of(review) == second
    review.undo()
    assert (name_of(review), review.answered, review.to_come()) == (first, 0, 60)
    assert karat.review(WORLD, judge="lexical", plan=PLAN, save=tmp_path / "mine.jsonl").to_come() == 60


def test_blocks_left_are_counted_down() -> None:
    review = review_of()
    seen = []
    while review.next() is not None:
        seen.append(review.blocks_left())
        review.answer(0.0)
    assert seen == [2] * 30 + [1] * 30
    assert review.blocks_left() == 0
    review.undo()
    assert review.blocks_left() == 1
    assert karat.review(WORLD, judge="lexical", limit=2).blocks_left() is None


def test_started_again_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    review = review_of(save=tmp_path / "mine.jsonl")
    order = [name for block in PLAN.blocks for name in by_response(block)]
    for _ in range(10):
        review.answer(0.5)
    review.answer(None)
    again = review_of(save=tmp_path / "mine.jsonl")
    assert (name_of(again), again.to_come()) == (order[11], 49)
    # What was skipped is asked again if the user says so.
    assert name_of(review_of(save=tmp_path / "mine.jsonl", skipped=True)) == order[10]


def test_what_people_judged_elsewhere_is_not_asked() -> None:
    name = asked(PLAN)[0]
    assert name not in walked(review_of(said(name, 1.0)))


@pytest.mark.parametrize("narrowed", [{"runs": ["atlas"]}, {"queries": ["q1"]}, {"limit": 3}, {"threshold": 0.5}])
def test_what_would_make_a_random_part_a_chosen_one_is_refused(narrowed: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="as it was drawn: without --threshold, --run, --query and --limit"):
        review_of(**narrowed)


def test_a_part_of_whole_queries_may_be_asked_about_one_run() -> None:
    part = draw_part(WORLD, 3)
    review = karat.review(WORLD, judge="lexical", plan=part, runs=["atlas"])
    assert {(query_id, run_id) for query_id, run_id, _ in walked(review)} == {(name, "atlas") for name in part.queries}


def test_nothing_is_added_to_the_key(tmp_path: Path) -> None:
    review = review_of(save=tmp_path / "mine.jsonl")
    with pytest.raises(UsageError, match="nothing is added to the key while a random part is labelled"):
        review.add_nug("Leaves are red.", "vital")
    question = review.next()
    assert question is not None
    words = review.response(question.pair).snippets[0].text[:20]
    step = review.add_description(words)
    assert step is not None
    assert (step.nug, step.judgement.degree) == (None, 1.0)
    assert mark_of(step.judgement) is not None
    assert not (tmp_path / "mine.nugs.jsonl").exists()


def test_a_plan_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(plan_text(PLAN))
    review = karat.review(WORLD, judge="nuggeteer", plan=tmp_path / "plan.json")
    assert review.to_come() == 60
