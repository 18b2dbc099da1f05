"""A plan of questions for a person -> what it is expected to buy."""

from __future__ import annotations

import shlex

import msgspec

from karat.evaluate.plan.best_questions import QuestionPlanning
from karat.evaluate.plan.question_plan import plan_text
from karat.model.wording import number_of
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable

QUESTION_WORDS = (
    "width: of the 95 % interval of a run's score on these queries, as expected if",
    "the judge is as unsure as it says; stop where it is narrow enough for you",
)


def question_lines(planning: QuestionPlanning) -> list[str]:
    """What a plan of questions is expected to buy, as lines of text."""
    minutes = planning.questions * planning.seconds / 60
    lines = [
        f"{number_of(planning.questions, 'question')} in {number_of(len(planning.plan.blocks), 'block')}, about "
        f"{minutes:.0f} minutes at {planning.seconds:g} seconds each; {planning.open_pairs:,} judgements that count in "
        f"{planning.measure} are still open" + (f", {planning.answered:,} are answered" if planning.answered else ""),
    ]
    if planning.questions:
        lines += [
            "",
            *str(question_table(planning)).rstrip().splitlines(),
            "",
            *QUESTION_WORDS,
            "",
            "next: karat review KEY RUN... --plan FILE -o mine.jsonl",
            f"then: karat score KEY RUN... mine.jsonl --judge {shlex.quote(planning.judge)}",
        ]
    return lines


def question_table(planning: QuestionPlanning) -> TextTable:
    """The expected widths of intervals by the number of further answers."""
    columns = ("minutes", "answers", "width of a score", "width of a difference")
    rows = [
        [f"{step.minutes:,.0f}", f"{step.questions:,}", f"{step.width:.3f}", f"{step.difference_width:.3f}"]
        for step in planning.steps
    ]
    return TextTable(columns, rows, right=columns)


def question_result(planning: QuestionPlanning) -> ShownResult:
    """What a plan of questions is expected to buy; JSON has the plan itself, too."""
    return ShownResult(
        parts=lambda width: [question_table(planning)],
        tables=lambda: [DataTable.of("steps", [msgspec.to_builtins(step) for step in planning.steps])],
        fields=lambda: {
            "questions": planning.questions, "answered": planning.answered, "open_pairs": planning.open_pairs,
            "measure": planning.measure, "judge": planning.judge, "seconds": planning.seconds,
            "steps": [msgspec.to_builtins(step) for step in planning.steps],
            "plan": msgspec.json.decode(plan_text(planning.plan)),
        },
        notes=(f"{planning.questions:,} questions are planned: karat.review(..., plan=planning.plan)", *planning.notes),
        words=[" ".join(QUESTION_WORDS)],
    )  # fmt: skip
