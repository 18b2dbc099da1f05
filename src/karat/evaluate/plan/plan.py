"""How many queries it takes to tell two runs apart by the test of `compare`, from a pilot or from a difference and
its spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Unpack

import msgspec

from karat import __version__
from karat.evaluate.plan.goal import Goal
from karat.evaluate.plan.pilots import Pilot, pilot_of
from karat.evaluate.score.errors.judge_draws import is_uncertain
from karat.evaluate.score.errors.judge_error import judge_error
from karat.evaluate.tables.query_tables import components_of, origin_of, tabulated_queries
from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.evaluate.tables.tabulating import Tabulated
from karat.formats.inputs.reading import Input, OnError, load_light
from karat.judges.judge import judge_first
from karat.measures.base import none_if_nan
from karat.measures.cases.rules import Rules
from karat.measures.cases.saved_fields import NOT_SCORED, CommonErrors
from karat.model import Collection, Signature, UsageError
from karat.model.result import Result
from karat.stats.reliability.permutation_power import PermutationTest
from karat.stats.reliability.variance import VarianceComponents, generalizability
from karat.stats.significance.added_variance import Covariance

NUMBERS = (10, 25, 50, 75, 100, 150, 200, 300, 500)
"""Numbers of queries in every plan, besides the number in the pilot and the number needed."""

Mark = Literal["at hand", "needed", "safe"]


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
    """If difference and sd are exactly these; None: `pilot.reason` says why, or more than a million."""
    fewest: int
    """With fewer queries no difference can be significant."""
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
    labels: str | None = None,
    on_error: OnError = "stop",
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Planning:
    """How many queries the paired permutation test needs to find a difference.

    inputs: a pilot, as keys with judgements or scores by query; without any, `difference` and `sd` (of the differences
    per query) are needed. runs: the two runs to compare; where none are named, and there are more than two, a typical
    pair is taken. difference: the one that matters, instead of the one observed. one_sided: ask only whether the
    first run is better. comparisons: how many tests share alpha (Bonferroni). judge, labels: as in `score`; the error
    that the judge would have with other queries as well is in the plan.

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
    judged = judge_first(
        load_light(*inputs, on_error=on_error, unread=NOT_SCORED), judge=rules.get("judge"), labels=labels
    )
    counted: Rules = {**rules, "judge": judged.judge}
    planning = plan_collection(
        judged.collection, runs=runs, difference=difference, goal=goal, measures=measures, beta=beta,
        average=average, sigma=judged.sigma, run_sigma=judged.run_sigma, common=judged.common, seed=seed, **counted,
    )  # fmt: skip
    return msgspec.structs.replace(planning, notes=(*judged.notes, *planning.notes))


def plan_without_pilot(difference: float | None, sd: float | None, *, goal: Goal) -> Planning:
    """A plan for a difference and a standard deviation."""
    if difference is None or sd is None:
        raise UsageError(
            "without files a plan needs both the difference to find and the sd of the differences per query"
        )
    _checked(difference)
    if not 0 <= sd < math.inf:
        raise UsageError(f"sd={sd} is not a finite number of at least 0")
    test = goal.test()
    needed = test.needed(difference / sd, power=goal.power) if sd else test.fewest
    made = _plan(None, goal, difference, sd, needed, test, None, None, {})
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
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> Planning:
    """A plan from the runs of a collection. sigma, run_sigma, common: see `judge_error`."""
    if difference is not None:
        _checked(difference)
    scored = tabulated_queries(collection, measures=measures, beta=beta, average=average, **rules)
    notes = list(scored.notes)
    origin = origin_of(scored)
    plans = []
    for table, variance in _with_errors(scored, sigma=sigma, run_sigma=run_sigma, common=common, seed=seed):
        piloted = pilot_of(
            table, runs=runs, difference=difference, goal=goal, notes=notes, seed=seed, judge_variance=variance
        )
        components = components_of(table, notes)
        plans.append(
            _plan(
                table.name, goal, piloted.difference, piloted.sd, piloted.queries_needed, piloted.test, piloted.pilot,
                components, {**origin, "seed": str(seed)},
            )
        )  # fmt: skip
    return Planning(plans=tuple(plans), notes=tuple(dict.fromkeys(notes)))


def pilots_of_pairs(
    collection: Collection,
    pairs: Sequence[tuple[str, str]],
    *,
    goal: Goal,
    measure: str,
    average: Average = "query",
    sigma: float | None = None,
    run_sigma: float | None = None,
    common: CommonErrors | None = None,
    seed: int = 0,
    **rules: Unpack[Rules],
) -> list[Pilot | None]:
    """What a collection says about several pairs of its runs, without the steps of a plan; None: too few queries."""
    scored = tabulated_queries(collection, measures=measure, average=average, **rules)
    table, variance = _with_errors(scored, sigma=sigma, run_sigma=run_sigma, common=common, seed=seed)[0]
    return pilots_of_table(table, pairs, goal=goal, judge_variance=variance, seed=seed)


def pilots_of_table(
    table: ScoreTable,
    pairs: Sequence[tuple[str, str]],
    *,
    goal: Goal,
    judge_variance: Covariance | None = None,
    seed: int = 0,
) -> list[Pilot | None]:
    """The same for scores that are there already. judge_variance: see `pilot_of`."""
    pilots: list[Pilot | None] = []
    for pair in pairs:
        try:
            piloted = pilot_of(
                table, runs=pair, difference=None, goal=goal, notes=[], seed=seed, judge_variance=judge_variance
            )
        except UsageError:
            pilots.append(None)
        else:
            pilots.append(msgspec.structs.replace(piloted.pilot, needed=piloted.queries_needed))
    return pilots


def _with_errors(
    scored: Tabulated, *, sigma: float | None, run_sigma: float | None, common: CommonErrors | None, seed: int
) -> list[tuple[ScoreTable, Covariance | None]]:
    """The tables, each with the covariance of the judge's lasting errors where a program judged."""
    cases = scored.cases
    if cases is None or not any(map(is_uncertain, cases.with_shares())):
        return [(table, None) for table in scored.tables]
    error = judge_error(cases, scored.tables, sigma=sigma, run_sigma=run_sigma, common=common, seed=seed)
    return [(table, error.lasting(at)) for at, table in enumerate(error.tables)]


def _plan(
    measure: str | None, goal: Goal, difference: float, sd: float, needed: int | None, test: PermutationTest,
    pilot: Pilot | None, components: VarianceComponents | None, origin: dict[str, str],
) -> Plan:  # fmt: skip
    marks: dict[int, Mark | None] = dict.fromkeys(NUMBERS)
    marks |= {needed: "needed"} if needed is not None else {}
    marks |= {pilot.safe_queries: "safe"} if pilot is not None and pilot.safe_queries is not None else {}
    marks |= {pilot.queries: "at hand"} if pilot is not None else {}
    said = "observed" if pilot is not None and difference == pilot.observed else f"{difference:g}"
    settings = origin | {
        "test": goal.test_name, "difference": said, "power": f"{goal.power:g}", "alpha": f"{goal.alpha:g}",
        "alternative": goal.alternative, "comparisons": str(goal.comparisons), "v": __version__,
    }  # fmt: skip
    return Plan(
        measure=measure,
        goal=goal,
        difference=difference,
        sd=sd,
        queries_needed=needed,
        fewest=test.fewest,
        pilot=pilot,
        steps=tuple(
            _step(queries, marks[queries], goal, difference, sd, test, components, unknown=pilot is not None and not sd)
            for queries in sorted(marks)
        ),
        components=components,
        signature=str(Signature(measure or "plan", settings)),
    )


def _step(
    queries: int, mark: Mark | None, goal: Goal, difference: float, sd: float, test: PermutationTest,
    components: VarianceComponents | None, *, unknown: bool = False,
) -> PlanStep:  # fmt: skip
    """unknown: the pilot does not show how much differences vary."""
    expected = None if components is None else generalizability(components, queries=queries)
    return PlanStep(
        queries=queries,
        power=None if unknown else _power(difference, sd, queries, test),
        detectable=None if unknown else none_if_nan(sd * test.detectable(queries, power=goal.power)),
        reliability=None if expected is None else none_if_nan(expected.relative),
        dependability=None if expected is None else none_if_nan(expected.absolute),
        mark=mark,
    )


def _power(difference: float, sd: float, queries: int, test: PermutationTest) -> float | None:
    """Of the test; None where nothing differs. Where nothing varies, every difference that can be found is found."""
    if not difference:
        return None
    if not sd:
        return float(queries >= test.fewest and (difference > 0 or test.alternative == "two-sided"))
    # The shape of a pilot is that of differences above 0.
    return test.power(difference / sd if test.alternative != "two-sided" else abs(difference) / sd, queries)


def _checked(difference: float) -> float:
    if not 0 < difference < math.inf:
        raise UsageError(f"the difference to find is a number above 0, not {difference}")
    return difference
