"""Plans, the stability of rankings, and plans of questions, as tables or rows for programs."""

from karat.report.plan.planning import PLAN_WORDS, planning_jsonl, planning_tables, planning_tsv
from karat.report.plan.questions import question_lines, question_table
from karat.report.plan.stability import STABILITY_WORDS, stability_scores, stability_tables, stability_tsv

__all__ = [
    "PLAN_WORDS",
    "STABILITY_WORDS",
    "planning_jsonl",
    "planning_tables",
    "planning_tsv",
    "question_lines",
    "question_table",
    "stability_scores",
    "stability_tables",
    "stability_tsv",
]
