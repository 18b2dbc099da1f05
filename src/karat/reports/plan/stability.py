"""The stability of rankings -> tables, or rows for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from karat.evaluate.plan.pool_bias import LeftOut, PoolBias
from karat.evaluate.plan.stability import MeasureStability, QueryNumber, Stability
from karat.model import Score, record_to_dict
from karat.model.wording import number_of
from karat.reports.plan.planning import components_table
from karat.reports.results.data import DataTable
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable
from karat.stats.reliability.assessor_stability import AssessorStability
from karat.stats.reliability.rank_stability import SwapRate
from karat.stats.reliability.variance import VarianceComponents

STABILITY_WORDS = (
    "swapped: pairs of runs in the opposite order on as many other queries",
    "tied: pairs with the same score on one of the two sets of queries",
    "significantly different: paired t test, corrected for all pairs (Holm)",
    "reliability: of differences of runs: their variance / (it + error); 1 is best",
    "without: the score without the nugs that only its group found; new: its rank",
)
"""What the words of the tables mean, a line each, of at most 80 characters."""


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
            yield components_table(measured.components, name=name)
        if measured.assessor_components is not None:
            yield components_table(measured.assessor_components, name=f"{name} by a single assessor")
        if measured.pool_bias is not None:
            yield from _pool_bias_tables(measured.pool_bias)


def stability_scores(stability: Stability) -> list[Score]:
    """All numbers as score records: `measure` is NAME:WHAT(n), `n` the number of queries or assessors."""
    return [score for measured in stability.measures for score in _scores(measured)]


def stability_result(stability: Stability) -> ShownResult:
    """What `karat stability` prints; every further field of a score is a column."""
    names = ("run_id", "measure", "n", "value", "low", "high")

    def tables() -> list[DataTable]:
        scores = stability_scores(stability)
        rows = [{**{name: getattr(score, name) for name in names}, **score.extra} for score in scores]
        return [DataTable.of("stability", rows, names)]

    return ShownResult(
        parts=lambda width: stability_tables(stability),
        tables=tables,
        lines=lambda: [record_to_dict(score) for score in stability_scores(stability)],
        notes=stability.notes,
        words=STABILITY_WORDS,
        signatures=[measured.signature for measured in stability.measures],
    )


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
