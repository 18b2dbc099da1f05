"""A plan -> tables, or rows for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from karat.evaluate.plan.plan import Plan, Planning
from karat.evaluate.plan.pool_bias import LeftOut, PoolBias
from karat.evaluate.plan.stability import MeasureStability, QueryNumber, Stability
from karat.model import Score
from karat.model.wording import number_of
from karat.report.tables import print_table
from karat.stats.reliability.assessor_stability import AssessorStability
from karat.stats.reliability.power import MOST_QUERIES
from karat.stats.reliability.rank_stability import SwapRate
from karat.stats.reliability.variance import VarianceComponents


def print_stability(stability: Stability) -> Iterator[str]:
    """Print the tables; yields what is to be said beside them."""
    for one in stability.measures:
        pairs = one.runs * (one.runs - 1) // 2
        size = f"{pairs:,} pairs of {one.runs} runs on {one.queries} queries"
        yield f"{one.measure}: {size}; in brackets, 95 % of the draws"
        columns = [f"{one.measure}, queries", "swapped by others", "tied", "told apart", "reliability"]
        print_table(columns, [_queries_row(number) for number in one.by_queries], right=columns)
        if one.by_assessors:
            columns = [f"{one.measure}, assessors", "panels", "swapped against all", "tied", "told apart"]
            print_table(columns, [_assessors_row(number) for number in one.by_assessors], right=columns)
        if one.components is not None:
            print_components(one.components, name=one.measure)
        if one.assessor_components is not None:
            print_components(one.assessor_components, name=f"{one.measure} of one assessor")
        if one.pool_bias is not None:
            yield from _print_pool_bias(one.pool_bias)


def stability_scores(stability: Stability) -> list[Score]:
    """All numbers as score records: `measure` is NAME:WHAT(n), `n` the number of queries or assessors."""
    return [score for one in stability.measures for score in _scores(one)]


def stability_tsv(stability: Stability) -> str:
    """The same as rows with a header; the further fields of any of them are columns."""
    scores = stability_scores(stability)
    further = list(dict.fromkeys(name for score in scores for name in score.extra))
    names = ("run_id", "measure", "n", "value", "low", "high")
    lines = ["\t".join((*names, *further))]
    for score in scores:
        cells = (*(getattr(score, name) for name in names), *(score.extra.get(name) for name in further))
        lines.append("\t".join("" if cell is None else str(cell) for cell in cells))
    return "\n".join(lines) + "\n"


def _scores(one: MeasureStability) -> Iterator[Score]:
    for number in one.by_queries:
        if number.swaps is not None:
            yield _swap_score(one, f"swapped({number.size})", number.size, number.swaps)
        power = number.power
        extra = {"trials": power.trials, "pairs": power.pairs}
        yield _score(one, f"told_apart({number.size})", power.share, power.low, power.high, n=number.size, extra=extra)
        yield _score(one, f"reliability({number.size})", number.reliability, n=number.size)
    for panel in one.by_assessors:
        yield _swap_score(one, f"swapped_by_assessors({panel.size})", panel.size, panel)
        yield _score(
            one, f"told_apart_by_assessors({panel.size})", panel.share_different, n=panel.size,
            extra={"trials": panel.panels, "pairs": panel.pairs},
        )  # fmt: skip
    yield from _component_scores(one, "variance", one.components)
    yield from _component_scores(one, "variance_of_assessors", one.assessor_components)
    if one.pool_bias is not None:
        for run in one.pool_bias.runs:
            told: dict[str, Any] = {
                "group": run.group, "unique_nugs": run.unique_nugs, "with": run.score, "without": run.without,
                "rank": run.rank, "rank_without": run.rank_without,
            }  # fmt: skip
            yield _score(one, "pool_bias", run.difference, n=one.queries, run_id=run.run_id, extra=told)
        yield _score(one, "pool_bias_mean", one.pool_bias.mean_absolute_change, n=one.queries)
        yield _score(one, "pool_bias_tau", one.pool_bias.tau, n=one.queries)


def _swap_score(one: MeasureStability, what: str, size: int, found: SwapRate | AssessorStability) -> Score:
    trials = found.trials if isinstance(found, SwapRate) else found.panels
    extra = {"trials": trials, "pairs": found.pairs, "tied": found.tied}
    return _score(one, what, found.swapped, found.low, found.high, n=size, extra=extra)


def _component_scores(one: MeasureStability, what: str, components: VarianceComponents | None) -> Iterator[Score]:
    for part in components.components if components is not None else ():
        percent = None if math.isnan(part.percent) else part.percent
        extra = {"percent": percent, "df": part.df}
        assert components is not None
        yield _score(one, f"{what}:{part.name}", part.variance, n=components.queries, extra=extra)


def _score(
    one: MeasureStability, what: str, value: float | None, low: float | None = None, high: float | None = None, *,
    n: int, run_id: str = "all", extra: dict[str, Any] | None = None,
) -> Score:  # fmt: skip
    known = {name: cell for name, cell in (extra or {}).items() if cell is not None}
    return Score(
        run_id=run_id, query_id="all", measure=f"{one.measure}:{what}", value=value, low=low, high=high, n=n,
        signature=one.signature, extra=known,
    )  # fmt: skip


def _queries_row(number: QueryNumber) -> list[str]:
    swaps, power = number.swaps, number.power
    swapped = ["", ""] if swaps is None else [_share(swaps.swapped, swaps.low, swaps.high), _share(swaps.tied)]
    told_apart = _share(power.share, power.low, power.high) if power.trials > 1 else _share(power.share)
    reliability = "" if number.reliability is None else f"{number.reliability:.3f}"
    return [str(number.size), *swapped, told_apart, reliability]


def _assessors_row(number: AssessorStability) -> list[str]:
    spread = (number.low, number.high) if number.panels > 1 else (None, None)
    swapped = _share(number.swapped, *spread)
    return [str(number.size), str(number.panels), swapped, _share(number.tied), _share(number.share_different)]


def _print_pool_bias(bias: PoolBias) -> Iterator[str]:
    grouped = any(run.group for run in bias.runs)
    columns = ["run", *(["group"] if grouped else []), "unique nugs", bias.measure, "without", "change", "rank", "new"]
    runs = sorted((run for run in bias.runs if run.unique_nugs), key=lambda run: (run.rank is None, run.rank or 0.0))
    if runs:
        print_table(columns, [_run_row(run, grouped) for run in runs], right=columns[2 if grouped else 1 :])
    others = len(bias.runs) - len(runs)
    if others:
        nothing = "brought nothing that other groups did not" if grouped else "brought nothing that other runs did not"
        yield f"{bias.measure}: {others} of {len(bias.runs)} runs {nothing}"
    if runs and bias.mean_absolute_change is not None:
        tau = "" if bias.tau is None else f"; Kendall's tau of the two rankings is {bias.tau:.3f}"
        alone = "its group" if grouped else "it"
        yield (
            f"{bias.measure}: scored without the nugs that {alone} alone found, a run's score changes by "
            f"{bias.mean_absolute_change:.4f} in the mean, its rank by at most {bias.largest_rank_change or 0:g}{tau}"
        )
    if lost := sum(run.queries_lost for run in bias.runs):
        yield f"{bias.measure}: {number_of(lost, 'score')} of a query had no key left without them, and was left out"


def _run_row(run: LeftOut, grouped: bool) -> list[str]:
    scores = ["undefined" if value is None else f"{value:.3f}" for value in (run.score, run.without)]
    change = "" if run.difference is None else f"{run.difference:+.4f}"
    ranks = ["" if rank is None else f"{rank:g}" for rank in (run.rank, run.rank_without)]
    return [run.run_id, *([run.group or ""] if grouped else []), str(run.unique_nugs), *scores, change, *ranks]


def _share(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.1%}" if low is None or high is None else f"{value:.1%} [{100 * low:.1f}, {100 * high:.1f}]"


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
