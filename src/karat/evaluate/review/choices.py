"""What the user chooses about a review, checked: the measure to show, the plan, runs and queries."""

from __future__ import annotations

from collections.abc import Sequence

from karat.evaluate.plan.question_plan import QuestionPlan
from karat.evaluate.plan.random_part import RandomPart
from karat.evaluate.tables.tabulating import tabulated
from karat.measures.cases.rules import ALL_JUDGES, Missing
from karat.measures.registry import parse_measures
from karat.model import Collection, UsageError


def measure_to_show(judged: Collection, measure: str | None, missing: Missing) -> tuple[str, tuple[str, ...]]:
    """The name of the measure to show (the one given, or the first that fits), and notes about what is missing."""
    if measure is not None and len(parse_measures(measure)) != 1:
        raise UsageError(f"a review shows one measure; choose one of {measure}")
    tables = tabulated(judged, measures=measure, most=1, missing=missing, judge=ALL_JUDGES)
    return tables.tables[0].name, tables.notes


def threshold_of_plan(
    plan: RandomPart | QuestionPlan, collection: Collection, threshold: float | None, only: Sequence[str],
    limit: int | None,
) -> float:  # fmt: skip
    """The threshold with which everything is asked about; refuses what would make a random part a chosen one."""
    if threshold is not None or only or limit is not None:
        options = "--threshold, --run, --query" if isinstance(plan, QuestionPlan) else "--threshold, --query"
        raise UsageError(f"a plan is asked about as it was drawn: without {options} and --limit")
    plan.check(collection)
    return 0.0


def check_names(noun: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    choices = list(dict.fromkeys(known))
    for name in wanted:
        if name not in choices:
            more = ", ..." if len(choices) > 20 else ""
            raise UsageError(f"no response has the {noun} {name!r}; choose from {', '.join(choices[:20])}{more}")
