"""How many queries it takes to tell two runs apart, from a pilot or from a difference and its spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Unpack

import msgspec

from karat import __version__
from karat.evaluate.plan.goal import Goal
from karat.evaluate.plan.pilots import Pilot, pilot_of
from karat.evaluate.tables.query_tables import components_of, origin_of, tabulated_queries
from karat.evaluate.tables.score_table import Average
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.measures.base import none_if_nan
from karat.measures.cases.rules import Rules
from karat.model import Collection, Signature, UsageError
from karat.model.result import Result
from karat.stats.reliability.variance import VarianceComponents, generalizability

NUMBERS = (10, 25, 50, 75, 100, 150, 200, 300, 500)
"""Numbers of queries in every plan, besides the number in the pilot and the number needed."""

Mark = Literal["at hand", "needed"]


class PlanStep(msgspec.Struct, frozen=True, kw_only=True):
    """What a number of queries can show."""

    queries: int
    power: float | None
    detectable: float | None
    reliability: float | None
    """E rho^2, of the differences between runs; None without a pilot of two runs and two queries."""
    dependability: float | None
    """Phi, of the scores themselves."""
    mark: Mark | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How many queries show a difference of one measure."""

    measure: str | None
    goal: Goal
    difference: float
    """The difference planned for."""
    sd: float
    """Standard deviation of the differences per query."""
    queries_needed: int | None
    pilot: Pilot | None
    steps: tuple[PlanStep, ...]
    components: VarianceComponents | None
    """How much the scores of the pilot vary with runs, with queries, and with both."""
    signature: str


class Planning(Result, msgspec.Struct, frozen=True, kw_only=True):
    """One plan per measure, and notes about them."""

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]


def plan(
    *inputs: Input,
    runs: Sequence[str] | None = None,
    difference: float | None = None,
    sd: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    one_sided: bool = False,
    comparisons: int = 1,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    on_error: OnError = "stop",
    **rules: Unpack[Rules],
) -> Planning:
    """How many queries the paired t test needs to find a difference.

    inputs: a pilot, as keys with judgements or scores by query; without any, `difference` and `sd` (of the differences
    per query) are needed. runs: the two runs to compare; where none are named, and there are more than two, a typical
    pair is taken. difference: the one that matters, instead of the one observed. one_sided: ask only whether the
    first run is better. comparisons: how many tests share alpha (Bonferroni).

    >>> import karat
    >>> karat.plan(difference=0.05, sd=0.2).plans[0].queries_needed
    128
    """
    goal = Goal(power=power, alpha=alpha, one_sided=one_sided, comparisons=comparisons)
    if inputs and sd is not None:
        raise UsageError("give an sd only without files: with files the sd comes from their scores")
    if not inputs:
        if runs is not None:
            raise UsageError("runs are named, but there are no files with their scores")
        return plan_without_pilot(difference, sd, goal=goal)
    return plan_collection(
        load(*inputs, on_error=on_error), runs=runs, difference=difference, goal=goal, measures=measures, beta=beta,
        average=average, **rules,
    )  # fmt: skip


def plan_without_pilot(difference: float | None, sd: float | None, *, goal: Goal) -> Planning:
    """A plan for a difference and a standard deviation."""
    if difference is None or sd is None:
        raise UsageError(
            "without files a plan needs both the difference to find and the sd of the differences per query"
        )
    made = _plan(None, goal, _checked(difference), sd, None, None, {})
    return Planning(plans=(made,), notes=())


def plan_collection(
    collection: Collection,
    *,
    goal: Goal,
    runs: Sequence[str] | None = None,
    difference: float | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    **rules: Unpack[Rules],
) -> Planning:
    """A plan from the runs of a collection."""
    if difference is not None:
        _checked(difference)
    scored = tabulated_queries(collection, measures=measures, beta=beta, average=average, **rules)
    notes = list(scored.notes)
    origin = origin_of(scored)
    plans = []
    for table in scored.tables:
        piloted = pilot_of(table, runs=runs, difference=difference, goal=goal, notes=notes)
        components = components_of(table, notes)
        plans.append(_plan(table.name, goal, piloted.difference, piloted.sd, piloted.pilot, components, origin))
    return Planning(plans=tuple(plans), notes=tuple(dict.fromkeys(notes)))


def _plan(
    measure: str | None, goal: Goal, difference: float, sd: float, pilot: Pilot | None,
    components: VarianceComponents | None, origin: dict[str, str],
) -> Plan:  # fmt: skip
    needed = goal.needed(difference, sd)
    marks: dict[int, Mark | None] = dict.fromkeys(NUMBERS)
    marks |= {needed: "needed"} if needed is not None else {}
    marks |= {pilot.queries: "at hand"} if pilot is not None else {}
    said = "observed" if pilot is not None and difference == pilot.observed else f"{difference:g}"
    settings = origin | {
        "test": "paired-t", "difference": said, "power": f"{goal.power:g}", "alpha": f"{goal.alpha:g}",
        "alternative": goal.alternative, "comparisons": str(goal.comparisons), "v": __version__,
    }  # fmt: skip
    return Plan(
        measure=measure,
        goal=goal,
        difference=difference,
        sd=sd,
        queries_needed=needed,
        pilot=pilot,
        steps=tuple(_step(queries, marks[queries], goal, difference, sd, components) for queries in sorted(marks)),
        components=components,
        signature=str(Signature(measure or "plan", settings)),
    )


def _step(
    queries: int, mark: Mark | None, goal: Goal, difference: float, sd: float, components: VarianceComponents | None
) -> PlanStep:
    expected = None if components is None else generalizability(components, queries=queries)
    return PlanStep(
        queries=queries,
        power=goal.power_of(difference, sd, queries),
        detectable=goal.detectable(sd, queries),
        reliability=None if expected is None else none_if_nan(expected.relative),
        dependability=None if expected is None else none_if_nan(expected.absolute),
        mark=mark,
    )


def _checked(difference: float) -> float:
    if not 0 < difference < math.inf:
        raise UsageError(f"the difference to find is a number above 0, not {difference}")
    return difference
