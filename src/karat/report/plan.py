"""A plan, or the stability of rankings -> tables, or rows for programs."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from karat.evaluate.plan.best_questions import QuestionPlanning
from karat.evaluate.plan.plan import Plan, Planning
from karat.evaluate.plan.pool_bias import LeftOut, PoolBias
from karat.evaluate.plan.stability import MeasureStability, QueryNumber, Stability
from karat.model import Score
from karat.model.wording import number_of
from karat.report.tables import TextTable, visible
from karat.stats.reliability.assessor_stability import AssessorStability
from karat.stats.reliability.power import MOST_QUERIES
from karat.stats.reliability.rank_stability import SwapRate
from karat.stats.reliability.safe_plan import JUDGE_FLOOR, NO_VARIATION
from karat.stats.reliability.variance import VarianceComponents

STABILITY_WORDS = (
    "swapped: pairs of runs in the opposite order on as many other queries",
    "tied: pairs with the same score on one of the two sets of queries",
    "significantly different: paired t test, corrected for all pairs (Holm)",
    "reliability: of differences of runs: their variance / (it + error); 1 is best",
    "without: the score without the nugs that only its group found; new: its rank",
)
"""What the words of the tables mean, a line each, of at most 80 characters."""
PLAN_WORDS = (
    "sd: standard deviation over queries; alpha: share of false alarms",
    "power: chance to find a difference of this size as significant",
    "detectable: the difference that is found with the power planned for",
    "reliability: of differences of runs: their variance / (it + error); 1 is best",
    "dependability: the same of the scores themselves, not only of differences",
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


def stability_tables(stability: Stability) -> Iterator[TextTable | str]:
    """For each measure: by queries, by assessors, what scores vary with, and the bias of the pool; remarks are text."""
    for measured in stability.measures:
        name = measured.measure
        pairs = measured.runs * (measured.runs - 1) // 2
        values = "" if measured.components is None else f" ({measured.components.cells:,} scores)"
        yield (
            f"{name}: {number_of(pairs, 'pair')} of {number_of(measured.runs, 'run')} on "
            f"{number_of(measured.queries, 'query')}{values}; "
            "in brackets: the range of 95 % of the draws"
        )
        columns = [f"{name}, queries", "swapped by other queries", "tied", "significantly different", "reliability"]
        yield TextTable(columns, [_queries_row(number) for number in measured.by_queries], right=columns)
        if measured.by_assessors:
            columns = [f"{name}, assessors", "panels", "swapped against all", "tied", "significantly different"]
            yield TextTable(columns, [_assessors_row(number) for number in measured.by_assessors], right=columns)
        if measured.components is not None:
            yield _components_table(measured.components, name=name)
        if measured.assessor_components is not None:
            yield _components_table(measured.assessor_components, name=f"{name} by a single assessor")
        if measured.pool_bias is not None:
            yield from _pool_bias_tables(measured.pool_bias)
    yield from STABILITY_WORDS


def stability_scores(stability: Stability) -> list[Score]:
    """All numbers as score records: `measure` is NAME:WHAT(n), `n` the number of queries or assessors."""
    return [score for measured in stability.measures for score in _scores(measured)]


def stability_tsv(stability: Stability) -> str:
    """The same as rows with a header; every further field is a column."""
    scores = stability_scores(stability)
    further = list(dict.fromkeys(name for score in scores for name in score.extra))
    names = ("run_id", "measure", "n", "value", "low", "high")
    lines = ["\t".join((*names, *further))]
    for score in scores:
        cells = (*(getattr(score, name) for name in names), *(score.extra.get(name) for name in further))
        lines.append(_tab_separated(cells))
    return "\n".join(lines) + "\n"


def _scores(measured: MeasureStability) -> Iterator[Score]:
    for number in measured.by_queries:
        size, power = number.size, number.power
        if number.swaps is not None:
            yield _swap_score(measured, f"swapped({size})", size, number.swaps)
        extra = {"trials": power.trials, "pairs": power.pairs}
        yield _score(measured, f"told_apart({size})", power.share, power.low, power.high, n=size, extra=extra)
        yield _score(measured, f"reliability({size})", number.reliability, n=size)
    for panel in measured.by_assessors:
        yield _swap_score(measured, f"swapped_by_assessors({panel.size})", panel.size, panel)
        yield _score(
            measured, f"told_apart_by_assessors({panel.size})", panel.share_different, n=panel.size,
            extra={"trials": panel.panels, "pairs": panel.pairs},
        )  # fmt: skip
    yield from _component_scores(measured, "variance", measured.components)
    yield from _component_scores(measured, "variance_of_assessors", measured.assessor_components)
    if measured.pool_bias is not None:
        for run in measured.pool_bias.runs:
            fields: dict[str, Any] = {
                "group": run.group, "unique_nugs": run.unique_nugs, "with": run.score, "without": run.without,
                "rank": run.rank, "rank_without": run.rank_without,
            }  # fmt: skip
            yield _score(measured, "pool_bias", run.difference, n=measured.queries, run_id=run.run_id, extra=fields)
        yield _score(measured, "pool_bias_mean", measured.pool_bias.mean_absolute_change, n=measured.queries)
        yield _score(measured, "pool_bias_tau", measured.pool_bias.tau, n=measured.queries)


def _swap_score(measured: MeasureStability, what: str, size: int, swaps: SwapRate | AssessorStability) -> Score:
    trials = swaps.trials if isinstance(swaps, SwapRate) else swaps.panels
    extra = {"trials": trials, "pairs": swaps.pairs, "tied": swaps.tied}
    return _score(measured, what, swaps.swapped, swaps.low, swaps.high, n=size, extra=extra)


def _component_scores(measured: MeasureStability, what: str, components: VarianceComponents | None) -> Iterator[Score]:
    for part in components.components if components is not None else ():
        percent = None if math.isnan(part.percent) else part.percent
        extra = {"percent": percent, "df": part.df}
        assert components is not None
        yield _score(measured, f"{what}:{part.name}", part.variance, n=components.queries, extra=extra)


def _score(
    measured: MeasureStability, what: str, value: float | None, low: float | None = None, high: float | None = None, *,
    n: int, run_id: str = "all", extra: dict[str, Any] | None = None,
) -> Score:  # fmt: skip
    known = {name: cell for name, cell in (extra or {}).items() if cell is not None}
    return Score(
        run_id=run_id, query_id="all", measure=f"{measured.measure}:{what}", value=value, low=low, high=high, n=n,
        signature=measured.signature, extra=known,
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


def _pool_bias_tables(bias: PoolBias) -> Iterator[TextTable | str]:
    grouped = any(run.group for run in bias.runs)
    columns = ["run", *(["group"] if grouped else []), "unique nugs", bias.measure, "without", "change", "rank", "new"]
    runs = sorted((run for run in bias.runs if run.unique_nugs), key=lambda run: (run.rank is None, run.rank or 0.0))
    if runs:
        yield TextTable(columns, [_run_row(run, grouped) for run in runs], right=columns[2 if grouped else 1 :])
    if others := len(bias.runs) - len(runs):
        yield (
            f"{bias.measure}: {others} of {len(bias.runs)} runs contain no nug that only "
            f"{'their group' if grouped else 'they'} found"
        )
    if runs and bias.mean_absolute_change is not None:
        tau = "" if bias.tau is None else f"; Kendall's tau of the two rankings is {bias.tau:.3f}"
        yield (
            f"{bias.measure}: without the nugs that only {'its group' if grouped else 'it'} found, a run's score "
            f"changes by {bias.mean_absolute_change:.4f} on average, and its rank by at most "
            f"{bias.largest_rank_change or 0:g}{tau}"
        )
    if lost := sum(run.queries_lost for run in bias.runs):
        yield f"{bias.measure}: {number_of(lost, 'score')} of single queries left out: no nugs were left in the key"


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
            yield _components_table(plan.components, name=plan.measure or "")
    has_components = any(plan.components is not None for plan in planning.plans)
    yield from PLAN_WORDS if has_components else PLAN_WORDS[:3]


def _components_table(components: VarianceComponents, *, name: str) -> TextTable:
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


def planning_tsv(planning: Planning) -> str:
    """One row per number of queries; every row repeats what is planned for."""
    names = ("queries", "power", "detectable", "reliability", "dependability", "mark")
    fixed_names = ("measure", "run_id", "versus", "difference", "sd", "queries_needed", "safe_queries", "reason")
    lines = ["\t".join((*fixed_names, *names))]
    for plan in planning.plans:
        run_id, versus = (plan.pilot.run_id, plan.pilot.versus) if plan.pilot else (None, None)
        safe = (plan.pilot.safe_queries, plan.pilot.reason) if plan.pilot else (None, None)
        fixed = (plan.measure, run_id, versus, plan.difference, plan.sd, plan.queries_needed, *safe)
        for step in plan.steps:
            lines.append(_tab_separated((*fixed, *(getattr(step, name) for name in names))))
    return "\n".join(lines) + "\n"


def planning_jsonl(planning: Planning) -> list[str]:
    """One object per measure."""
    return [msgspec.json.encode(plan).decode() for plan in planning.plans]


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
        rows.append(["difference planned for", _shown(plan.difference), ""])
    spread = "" if pilot is None else f"{pilot.sd_low:.3f} to {pilot.sd_high:.3f}"
    rows.append(["sd of the differences per query", _shown(plan.sd), spread])
    needed = f"queries needed if these are exact (power {goal.power:g}, alpha {goal.alpha:g}{several}{sides})"
    rows.append([needed, _needed(plan.queries_needed, plan), ""])
    if pilot is not None:
        safe = "none" if pilot.safe_queries is None else f"{pilot.safe_queries:,}"
        rows.append(["a safe number, for what the pilot does not know", safe, ""])
        rows.append(["queries used (both runs have a score)", str(pilot.queries), ""])
        at_hand = next(step for step in plan.steps if step.queries == pilot.queries)
        rows.append(["power with these queries", _power(at_hand.power) or "unknown", ""])
        rows.append(
            [f"difference that they find with power {goal.power:g}", _number(at_hand.detectable) or "unknown", ""]
        )
        if pilot.judge_floor is not None:
            rows.append(["no number of queries finds less, with this judge", _number(pilot.judge_floor), ""])
    rows.append(["fewest queries that can be significant", str(plan.fewest), ""])
    return rows


def _steps_table(plan: Plan) -> TextTable:
    columns = ["queries", f"power for {_shown(plan.difference)}", "detectable"]
    cells = [[f"{step.queries:,}", _power(step.power), _number(step.detectable)] for step in plan.steps]
    if plan.components is not None:
        columns += ["reliability", "dependability"]
        cells = [
            [*row, _number(step.reliability), _number(step.dependability)]
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


def _number(value: float | None) -> str:
    return "" if value is None else _shown(value)


def _shown(value: float) -> str:
    """With three decimals, unless it is too small or too large for that."""
    return f"{value:.3f}" if value == 0 or 5e-4 <= abs(value) < 1e6 else f"{value:.3g}"


def _power(value: float | None) -> str:
    # No test has a power of 1.
    return ">0.999" if value is not None and value > 0.9995 else _number(value)


def _tab_separated(cells: Sequence[object]) -> str:
    return "\t".join("" if cell is None else visible(str(cell)) for cell in cells)
