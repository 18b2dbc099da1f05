"""A plan -> tables, or rows for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from karat.evaluate.plan.records import Plan, Planning
from karat.report.tables import print_table
from karat.stats.reliability.power import MOST_QUERIES
from karat.stats.reliability.variance import VarianceComponents

SOURCES = {
    "run": "runs",
    "query": "queries",
    "assessor": "assessors",
    "run:query": "runs by queries",
    "run:assessor": "runs by assessors",
    "query:assessor": "queries by assessors",
    "residual": "rest",
}


def print_planning(planning: Planning) -> None:
    """For each measure: what is needed, what other numbers of queries would do, and what scores vary with."""
    for one in planning.plans:
        rows = _summary(one)
        head = f"{one.measure}: {_who(one)}" if one.measure else "plan"
        if any(interval for _, _, interval in rows):
            print_table([head, "", "95 % interval"], rows, right=["", "95 % interval"])
        else:
            print_table([head, ""], [row[:2] for row in rows], right=[""])
        _print_steps(one)
        if one.components is not None:
            print_components(one.components, name=one.measure or "")


def print_components(components: VarianceComponents, *, name: str) -> None:
    """What the scores vary with, as shares of the variance of a single score."""
    rows = [
        [
            f"{SOURCES[part.name]} (estimated below 0)" if part.negative else SOURCES[part.name],
            f"{part.variance:.5f}",
            "" if math.isnan(part.percent) else f"{part.percent:.1f}%",
        ]
        for part in components.components
    ]
    print_table([f"{name} varies with", "variance", "share"], rows, right=["variance", "share"])


def planning_tsv(planning: Planning) -> str:
    """A row a number of queries, with what is planned for in every row."""
    names = ("queries", "power", "detectable", "reliability", "dependability", "mark")
    lines = ["\t".join(("measure", "run_id", "versus", "difference", "sd", "queries_needed", *names))]
    for one in planning.plans:
        run_id, versus = (one.pilot.run_id, one.pilot.versus) if one.pilot else (None, None)
        fixed = (one.measure, run_id, versus, one.difference, one.sd, one.queries_needed)
        for step in one.steps:
            lines.append(_tab_separated((*fixed, *(getattr(step, name) for name in names))))
    return "\n".join(lines) + "\n"


def planning_jsonl(planning: Planning) -> list[str]:
    """One object a measure."""
    return [msgspec.json.encode(one).decode() for one in planning.plans]


def _summary(one: Plan) -> list[list[str]]:
    goal, pilot = one.goal, one.pilot
    sides = ", one-sided" if goal.one_sided else ""
    several = f" over {goal.comparisons:,} comparisons" if goal.comparisons > 1 else ""
    rows = []
    if pilot is not None:
        interval = "" if pilot.low is None or pilot.high is None else f"{pilot.low:+.3f} to {pilot.high:+.3f}"
        what = "median size of the differences" if pilot.run_id is None else "difference observed"
        value = f"{pilot.observed:.3f}" if pilot.run_id is None else f"{pilot.observed:+.3f}"
        rows.append([what, value, interval])
    if pilot is None or one.difference != pilot.observed:
        rows.append(["difference planned for", f"{one.difference:.3f}", ""])
    spread = "" if pilot is None else f"{pilot.least.sd:.3f} to {pilot.most.sd:.3f}"
    rows.append(["sd of the differences a query", f"{one.sd:.3f}", spread])
    needed = f"queries needed (power {goal.power:g}, alpha {goal.alpha:g}{several}{sides})"
    between = ""
    if pilot is not None and one.queries_needed is not None:
        between = f"{_needed(pilot.least.queries_needed, one)} to {_needed(pilot.most.queries_needed, one)}"
    rows.append([needed, _needed(one.queries_needed, one), between])
    if pilot is not None:
        if one.queries_needed is not None:
            rows.append(["a safe number (the sd at its 80 % upper limit)", _needed(pilot.safe.queries_needed, one), ""])
        rows.append(["queries at hand", str(pilot.queries), ""])
        rows.append(["power with the queries at hand", _power(pilot.power), ""])
        rows.append([f"difference they show with power {goal.power:g}", _number(pilot.detectable), ""])
    return rows


def _print_steps(one: Plan) -> None:
    columns = ["queries", f"power for {one.difference:.3f}", "detectable"]
    cells = [[f"{step.queries:,}", _power(step.power), _number(step.detectable)] for step in one.steps]
    if one.components is not None:
        columns += ["reliability", "dependability"]
        cells = [
            [*row, _number(step.reliability), _number(step.dependability)]
            for row, step in zip(cells, one.steps, strict=True)
        ]
    columns.append("")
    rows = [[*row, step.mark or ""] for row, step in zip(cells, one.steps, strict=True)]
    print_table(columns, rows, right=columns[:-1])


def _who(one: Plan) -> str:
    assert one.pilot is not None
    if one.pilot.run_id is None:
        return f"a typical pair of runs (of {one.pilot.pairs:,})"
    return f"{one.pilot.run_id} against {one.pilot.versus}"


def _needed(queries: int | None, one: Plan) -> str:
    if queries is not None:
        return f"{queries:,}"
    return "no number" if one.difference <= 0 else f"over {MOST_QUERIES:,}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _power(value: float | None) -> str:
    # No test is certain of anything.
    return ">0.999" if value is not None and value > 0.9995 else _number(value)


def _tab_separated(cells: Sequence[object]) -> str:
    return "\t".join("" if cell is None else str(cell) for cell in cells)
