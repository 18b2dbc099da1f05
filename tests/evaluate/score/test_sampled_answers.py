"""People answer the questions of a plan, a program judges everything: the scores are people's."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import pytest

import karat
from builders.planned import answered, asked, by_people, said, small_world
from karat.evaluate.plan.question_plan import QuestionPlan
from karat.evaluate.score.score import Scoring
from karat.model import Collection, Judgement, Score, UsageError

WORLD, TRUTH = small_world()
BOTH = "strict_vital,lenient_vital"


@cache
def plan() -> QuestionPlan:
    return karat.best_questions(WORLD, minutes=1000, judge="lexical").plan


def scored(*answers: Judgement, judge: str = "lexical", **options: Any) -> Scoring:
    return karat.score([*WORLD, *answers], judge=judge, **options)


def totals(scoring: Scoring) -> dict[tuple[str, str], Score]:
    return {(score.run_id, score.measure): score for score in scoring.of_all()}


@cache
def people() -> dict[tuple[str, str], float]:
    """People's scores, had they judged everything."""
    scoring = karat.score([*WORLD, *by_people(TRUTH)], measures=BOTH)
    return {name: score.value or 0.0 for name, score in totals(scoring).items()}


def is_corrected(scoring: Scoring) -> bool:
    return all("|ci:ppi-pairs|" in (score.signature or "") for score in scoring.scores)


def said_in(scoring: Scoring, words: str) -> bool:
    return any(words in note for note in scoring.notes)


@pytest.mark.parametrize("judge", ["lexical", "nuggeteer"])
def test_when_the_whole_plan_is_answered_the_scores_are_people_s(judge: str) -> None:
    scoring = scored(*answered(plan(), TRUTH), judge=judge)
    found = totals(scoring)
    assert {name: score.value for name, score in found.items()} == pytest.approx(people())
    for score in found.values():
        assert score.judge_low == pytest.approx(score.value, abs=1e-6)
        assert score.judge_high == pytest.approx(score.value, abs=1e-6)
        assert score.low is not None
        assert score.high is not None
        # Other queries would give other scores.
        assert score.low < (score.value or 0) < score.high
    of_queries = {
        (score.run_id, score.query_id, score.measure): score.value
        for score in karat.score([*WORLD, *by_people(TRUTH)], measures=BOTH).by_query()
    }
    assert {(one.run_id, one.query_id, one.measure): one.value for one in scoring.by_query()} == pytest.approx(
        of_queries
    )


def test_the_signature_and_the_fields_say_what_was_done() -> None:
    scoring = scored(*answered(plan(), TRUTH, blocks=2))
    assert is_corrected(scoring)
    for (run_id, _), score in totals(scoring).items():
        assert "|ci:ppi-pairs|labelled:60|ties:ppi-bonferroni|" in (score.signature or "")
        labelled = sum(name[1] == run_id for name in asked(plan())[:60])
        assert score.extra["labelled"] == labelled
        assert score.extra["judge_bias"] == pytest.approx(score.extra["judge_value"] - (score.value or 0))
        assert "labels_value" not in score.extra
    assert said_in(scoring, "people answered 60 of 120 questions that count, drawn by a plan")
    assert said_in(scoring, "strict_vital: judge without labels minus people: ")


def test_half_of_the_plan_gives_intervals_that_hold_people_s_scores() -> None:
    """Small: six worlds of five runs and two measures that go together."""
    held: list[bool] = []
    narrower: list[bool] = []
    for seed in range(6):
        world, truth = small_world(seed=20 + seed, wrong=0.25)
        drawn = karat.best_questions(world, minutes=20, judge="lexical", seed=seed).plan
        half = totals(karat.score([*world, *answered(drawn, truth)], judge="lexical", measures=BOTH))
        quarter = totals(karat.score([*world, *answered(drawn, truth, blocks=1)], judge="lexical", measures=BOTH))
        for name, score in totals(karat.score([*world, *by_people(truth)], measures=BOTH)).items():
            low, high = half[name].judge_low or 0.0, half[name].judge_high or 0.0
            held.append(low <= (score.value or 0.0) <= high)
            narrower.append(high - low < (quarter[name].judge_high or 0.0) - (quarter[name].judge_low or 0.0))
    assert sum(held) >= 0.88 * len(held)
    assert all(narrower)


def test_a_judge_that_is_far_too_generous_is_corrected() -> None:
    nothing = dict.fromkeys(TRUTH, 0.0)
    scoring = scored(*answered(plan(), nothing, blocks=2), measures="strict_vital")
    totals_of_runs = scoring.of_all()
    assert all((score.judge_low or 0.0) < 0.02 for score in totals_of_runs)
    assert all(score.extra["judge_value"] > 0.3 for score in totals_of_runs)
    assert sum(score.value or 0.0 for score in totals_of_runs) < 0.15 * sum(
        score.extra["judge_value"] for score in totals_of_runs
    )
    assert said_in(scoring, "strict_vital: judge without labels minus people: +")


def test_measures_that_the_plan_did_not_ask_about_are_named_and_left_out() -> None:
    scoring = scored(*answered(plan(), TRUTH, blocks=2))
    assert {score.measure for score in scoring.scores} == {"strict_vital", "lenient_vital"}
    assert said_in(
        scoring, "strict_all, lenient_all: not shown, because the plan asked only what counts in strict_vital"
    )
    only = scored(*answered(plan(), TRUTH, blocks=2), measures="strict_all")
    assert not is_corrected(only)
    assert said_in(only, "not used as such: the plan is for strict_vital, and does not help with strict_all")
    with_f = scored(*answered(plan(), TRUTH, blocks=2), measures="strict_vital,F3")
    assert said_in(with_f, "F3: not shown")
    of_all = karat.best_questions(WORLD, minutes=20, judge="lexical", measure="strict_all").plan
    assert {score.measure for score in scored(*answered(of_all, TRUTH)).scores} == {
        "strict_vital", "lenient_vital", "strict_all", "lenient_all",
    }  # fmt: skip


def test_an_unfinished_block_corrects_nothing_and_a_note_says_so() -> None:
    scoring = scored(*answered(plan(), TRUTH, most=70))
    assert said_in(scoring, "10 answers of an unfinished block: the judge learned from them, but they correct nothing")
    assert said_in(scoring, "people answered 60 of 120 questions")
    assert "|labelled:60|" in (scoring.of_all()[0].signature or "")
    labelled = {score.run_id: score.extra["labelled"] for score in scoring.of_all()}
    assert sum(labelled.values()) == 60
    too_few = scored(*answered(plan(), TRUTH, most=29))
    assert not is_corrected(too_few)
    assert said_in(too_few, "not used as such: 0 answers in whole blocks of the plan, and 30 are needed")


def test_labels_from_elsewhere_end_the_plan_until_it_is_made_again() -> None:
    answers = answered(plan(), TRUTH, blocks=2)
    more = by_people(TRUTH, asked(plan())[100:103])
    scoring = scored(*answers, *more)
    assert not is_corrected(scoring)
    assert said_in(scoring, "labels were added since the plan was made: plan again, and go on from there")
    plain = scored(*(msgspec.structs.replace(one, extra={}) for one in answers), *more)
    assert scoring.scores == plain.scores
    again = karat.best_questions([*WORLD, *answers, *more], minutes=20, judge="lexical").plan
    assert is_corrected(scored(*answers, *more, *answered(again, TRUTH)))


def test_labels_that_were_there_before_the_plan_are_part_of_it() -> None:
    known = by_people(TRUTH, sorted(name for name in TRUTH if name[2] == "n1")[:20])
    drawn = karat.best_questions([*WORLD, *known], minutes=1000, judge="lexical").plan
    scoring = scored(*known, *answered(drawn, TRUTH))
    assert {name: score.value for name, score in totals(scoring).items()} == pytest.approx(people())
    half = scored(*known, *answered(drawn, TRUTH, blocks=2))
    assert is_corrected(half)
    assert sum(score.extra["labelled"] for score in half.of_all() if score.measure == "strict_vital") == 80


@pytest.mark.parametrize("judge", ["nuggeteer", "rouge", "cascade(lexical,nuggeteer)"])
def test_any_judge_may_score_whichever_made_the_plan(judge: str) -> None:
    scoring = scored(*answered(plan(), TRUTH, blocks=3), judge=judge, measures="strict_vital")
    assert is_corrected(scoring)
    held = [
        (score.judge_low or 0.0) - 0.02 <= people()[name] <= (score.judge_high or 0.0) + 0.02
        for name, score in totals(scoring).items()
    ]
    assert sum(held) >= 4


def test_what_nobody_could_decide_is_counted_and_stays_with_the_judge() -> None:
    unsure = TRUTH | dict.fromkeys(asked(plan())[:3], None)
    scoring = scored(*answered(plan(), unsure), measures="strict_vital")
    assert said_in(scoring, "3 questions nobody could decide: the judge decides these")
    widths = {score.run_id: (score.judge_high or 0) - (score.judge_low or 0) for score in scoring.of_all()}
    undecided = {name[1] for name in asked(plan())[:3]}
    assert all((width > 0.01) == (run_id in undecided) for run_id, width in widths.items())
    # Also what was skipped before there was a plan.
    skipped = said(asked(plan())[0], None)
    drawn = karat.best_questions([*WORLD, skipped], minutes=20, judge="lexical").plan
    assert asked(plan())[0] not in asked(drawn)
    assert is_corrected(scored(skipped, *answered(drawn, TRUTH)))


def test_a_plan_for_some_runs_scores_these() -> None:
    drawn = karat.best_questions(WORLD, minutes=1000, judge="lexical", runs=["atlas", "ember"]).plan
    answers = answered(drawn, TRUTH)
    scoring = scored(*answers, measures="strict_vital")
    assert is_corrected(scoring)
    assert said_in(scoring, "other runs are not shown, because the plan asked only about atlas, ember")
    expected = {name: value for name, value in people().items() if name in totals(scoring)}
    assert {name: score.value for name, score in totals(scoring).items()} == pytest.approx(expected)
    assert {run_id for run_id, _ in expected} == {"atlas", "ember"}
    comparison = karat.compare([*WORLD, *answers], judge="lexical", measures="strict_vital", baseline="atlas")
    (difference,) = comparison.measures[0].differences
    assert difference.value == pytest.approx(people()["ember", "strict_vital"] - people()["atlas", "strict_vital"])
    other = karat.compare([*WORLD, *answers], judge="lexical", measures="strict_vital", runs=["atlas", "cedar"])
    assert any("the plan asked about atlas, ember, and not about cedar" in note for note in other.notes)
    assert len(other.measures[0].differences) == 1


def test_a_difference_is_from_the_answers_about_the_two_runs() -> None:
    answers = answered(plan(), TRUTH, blocks=2)
    found = totals(scored(*answers, measures="strict_vital"))
    comparison = karat.compare([*WORLD, *answers], judge="lexical", measures="strict_vital")
    (measure,) = comparison.measures
    assert "|ci:ppi-pairs|labelled:60|" in measure.signature
    assert len(measure.differences) == 10
    for pair in measure.differences:
        first, second = found[pair.run_id, "strict_vital"], found[pair.versus, "strict_vital"]
        # Scores borrow from other runs, and differences do not.
        assert pair.value == pytest.approx((first.value or 0) - (second.value or 0), abs=0.1)
        assert pair.value is not None
        assert pair.low is not None
        assert pair.high is not None
        assert pair.judge_low is not None
        assert pair.judge_high is not None
        assert pair.low < pair.judge_low < pair.value < pair.judge_high < pair.high
        widths = [(score.judge_high or 0) - (score.judge_low or 0) for score in (first, second)]
        # What runs share cancels; the rest adds up.
        assert max(widths) * 0.5 < pair.judge_high - pair.judge_low <= sum(widths)


def test_answers_for_other_files_are_ordinary_labels() -> None:
    answers = answered(plan(), TRUTH, blocks=2)
    fewer = Collection(record for record in WORLD if getattr(record, "run_id", "") != "ember")
    kept = [one for one in answers if one.run_id != "ember"]
    scoring = karat.score([*fewer, *kept], judge="lexical")
    assert not is_corrected(scoring)
    assert said_in(scoring, "not used as such: the plan was made for another key, or for other runs")


def edited(answers: list[Judgement], **fields: Any) -> list[Judgement]:
    return [msgspec.structs.replace(one, extra={"planned": one.extra["planned"] | fields}) for one in answers]


def test_chances_that_do_not_fit_the_judge_are_not_used() -> None:
    answers = answered(plan(), TRUTH, blocks=2)
    for wrong in (edited(answers, scale=1e6), [*edited(answers[:1], size=0.5), *answers[1:]]):
        scoring = scored(*wrong)
        assert not is_corrected(scoring)
        assert said_in(scoring, "the judge gives other scores than when the plan was made")
    assert said_in(scored(*edited(answers, judge="oracle")), "the plan is by a judge that is not there: no judge is")
    with pytest.raises(UsageError, match="do not agree about what it was made from: the field planned was changed"):
        scored(*edited(answers[:5], judge="nuggeteer"), *answers[5:])


def test_scores_over_a_pool_of_queries_are_not_corrected() -> None:
    scoring = scored(*answered(plan(), TRUTH, blocks=2), average="pool", measures="strict_vital")
    assert not is_corrected(scoring)
    assert said_in(scoring, "not used as such: not with average=pool")
