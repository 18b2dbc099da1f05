"""Tests of pairs of runs by one measure."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.evaluate.compare.comparison import MeasureComparison, PairDifference
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.score.judge_error import combined
from karat.evaluate.tables.score_table import RESAMPLES, ScoreTable
from karat.evaluate.tables.ties import MOST_RUNS, corrected_pairs, powerless, sampling_errors
from karat.measures.base import Array, none_if_nan
from karat.model import Signature
from karat.stats.intervals.bootstrap import Interval, mean_intervals, statistic_interval
from karat.stats.reliability.power import detectable_difference
from karat.stats.significance.added_variance import added_variance_p, pair_variances
from karat.stats.significance.anova import obstacle
from karat.stats.significance.t_test import Alternative, paired_t
from karat.stats.significance.tukey import tukey_hsd

Pairs = NDArray[np.int64]


def compare_pairs(
    table: ScoreTable, *, baseline: str | None, alternative: Alternative, origin: dict[str, str], seed: int,
    judge: JudgeDifferences | None = None,
) -> MeasureComparison:  # fmt: skip
    """Every pair of a table's runs, or every run with the baseline; `origin` is where the scores come from.

    judge: what the judge's error does to these runs, where a program judged.
    """
    rows = range(len(table.run_ids))
    if baseline is None:
        order = table.best_first()
        # With very many runs only the best against the others: nobody reads ten thousand pairs of runs.
        firsts = order if len(order) <= MOST_RUNS else order[:1]
        pairs = np.array([(first, second) for at, first in enumerate(firsts) for second in order[at + 1 :]])
    else:
        base = table.run_ids.index(baseline)
        pairs = np.array([(row, base) for row in rows if row != base])
    if table.less_is_better and alternative != "two-sided":
        alternative = "greater" if alternative == "less" else "less"
    lasting = None if judge is None else judge.lasting
    corrected = corrected_pairs(table, pairs, alternative=alternative, seed=seed, judge_variance=lasting)
    tested = corrected.single
    # The t test is of means over queries, not of pooled scores.
    pooled = table.average == "pool"
    p_t = np.full(len(pairs), np.nan) if pooled else paired_t(table.values, pairs, alternative=alternative).p
    variances = np.zeros(len(pairs))
    if lasting is not None:
        variances = pair_variances(lasting, pairs)
        if not pooled:
            p_t = added_variance_p(sampling_errors(table, pairs), variances, alternative=alternative)
    judged = [None] * len(pairs) if judge is None else judge.intervals(pairs, tested.differences)
    intervals = [
        combined(interval, of_judge, float(value), least=-1.0)
        for interval, of_judge, value in zip(_intervals(table, pairs, seed), judged, tested.differences, strict=True)
    ]
    by_query = table.values[pairs[:, 0]] - table.values[pairs[:, 1]]
    differences = [
        PairDifference(
            measure=table.name,
            run_id=table.run_ids[first],
            versus=table.run_ids[second],
            value=none_if_nan(tested.differences[at]),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            n=int(tested.n[at]),
            p=none_if_nan(tested.p[at]),
            p_adjusted=none_if_nan(corrected.adjusted[at]),
            p_t=none_if_nan(p_t[at]),
            less_is_better=table.less_is_better,
            judge_low=of_judge.low if of_judge else None,
            judge_high=of_judge.high if of_judge else None,
            detectable=None if pooled else _detectable(by_query[at], len(pairs), alternative, variances[at]),
        )
        for at, ((first, second), interval, of_judge) in enumerate(zip(pairs.tolist(), intervals, judged, strict=True))
    ]
    settings = origin | {
        "test": corrected.test, "pairs": str(len(pairs)),
        "alternative": alternative, "average": table.average, "seed": str(seed), "v": __version__,
    }  # fmt: skip
    return MeasureComparison(
        table=table,
        differences=tuple(differences),
        tukey=None if pooled else tukey_hsd(table.values),
        obstacle="it is for means over queries, not for pooled scores" if pooled else obstacle(table.values),
        powerless=powerless(table, pairs, alternative=alternative),
        alternative=alternative,
        signature=str(Signature(table.name, settings)),
    )


def _intervals(table: ScoreTable, pairs: Pairs, seed: int) -> list[Interval | None]:
    """The interval of each pair's difference, the same queries drawn for both."""
    if table.average != "pool":
        by_query = table.values[pairs[:, 0]] - table.values[pairs[:, 1]]
        return mean_intervals(by_query, resamples=RESAMPLES, seed=seed)
    cube = table.cube()
    half = cube.shape[-1]

    def difference(sums: Array) -> Array:
        return table.of_sums(sums[..., :half]) - table.of_sums(sums[..., half:])

    intervals = []
    for first, second in pairs.tolist():
        joined = np.concatenate([cube[first], cube[second]], axis=-1)[~(table.skipped[first] | table.skipped[second])]
        intervals.append(statistic_interval(joined, difference, resamples=RESAMPLES, seed=seed))
    return intervals


def _detectable(differences: Array, comparisons: int, alternative: Alternative, judge_variance: float) -> float | None:
    """The smallest difference that these queries show: that for a standard deviation of 1, times the actual one.

    The judge's error counts as if it had been spread over the queries.
    """
    known = differences[~np.isnan(differences)]
    sd = float(np.sqrt(np.var(known, ddof=1) + len(known) * judge_variance)) if len(known) > 1 else 0.0
    return sd * _standard_detectable(len(known), comparisons, alternative) if sd else None


@lru_cache
def _standard_detectable(n: int, comparisons: int, alternative: Alternative) -> float:
    return detectable_difference(1.0, n, comparisons=comparisons, alternative=alternative)
