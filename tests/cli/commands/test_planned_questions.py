"""The best next hour of a person on the command line: `plan --review --minutes`, `judge --ask`, `review --plan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders.planned import small_world
from cli.running import Outcome, karat_here
from karat.evaluate.plan.question_plan import QuestionPlan, read_plan
from karat.formats import load, write
from karat.model import Response

FILES = ("key.jsonl", "runs.jsonl")
PLAN = ("plan", *FILES, "--review", "--judge", "lexical")
ASK = ("judge", *FILES, "--judge", "cascade(lexical,human)")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    world, _ = small_world(queries=4)
    write((record for record in world if not isinstance(record, Response)), "key.jsonl")
    write(world.responses, "runs.jsonl")


def plan_in(file: str) -> QuestionPlan:
    plan = read_plan(file)
    assert isinstance(plan, QuestionPlan)
    return plan


def reviewed(keys: str, *options: str) -> Outcome:
    return karat_here(
        "review", *FILES, "--plan", "plan.json", "-o", "mine.jsonl", "--judge", "lexical", *options, stdin=keys.encode()
    )


def test_a_plan_is_all_that_is_printed_and_the_rest_is_said() -> None:
    done = karat_here(*PLAN, "--minutes", "10")
    assert done.code == 0, done.err
    assert len(done.lines) == 1
    written = json.loads(done.text)
    assert (written["kind"], written["measure"]) == ("question_plan", "strict_vital")
    assert [len(block["pairs"]) for block in written["blocks"]] == [30]
    said = done.err.splitlines()
    assert said[0] == (
        "30 questions in 1 block, about 10 minutes at 20 seconds each; 60 judgements that count in strict_vital are "
        "still open"
    )
    assert ["10", "30"] in [line.split()[:2] for line in said]
    assert "next: karat review KEY RUN... --plan FILE -o mine.jsonl" in said
    assert "then: karat score KEY RUN... mine.jsonl --judge lexical" in said
    assert all(len(line) <= 80 for line in said[1:])


def test_a_file_is_written_and_runs_measures_and_seconds_are_heeded() -> None:
    done = karat_here(
        *PLAN,
        "--minutes",
        "60",
        "--seconds",
        "60",
        "--runs",
        "birch,atlas",
        "--measures",
        "strict_all",
        "-o",
        "plan.json",
    )
    assert (done.code, done.text) == (0, "")
    plan = plan_in("plan.json")
    # 60 questions in an hour; these two runs have 32.
    assert (plan.runs, plan.measure, plan.questions) == (("atlas", "birch"), "strict_all", 32)
    assert "about 32 minutes at 60 seconds each" in done.err


def test_a_judge_with_brackets_is_quoted_for_the_shell() -> None:
    done = karat_here("plan", *FILES, "--review", "--minutes", "10", "--judge", "cascade(lexical,nuggeteer)")
    assert "mine.jsonl --judge 'cascade(lexical,nuggeteer)'" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plan", *FILES, "--review"), "--review: say how long you have, with --minutes 60"),
        (("plan", *FILES, "--minutes", "10"), "--minutes and --width plan a review: say --review, too."),
        (("plan", *FILES, "--width", "0.1"), "--minutes and --width plan a review: say --review, too."),
        (("plan", *FILES, "--review", "3", "--minutes", "10"), "--review 3 draws whole queries"),
        (("plan", *FILES, "--review", "3", "--runs", "atlas,birch"), "--review 3 draws whole queries"),
        (("plan", "--review", "--minutes", "10"), "give their files"),
        ((*PLAN, "--minutes", "10", "--sd", "0.2"), "without --difference and --sd"),
        ((*PLAN, "--minutes", "0"), "minutes=0: give a number above 0"),
        ((*PLAN, "--minutes", "soon"), "'soon' is not a valid float"),
        ((*PLAN, "--minutes", "10", "--measures", "F3"), "F3 is not a sum over nugs"),
        (
            (*PLAN, "--minutes", "10", "--runs", "atlas,zebra"),
            "there is no run 'zebra' (did you mean ember?); choose from atlas, birch",
        ),
        (("judge", *FILES, "--judge", "cascade(lexical,human)"), "say where to write the questions for them: --ask"),
        (("judge", *FILES, "--judge", "lexical", "--ask", "ask.json"), "name them as the last level"),
        ((*ASK, "--ask", "-"), "--ask -: name a file of its own for the questions"),
        ((*ASK, "--ask", "out.jsonl"), r"--ask out.jsonl: name a file of its own for the questions"),
        ((*ASK, "--ask", "key.jsonl"), "--ask key.jsonl: is one of the inputs; name another file"),
        ((*ASK, "--ask", "nowhere/ask.json"), "--ask nowhere/ask.json: there is no folder nowhere"),
    ],
)
def test_mistakes_are_named_and_nothing_is_written(arguments: tuple[str, ...], message: str) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    done = karat_here(*arguments, *(["-o", "out.jsonl"] if arguments[0] == "judge" else []))
    assert (done.code, done.text) == (2, "")
    assert message in done.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plan", "key.jsonl", "--review", "--minutes", "10"), "there is nothing to ask about: give a key and runs"),
        (("review", *FILES, "--plan", "runs.jsonl"), "runs.jsonl: this is not a plan of a review"),
        (("review", *FILES, "--plan", "nowhere.json"), "nowhere.json"),
    ],
)
def test_files_that_do_not_fit_are_named(arguments: tuple[str, ...], message: str) -> None:
    done = karat_here(*arguments)
    assert (done.code, done.text) == (3, "")
    assert message in done.err


def test_a_cascade_lists_what_is_left_for_people_and_may_do_so_again() -> None:
    for _ in range(2):
        done = karat_here(*ASK, "--ask", "ask.json", "-o", "judged.jsonl")
        assert (done.code, done.text) == (0, ""), done.err
    plan = plan_in("ask.json")
    assert f"{plan.questions} questions for people in ask.json: `karat review KEY RUN... --plan ask.json" in done.err
    assert "level 1, lexical: asked about 80 judgements" in done.err
    assert len(load("key.jsonl", "runs.jsonl", "judged.jsonl").judgements) == 80
    printed = karat_here(*ASK, "--ask", "ask.json")
    assert len(printed.lines) == 80
    assert {json.loads(line)["kind"] for line in printed.lines} == {"judgement"}


def test_a_review_goes_through_the_plan_and_says_where_to_stop() -> None:
    assert karat_here(*PLAN, "--minutes", "20", "-o", "plan.json").code == 0
    first = reviewed("y" * 30 + "q")
    assert first.code == 0, first.err
    assert "a block is complete (1 more to come): this is a good place to stop, all answers count" in first.text
    assert first.lines[-2:] == [
        "30 answers saved in mine.jsonl",
        "to score with all answers: karat score key.jsonl runs.jsonl mine.jsonl --judge lexical "
        "--measures strict_vital --missing skip",
    ]
    # A probability would lead the person.
    assert "probab" not in first.text
    second = reviewed("an" + "n" * 29)
    assert "nothing is added to the key while a random part is labelled" in second.text
    assert "a block is complete (it was the last one)" in second.text
    assert "no questions are left" in second.lines
    third = reviewed("")
    assert "there is nothing to ask: all of the plan is answered" in third.lines
    marks = [judgement.extra["planned"]["block"] for judgement in load(*FILES, "mine.jsonl").judgements]
    assert sorted(marks) == [1] * 30 + [2] * 30


def test_the_command_that_a_review_prints_scores_with_the_answers_and_a_plan_goes_on() -> None:
    assert karat_here(*PLAN, "--minutes", "10", "-o", "plan.json").code == 0
    command = reviewed("yn" * 15).lines[-1].partition(": karat ")[2].split()
    done = karat_here(*command, "--format", "jsonl")
    assert done.code == 0, done.err
    assert all("|ci:ppi-pairs|labelled:30|" in json.loads(line)["signature"] for line in done.lines)
    assert "people answered 30 of 60 questions that count, drawn by a plan" in done.err
    again = karat_here("plan", *FILES, "mine.jsonl", "--review", "--minutes", "10", "--judge", "lexical")
    assert [block["number"] for block in json.loads(again.text)["blocks"]] == [2]
    assert "30 judgements that count in strict_vital are still open, 30 are answered" in again.err
    compared = karat_here("compare", *FILES, "mine.jsonl", "--judge", "lexical", "--baseline", "atlas")
    assert compared.code in (0, 1), compared.err
    assert "drawn by a plan" in compared.err


@pytest.mark.parametrize("narrowed", [("--run", "atlas"), ("--query", "q1"), ("--limit", "3"), ("--threshold", "0.5")])
def test_a_plan_is_asked_as_it_was_drawn(narrowed: tuple[str, str]) -> None:
    assert karat_here(*PLAN, "--minutes", "10", "-o", "plan.json").code == 0
    done = reviewed("", *narrowed)
    assert done.code == 2
    assert "a plan is asked about as it was drawn" in done.err
