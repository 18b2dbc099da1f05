"""A plan of questions for a person -> what it is expected to buy."""

from __future__ import annotations

import shlex

from karat.evaluate.plan.best_questions import QuestionPlanning
from karat.model.wording import number_of
from karat.report.tables import TextTable


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
            "width: of the 95 % interval of a run's score on these queries, as expected if",
            "the judge is as unsure as it says; stop where it is narrow enough for you",
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
