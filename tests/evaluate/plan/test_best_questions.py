"""The best next hour of a person: which questions are asked, in which order, and how a plan goes on."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from builders.planned import answered, asked, by_people, said, small_world
from karat.evaluate.plan import best_questions
from karat.evaluate.plan.best_questions import QuestionPlanning
from karat.evaluate.plan.open_questions import asked_people, write_open_questions
from karat.evaluate.plan.question_plan import BLOCK, QuestionPlan, mark_of, plan_text, read_plan, whole_blocks
from karat.judges.judge import judge_collection
from karat.model import Judgement, Nug, Response, UsageError
from karat.stats.intervals.sampled_pairs import chance_scales

WORLD, TRUTH = small_world()
VITAL = {name for name in TRUTH if name[2] != "n3"}


def planned(*more: Any, **options: Any) -> QuestionPlanning:
    settings: dict[str, Any] = {"minutes": 10, "judge": "lexical"} | options
    return karat.best_questions([*WORLD, *more], **settings)


def everything(*more: Any, **options: Any) -> QuestionPlan:
    return planned(*more, minutes=1000, **options).plan


def test_questions_are_about_what_counts_and_each_is_asked_once() -> None:
    planning = planned(minutes=1000)
    assert planning.measure == "strict_vital"
    assert sorted(asked(planning.plan)) == sorted(VITAL)
    assert planning.questions == planning.open_pairs == len(VITAL) == 120
    of_all = everything(measure="lenient_all")
    assert sorted(asked(of_all)) == sorted(TRUTH)


def test_questions_come_in_whole_blocks() -> None:
    assert [block.questions for block in everything(measure="strict_all").blocks] == [30, 30, 30, 30, 30, 10]
    assert [block.number for block in everything().blocks] == [1, 2, 3, 4]
    # Ten minutes at 20 seconds are one block; half a block is a block; 50 questions are nearer to two blocks.
    for minutes, seconds, questions in ((10, 20, 30), (1, 20, 30), (50, 60, 60), (1e5, 20, 120)):
        assert planned(minutes=minutes, seconds=seconds).questions == questions


def test_more_time_asks_the_same_questions_and_then_more() -> None:
    short, long = planned(minutes=10).plan, planned(minutes=30).plan
    assert long.blocks[: len(short.blocks)] == short.blocks
    assert short.plan == long.plan
    assert planned(minutes=10, seed=1).plan.blocks != short.blocks


def test_what_the_judge_is_unsure_of_comes_first() -> None:
    plan = everything()
    sizes = [[pair.size for pair in block.pairs] for block in plan.blocks]
    assert sum(sizes[0]) > sum(sizes[-1])
    assert [block.scale for block in plan.blocks] == sorted(block.scale for block in plan.blocks)
    # When everything is drawn, every chance is 1.
    assert plan.blocks[-1].scale * min(map(min, sizes)) == pytest.approx(1.0)
    judged = judge_collection(WORLD, judge="lexical").judgements
    doubt = {
        (one.query_id, one.run_id, one.nug_id): one.probabilities["1"] * (1 - one.probabilities["1"]) for one in judged
    }
    largest = max((pair for block in plan.blocks for pair in block.pairs), key=lambda pair: pair.size)
    assert doubt[largest.name] == pytest.approx(max(doubt[name] for name in VITAL), rel=1e-3)


def test_sizes_are_put_in_order_once_however_many_blocks_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered: list[int] = []

    def counted(sizes: Any) -> Any:
        ordered.append(len(sizes))
        return chance_scales(sizes)

    monkeypatch.setattr(best_questions, "chance_scales", counted)
    assert len(everything().blocks) == 4
    assert ordered == [120]


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    plan = planned().plan
    (tmp_path / "plan.json").write_text(plan_text(plan))
    assert read_plan(tmp_path / "plan.json") == plan
    written = json.loads((tmp_path / "plan.json").read_text())
    assert (written["kind"], written["v"], written["judge"]) == ("question_plan", 1, plan.judge)
    for part, value in (("size", 0), ("size", "large"), ("nug_id", None)):
        broken = json.loads((tmp_path / "plan.json").read_text())
        pair = broken["blocks"][0]["pairs"][0]
        pair[part] = value
        (tmp_path / "broken.json").write_text(json.dumps(broken))
        with pytest.raises(UsageError, match=rf"broken\.json: this is not a plan of a review .*{part}"):
            read_plan(tmp_path / "broken.json")
    (tmp_path / "broken.json").write_bytes(b'{"kind": "question_plan", "judge": "\xff"}')
    with pytest.raises(UsageError, match=r"broken\.json: this is not a plan of a review"):
        read_plan(tmp_path / "broken.json")


def test_planning_again_goes_on_in_the_same_order_and_asks_nothing_twice() -> None:
    whole = everything()
    first = planned(minutes=10).plan
    answers: list[Judgement] = answered(first, TRUTH)
    met = asked(first)
    for number in (2, 3, 4):
        again = planned(*answers)
        assert (again.plan.plan, again.answered, again.notes) == (whole.plan, len(answers), ())
        assert again.plan.blocks == whole.blocks[number - 1 : number]
        met += asked(again.plan)
        answers += answered(again.plan, TRUTH)
    assert sorted(met) == sorted(VITAL)
    done = planned(*answers)
    assert (done.questions, done.open_pairs) == (0, 0)
    assert done.notes == ("there is nothing to ask: people judged everything that counts",)
    assert [step.width for step in done.steps] == [0.0]


def test_an_unfinished_block_is_finished_first() -> None:
    whole = everything()
    answers = answered(whole, TRUTH, most=40)
    again = planned(*answers, minutes=10).plan
    assert [(block.number, block.questions, len(block.pairs)) for block in again.blocks] == [(2, 30, 20), (3, 30, 30)]
    assert asked(again) == asked(whole)[40:90]
    assert again.blocks[0].scale == whole.blocks[1].scale


def test_answers_that_nobody_could_decide_are_not_asked_again() -> None:
    whole = everything()
    unsure = {**TRUTH, asked(whole)[0]: None}
    again = everything(*answered(whole, unsure, blocks=1))
    assert asked(again) == asked(whole)[30:]


def test_labels_that_are_no_answers_are_known_and_not_asked() -> None:
    known = sorted(VITAL)[::3]
    planning = planned(*by_people(TRUTH, known), minutes=1000)
    assert sorted(asked(planning.plan)) == sorted(VITAL - set(known))
    assert (planning.answered, planning.open_pairs) == (0, 80)
    # They belong to the plan: with others it is another one.
    assert planning.plan.plan != everything().plan
    again = planned(*by_people(TRUTH, known), *answered(planning.plan, TRUTH, blocks=1), minutes=1000)
    assert (again.plan.plan, again.answered) == (planning.plan.plan, 30)
    assert asked(again.plan) == asked(planning.plan)[30:]


@pytest.mark.parametrize("other", [{"seed": 1}, {"measure": "lenient_vital"}, {"judge": "nuggeteer"}])
def test_answers_to_another_plan_are_known_and_a_new_plan_begins(other: dict[str, Any]) -> None:
    answers = answered(planned().plan, TRUTH)
    again = planned(*answers, minutes=1000, **other)
    assert sorted(asked(again.plan)) == sorted(VITAL - {(one.query_id, one.run_id, one.nug_id) for one in answers})
    assert again.notes == (
        "30 answers belong to a plan of other files, runs or settings: they count as known, and a new plan begins",
    )


def test_some_runs_only() -> None:
    planning = planned(minutes=1000, runs=["birch", "atlas"])
    assert {run_id for _, run_id, _ in asked(planning.plan)} == {"atlas", "birch"}
    assert (planning.questions, planning.plan.runs) == (48, ("atlas", "birch"))
    with pytest.raises(UsageError, match="there is no run 'zebra'; choose from atlas, birch, cedar, delta, ember"):
        planned(runs=["zebra"])


def test_an_empty_response_is_not_asked_about() -> None:
    records = [
        msgspec.structs.replace(record, snippets=())
        if isinstance(record, Response) and record.run_id == "atlas" and record.query_id == "q0"
        else record
        for record in WORLD
    ]
    plan = karat.best_questions(records, minutes=1000, judge="lexical").plan
    assert len(asked(plan)) == 117
    assert not any(name[:2] == ("q0", "atlas") for name in asked(plan))


def test_widths_are_expected_to_fall_and_a_width_asks_as_few_blocks_as_are_needed() -> None:
    steps = planned().steps
    assert [step.questions for step in steps] == [0, 30, 60, 120]
    assert [step.minutes for step in steps] == [0, 10, 20, 40]
    widths = [step.width for step in steps]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(0.0, abs=1e-6)
    assert all(step.difference_width == pytest.approx(step.width * 2**0.5) for step in steps)
    for width, questions in ((widths[1], 30), (widths[2], 60), (widths[2] - 0.02, 90), (1e-9, 120)):
        assert planned(minutes=None, width=width).questions == questions
    # Of the two, the one that is reached first.
    assert planned(minutes=10, width=1e-9).questions == 30
    assert planned(minutes=1000, width=widths[1]).questions == 30
    enough = planned(minutes=None, width=0.9)
    assert enough.questions == 0
    assert enough.notes == ("there is nothing to ask: intervals are expected to be so narrow already",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"minutes": None}, r"say how long you have \(minutes\), or how narrow intervals should become \(width\)"),
        ({"minutes": 0}, "minutes=0: give a number above 0"),
        ({"minutes": float("nan")}, "minutes=nan: give a number above 0"),
        ({"width": -0.1}, r"width=-0\.1: give a number above 0"),
        ({"seconds": 0}, "seconds=0: give a number above 0"),
        ({"measure": "F3"}, "F3 is not a sum over nugs.*choose a measure such as strict_vital"),
        ({"measure": "strict_vital,strict_all"}, "a plan is for one measure; choose one of strict_vital,strict_all"),
        ({"measure": "beauty"}, "no measure is called 'beauty'"),
        ({"judge": "oracle"}, "no judge is called 'oracle'"),
    ],
)
def test_what_cannot_be_planned(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned(**wrong)


def test_without_a_key_or_runs_there_is_nothing_to_ask() -> None:
    for kind in (Nug, Response):
        rest = [record for record in WORLD if not isinstance(record, kind)]
        with pytest.raises(UsageError, match="there is nothing to ask about: give a key and runs"):
            karat.best_questions(rest, minutes=10, judge="lexical")


def test_a_plan_for_other_files_is_refused_by_a_review() -> None:
    plan = planned().plan
    karat.review(WORLD, plan=plan, judge="lexical")
    records = list(WORLD)
    changed = [
        msgspec.structs.replace(record, descriptions=("Something else.",))
        if isinstance(record, Nug) and (record.query_id, record.nug_id) == ("q0", "n0")
        else record
        for record in records
    ]
    fewer = [record for record in records if getattr(record, "run_id", "") != "ember"]
    for other in (changed, fewer):
        with pytest.raises(UsageError, match="made for another key, or for other runs or queries; make it again"):
            karat.review(other, plan=plan, judge="lexical")


@pytest.mark.parametrize(
    "edit",
    [{"size": "large"}, {"size": 0}, {"scale": -1}, {"block": 0}, {"block": 1.5}, {"questions": 0}, {"plan": None}],
)
def test_a_mark_that_was_changed_by_hand_is_an_error_that_names_the_answer(edit: dict[str, Any]) -> None:
    first, *rest = answered(planned().plan, TRUTH)
    mark = first.extra["planned"] | edit
    changed = msgspec.structs.replace(first, extra={"planned": mark})
    where = f"query {first.query_id}, run {first.run_id}, nug {first.nug_id}: planned is not what `karat review --plan`"
    for use in (karat.score, partial(karat.best_questions, minutes=10)):
        with pytest.raises(UsageError, match=f"{where}.*delete the field"):
            use([*WORLD, changed, *rest], judge="lexical")


def test_whole_blocks_are_counted_from_the_first_on() -> None:
    plan = everything()
    marks = [mark for one in answered(plan, TRUTH) if (mark := mark_of(one)) is not None]
    assert len(marks) == 120
    for first, last, whole in ((0, 120, 4), (0, 119, 3), (0, 60, 2), (0, 29, 0), (0, 0, 0), (1, 120, 0)):
        assert whole_blocks(marks[first:last]) == whole
    assert mark_of(said(asked(plan)[0], 1.0)) is None


def test_what_a_cascade_leaves_to_people_is_planned(tmp_path: Path) -> None:
    cascade = asked_people("cascade(lexical,nuggeteer,human)")
    assert cascade is not None
    assert asked_people("lexical") is None
    assert asked_people("cascade(lexical,nuggeteer)") is None
    judged = judge_collection(WORLD, judge=str(cascade)).judgements
    number = write_open_questions(WORLD, judged, cascade, tmp_path / "ask.json")
    plan = read_plan(tmp_path / "ask.json")
    assert isinstance(plan, QuestionPlan)
    assert plan.questions == number
    assert number % BLOCK == 0
    # The cascade without people is a judge that can score with the answers.
    assert plan.judge.startswith("cascade(lexical(")
    assert "human" not in plan.judge
    scoring = karat.score([*WORLD, *answered(plan, TRUTH)], judge=plan.judge)
    assert "ci:ppi-pairs" in (scoring.of_all()[0].signature or "")
