"""A plan -> tables for people and programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from karat.evaluate.plan.plan import Plan, Planning
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable
from karat.stats.reliability.power import MOST_QUERIES
from karat.stats.reliability.safe_plan import JUDGE_FLOOR, NO_VARIATION
from karat.stats.reliability.variance import VarianceComponents

PLAN_WORDS = (
    "sd: standard deviation over queries; alpha: share of false alarms",
    "power: chance to find a difference of this size as significant",
    "detectable: the difference that is found with the power planned for",
    "reliability: of differences of runs: their variance / (it + error); 1 is best",
    "dependability: the same of the scores themselves, not only of differences",
)


SOURCES = {
    "run": "runs",
    "query": "queries",
    "assessor": "assessors",
    "run:query": "runs by queries",
    "run:assessor": "runs by assessors",
    "query:assessor": "queries by assessors",
    "residual": "rest",
}


def planning_tables(planning: Planning) -> Iterator[TextTable | str]:
    """For each measure: what is needed, what other numbers of queries would do, and what scores vary with."""
    for plan in planning.plans:
        rows = _summary(plan)
        head = f"{plan.measure}: {_who(plan)}" if plan.measure else "plan"
        if any(interval for _, _, interval in rows):
            yield TextTable([head, "", "95 % interval"], rows, right=["", "95 % interval"])
        else:
            yield TextTable([head, ""], [row[:2] for row in rows], right=[""])
        yield _steps_table(plan)
        if plan.components is not None:
            yield components_table(plan.components, name=plan.measure or "")


def components_table(components: VarianceComponents, *, name: str) -> TextTable:
    """What the scores vary with, as shares of the variance of a single score."""
    rows = [
        [
            f"{SOURCES[part.name]} (estimated below 0)" if part.negative else SOURCES[part.name],
            f"{part.variance:.5f}",
            "" if math.isnan(part.percent) else f"{part.percent:.1f}%",
        ]
        for part in components.components
    ]
    return TextTable([f"{name} varies with", "variance", "share"], rows, right=["variance", "share"])


def planning_result(planning: Planning) -> ShownResult:
    """What `karat plan` prints. CSV and TSV have one row per number of queries, which repeats what is planned for."""
    names = ("queries", "power", "detectable", "reliability", "dependability", "mark")
    has_components = any(plan.components is not None for plan in planning.plans)

    def steps() -> DataTable:
        rows = []
        for plan in planning.plans:
            pilot = plan.pilot
            fixed = {
                "measure": plan.measure, "run_id": pilot and pilot.run_id, "versus": pilot and pilot.versus,
                "difference": plan.difference, "sd": plan.sd, "queries_needed": plan.queries_needed,
                "safe_queries": pilot and pilot.safe_queries, "reason": pilot and pilot.reason,
            }  # fmt: skip
            rows += [{**fixed, **{name: getattr(step, name) for name in names}} for step in plan.steps]
        return DataTable.of("steps", rows)

    def plans() -> list[dict[str, Any]]:
        return [msgspec.json.decode(msgspec.json.encode(plan)) for plan in planning.plans]

    return ShownResult(
        parts=lambda width: planning_tables(planning),
        tables=lambda: [steps()],
        lines=plans,
        fields=lambda: {"plans": [_without_signature(plan) for plan in plans()]},
        notes=planning.notes,
        words=PLAN_WORDS if has_components else PLAN_WORDS[:3],
        signatures=[plan.signature for plan in planning.plans],
    )


def _without_signature(plan: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plan.items() if name != "signature"}


def _summary(plan: Plan) -> list[list[str]]:
    goal, pilot = plan.goal, plan.pilot
    sides = ", one-sided" if goal.one_sided else ""
    several = f" over {goal.comparisons:,} comparisons" if goal.comparisons > 1 else ""
    rows = []
    if pilot is not None:
        interval = "" if pilot.low is None or pilot.high is None else f"{pilot.low:+.3f} to {pilot.high:+.3f}"
        what = "median size of the differences" if pilot.run_id is None else "difference observed"
        value = f"{pilot.observed:.3f}" if pilot.run_id is None else f"{pilot.observed:+.3f}"
        rows.append([what, value, interval])
    if pilot is None or plan.difference != pilot.observed:
        rows.append(["difference planned for", shown_number(plan.difference), ""])
    spread = "" if pilot is None else f"{pilot.sd_low:.3f} to {pilot.sd_high:.3f}"
    rows.append(["sd of the differences per query", shown_number(plan.sd), spread])
    needed = f"queries needed if these are exact (power {goal.power:g}, alpha {goal.alpha:g}{several}{sides})"
    rows.append([needed, _needed(plan.queries_needed, plan), ""])
    if pilot is not None:
        safe = "none" if pilot.safe_queries is None else f"{pilot.safe_queries:,}"
        rows.append(["a safe number, for what the pilot does not know", safe, ""])
        rows.append(["queries used (both runs have a score)", str(pilot.queries), ""])
        at_hand = next(step for step in plan.steps if step.queries == pilot.queries)
        rows.append(["power with these queries", _power(at_hand.power) or "unknown", ""])
        rows.append(
            [f"difference that they find with power {goal.power:g}", number_text(at_hand.detectable) or "unknown", ""]
        )
        if pilot.judge_floor is not None:
            rows.append(["no number of queries finds less, with this judge", number_text(pilot.judge_floor), ""])
    rows.append(["fewest queries that can be significant", str(plan.fewest), ""])
    return rows


def _steps_table(plan: Plan) -> TextTable:
    columns = ["queries", f"power for {shown_number(plan.difference)}", "detectable"]
    cells = [[f"{step.queries:,}", _power(step.power), number_text(step.detectable)] for step in plan.steps]
    if plan.components is not None:
        columns += ["reliability", "dependability"]
        cells = [
            [*row, number_text(step.reliability), number_text(step.dependability)]
            for row, step in zip(cells, plan.steps, strict=True)
        ]
    columns.append("")
    rows = [[*row, step.mark or ""] for row, step in zip(cells, plan.steps, strict=True)]
    return TextTable(columns, rows, right=columns[:-1])


def _who(plan: Plan) -> str:
    assert plan.pilot is not None
    if plan.pilot.run_id is None:
        return f"a typical pair of runs (of {plan.pilot.pairs:,})"
    return f"{plan.pilot.run_id} against {plan.pilot.versus}"


def _needed(queries: int | None, plan: Plan) -> str:
    if queries is not None:
        return f"{queries:,}"
    if plan.difference <= 0 or (plan.pilot is not None and plan.pilot.reason in (JUDGE_FLOOR, NO_VARIATION)):
        return "no number"
    return f"over {MOST_QUERIES:,}"


def number_text(value: float | None) -> str:
    return "" if value is None else shown_number(value)


def shown_number(value: float) -> str:
    """With three decimals, unless it is too small or too large for that."""
    return f"{value:.3f}" if value == 0 or 5e-4 <= abs(value) < 1e6 else f"{value:.3g}"


def _power(value: float | None) -> str:
    # No test has a power of 1.
    return ">0.999" if value is not None and value > 0.9995 else number_text(value)
