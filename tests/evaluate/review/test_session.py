"""`karat.review`: a review in a program."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from karat.evaluate.review.questions import Question
from karat.model import Judgement, Nug, UsageError

KEY, _, RUNS = karat.demo_files()


def test_questions_come_one_after_the_other_and_have_to_be_answered() -> None:
    review = karat.review(KEY, RUNS, limit=3, measure="strict_vital")
    pairs = []
    for question in review:
        pairs.append(question.pair)
        review.answer(1)
    assert len(set(pairs)) == review.answered == len(pairs)
    assert repr(review) == f"<Review answered: {len(pairs)}, to come: 0>"
    review = karat.review(KEY, RUNS, limit=3, measure="strict_vital")
    with pytest.raises(UsageError, match=r"has no answer yet.* answer\(None\)"):
        for _question in review:
            pass


def test_a_nug_that_is_added_leaves_the_question_open() -> None:
    review = karat.review(KEY, RUNS, limit=1, measure="strict_vital")
    seen = []
    for question in review:
        seen.append(question.pair)
        if len(seen) == 1:
            review.add_nug("Bees sleep at night.", "okay")
        else:
            review.answer(0)
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert [type(record) for record in review.answers()] == [Nug, Judgement, Judgement]


def test_a_function_answers_all() -> None:
    def decide(question: Question) -> float | None:
        return 1.0 if question.probability > 0.5 else None

    review = karat.review(KEY, RUNS, queries=["q1"], runs=["atlas"], measure="strict_vital")
    review.answer_all(decide)
    assert review.to_come() == 0


def test_answers_are_saved_and_not_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    review = karat.review(KEY, RUNS, save=path, limit=2, measure="strict_vital")
    first = review.next()
    assert first is not None
    review.answer(1)
    review.answer(0)
    review.undo()
    assert [judgement.degree for judgement in karat.load(path).judgements] == [1.0]
    again = karat.review(KEY, RUNS, path, save=path, limit=1, measure="strict_vital")
    question = again.next()
    assert question is not None
    assert question.pair != first.pair
    scoring = karat.score(KEY, RUNS, path, judge="lexical", measures="strict_vital")
    assert scoring.scores == karat.score(KEY, RUNS, review.answers(), judge="lexical", measures="strict_vital").scores


def test_an_input_is_not_the_file_for_the_answers(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    karat.write(RUNS, run)
    before = run.read_bytes()
    with pytest.raises(UsageError, match=r"save=.* is one of the inputs"):
        karat.review(KEY, run, save=run)
    assert run.read_bytes() == before
