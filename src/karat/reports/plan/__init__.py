"""Plans, the stability of rankings, and plans of questions, as tables for people and programs."""

from karat.reports.plan.planning import PLAN_WORDS, planning_result, planning_tables
from karat.reports.plan.questions import question_lines, question_result, question_table
from karat.reports.plan.stability import STABILITY_WORDS, stability_result, stability_scores, stability_tables

__all__ = [
    "PLAN_WORDS",
    "STABILITY_WORDS",
    "planning_result",
    "planning_tables",
    "question_lines",
    "question_result",
    "question_table",
    "stability_result",
    "stability_scores",
    "stability_tables",
]
