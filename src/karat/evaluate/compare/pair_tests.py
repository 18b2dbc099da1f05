"""Tests of pairs of runs by one measure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.evaluate.compare.comparison import MeasureComparison, PairDifference, contrary_notes
from karat.evaluate.compare.judge_differences import JudgeDifferences
from karat.evaluate.compare.margins import Margin, margin_limits, none_if_infinite, pair_bounds, with_margin
from karat.evaluate.score.errors.judge_error import combined
from karat.evaluate.tables.corrected_tests import (
    ALPHA,
    MOST_RUNS,
    TestablePairs,
    corrected_pairs,
    permutation_pairs,
    powerless,
    sampling_errors,
)
from karat.evaluate.tables.interval_notes import interval_kinds, interval_notes
from karat.evaluate.tables.score_table import RESAMPLES, ScoreTable, intervals_by_bounds
from karat.measures.base import Array, none_if_nan
from karat.model import Signature
from karat.stats.intervals.bootstrap import Interval, Side, statistic_interval
from karat.stats.intervals.bounded import Bounds, ScoreInterval, interval_trust
from karat.stats.reliability.power import detectable_difference
from karat.stats.significance.added_variance import added_variance_p, pair_variances
from karat.stats.significance.anova import obstacle, two_way
from karat.stats.significance.effect_size import paired_effect_size
from karat.stats.significance.t_test import Alternative, paired_differences, paired_t
from karat.stats.significance.tukey import tukey_hsd

Pairs = NDArray[np.int64]


def compare_pairs(
    table: ScoreTable, *, baseline: str | None, alternative: Alternative, origin: dict[str, str], seed: int,
    judge: JudgeDifferences | None = None, margin: Margin | None = None,
) -> MeasureComparison:  # fmt: skip
    """Every pair of a table's runs, or every run with the baseline; `origin` is where the scores come from.

    judge: what the judge's error does to these runs, where a program judged. margin: what is to be shown of the pairs.
    """
    pairs = _pairs(table, baseline)
    if table.less_is_better and alternative != "two-sided":
        alternative = "greater" if alternative == "less" else "less"
    lasting = None if judge is None else judge.lasting
    of_equal = None if judge is None else judge.of_equal_runs
    corrected = corrected_pairs(
        table, pairs, alternative=alternative, seed=seed, judge_variance=of_equal, limit_variance=lasting
    )
    tested = corrected.single or permutation_pairs(
        table, pairs, alternative=alternative, seed=seed, judge_variance=of_equal
    )
    pooled = table.average == "pool"
    variances = np.zeros(len(pairs)) if of_equal is None else pair_variances(of_equal, pairs)
    judged = [None] * len(pairs) if judge is None else judge.intervals(pairs, tested.differences)
    p_t = _t_test(table, pairs, alternative, variances)
    which = TestablePairs.of(table, pairs, alternative=alternative)
    decidable, bounds = which.decidable, pair_bounds(table, pairs)
    sampling = _intervals(table, pairs, bounds, seed)
    by_query = table.values[pairs[:, 0]] - table.values[pairs[:, 1]]
    differences = []
    for at, (first, second) in enumerate(pairs.tolist()):
        interval = combined(sampling[at], judged[at], float(tested.differences[at]), least=-1.0)
        of_judge = judged[at]
        effect = None if pooled else paired_effect_size(by_query[at])
        pair = PairDifference(
            measure=table.name,
            run_id=table.run_ids[first],
            versus=table.run_ids[second],
            value=none_if_nan(tested.differences[at]),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            n=int(tested.n[at]),
            less_is_better=table.less_is_better,
            judge_low=of_judge.low if of_judge else None,
            judge_high=of_judge.high if of_judge else None,
            detectable=None if pooled else _detectable(by_query[at], max(1, which.count), alternative, variances[at]),
            effect=effect.value if effect else None,
            effect_low=effect.low if effect else None,
            effect_high=effect.high if effect else None,
            p=none_if_nan(tested.p[at]),
            p_adjusted=none_if_nan(corrected.adjusted[at]),
            p_t=none_if_nan(p_t[at]),
            testable=bool(decidable[at]),
            all_low=none_if_infinite(corrected.low[at]),
            all_high=none_if_infinite(corrected.high[at]),
        )
        differences.append(pair)
    settings = origin | {
        "test": corrected.test, "pairs": str(which.count), "alternative": alternative, "average": table.average,
        "ci": interval_kinds(sampling),
    }  # fmt: skip
    if margin is not None:
        limits = margin_limits(
            table, pairs, margin, lasting=lasting,
            pooled=partial(_pooled_intervals, table, pairs, seed), seed=seed,
        )  # fmt: skip
        two_sided = corrected
        if margin.question == "equivalent" and alternative != "two-sided":
            # A run that is far better is different as well, though nobody asked whether it is better.
            two_sided = corrected_pairs(table, pairs, seed=seed, judge_variance=of_equal)
        differences = [
            with_margin(pair, low, high, margin, different=bool(p <= ALPHA))
            for pair, low, high, p in zip(
                differences, limits.low.tolist(), limits.high.tolist(), two_sided.adjusted.tolist(), strict=True
            )
        ]
        settings |= {margin.question.replace(" ", "-"): f"{margin.size:g}", "limits": limits.kind}
    tukey = None if pooled else tukey_hsd(table.values)
    return MeasureComparison(
        table=table,
        differences=tuple(differences),
        tukey=tukey,
        anova=tukey.model if tukey else None if pooled else two_way(table.values),
        obstacle="it is for means over queries, not for pooled scores"
        if pooled
        else obstacle(table.values, names=table.run_ids),
        powerless=powerless(table, pairs, alternative=alternative),
        alternative=alternative,
        test=corrected.test,
        interval_notes=(
            *interval_notes(
                table.name,
                [f"{pair.run_id} minus {pair.versus}" for pair in differences],
                sampling,
                [pair.n for pair in differences],
                average=table.average,
                bounds=bounds,
            ),
            *contrary_notes(table.name, differences),
        ),
        signature=str(Signature(table.name, settings | {"seed": str(seed), "v": __version__})),
    )


def _pairs(table: ScoreTable, baseline: str | None) -> Pairs:
    if baseline is None:
        order = table.best_first()
        # With very many runs only the best against the others: nobody reads ten thousand pairs of runs.
        firsts = order if len(order) <= MOST_RUNS else order[:1]
        return np.array([(first, second) for at, first in enumerate(firsts) for second in order[at + 1 :]])
    base = table.run_ids.index(baseline)
    return np.array([(row, base) for row in range(len(table.run_ids)) if row != base])


def _t_test(table: ScoreTable, pairs: Pairs, alternative: Alternative, variances: Array) -> Array:
    """p-values of the t test, which is of means over queries; NaN for pooled scores."""
    if table.average == "pool":
        return np.full(len(pairs), np.nan)
    if variances.any():
        return added_variance_p(sampling_errors(table, pairs), variances, alternative=alternative)
    return paired_t(table.values, pairs, alternative=alternative).p


def _intervals(
    table: ScoreTable, pairs: Pairs, bounds: Sequence[Bounds | None], seed: int
) -> list[ScoreInterval | None]:
    """The interval of each pair's difference, the same queries drawn for both."""
    if table.average != "pool":
        by_query = paired_differences(table.values, pairs).by_query
        return intervals_by_bounds(by_query, bounds, seed=seed)
    numbers = [int((~(table.skipped[first] | table.skipped[second])).sum()) for first, second in pairs.tolist()]
    return [
        None if end is None else ScoreInterval(end.low, end.high, "BCa", n, interval_trust(n).bca)
        for end, n in zip(_pooled_intervals(table, pairs, seed, 0.95, "both"), numbers, strict=True)
    ]


def _pooled_intervals(
    table: ScoreTable, pairs: Pairs, seed: int, confidence: float, side: Side
) -> list[Interval | None]:
    cube = table.cube()
    half = cube.shape[-1]

    def difference(sums: Array) -> Array:
        return table.of_sums(sums[..., :half]) - table.of_sums(sums[..., half:])

    intervals = []
    for first, second in pairs.tolist():
        joined = np.concatenate([cube[first], cube[second]], axis=-1)[~(table.skipped[first] | table.skipped[second])]
        intervals.append(
            statistic_interval(joined, difference, confidence=confidence, resamples=RESAMPLES, seed=seed, side=side)
        )
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
