"""Which differences between runs are real."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat import __version__
from karat.evaluate.cases import Missing
from karat.evaluate.nug_changes import NugChange, nug_changes
from karat.evaluate.table import RESAMPLES, Average, ScoreTable
from karat.evaluate.tabulating import tabulated
from karat.evaluate.ties import ALPHA, permutation_pairs, powerless
from karat.formats import load
from karat.formats.reading import Input, OnError
from karat.measure.base import Array
from karat.model import Collection, Signature, UsageError
from karat.stats.anova import TwoWay, obstacle
from karat.stats.bootstrap import Interval, mean_intervals, statistic_interval
from karat.stats.holm import holm
from karat.stats.power import detectable_difference
from karat.stats.t_test import paired_t
from karat.stats.tukey import SideBySide, Tukey, separated_side_by_side, tukey_hsd

Alternative = Literal["two-sided", "less", "greater"]
Pairs = NDArray[np.int64]


class PairDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One run's score minus another's."""

    measure: str
    run_id: str
    versus: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Queries on which both are defined."""
    p: float | None
    """Paired permutation test."""
    p_holm: float | None
    """The same, corrected for the number of pairs."""
    p_t: float | None
    """Paired t test, uncorrected."""
    less_is_better: bool = False
    detectable: float | None = None
    """The smallest true difference that these queries would show with a power of 0.8, uncorrected."""

    @property
    def significant(self) -> bool:
        return self.p_holm is not None and self.p_holm <= ALPHA

    @property
    def loss(self) -> float:
        """By how much the run is the worse of the two; negative where it is the better."""
        value = self.value or 0.0
        return value if self.less_is_better else -value

    @property
    def worse(self) -> bool:
        return self.significant and self.loss > 0


class MeasureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one measure."""

    table: ScoreTable
    differences: tuple[PairDifference, ...]
    tukey: Tukey | None
    """Tukey's HSD on the residual of the two-way model, with the analysis of variance in `tukey.model`."""
    obstacle: str | None
    """Why there is no analysis of variance."""
    powerless: str | None
    """Where no difference, however large, could have been significant: how many queries it takes."""
    signature: str

    @property
    def anova(self) -> TwoWay | None:
        return self.tukey.model if self.tukey else None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Differences of runs, by measure, and the nugs behind them."""

    measures: tuple[MeasureComparison, ...]
    baseline: str | None
    changes: tuple[NugChange, ...]
    versus: str | None
    """The run that `changes` are against: the baseline, else the best."""
    side_by_side: SideBySide | None
    """Where two measures are compared: how many pairs each of them separates."""
    notes: tuple[str, ...]

    @property
    def regressions(self) -> tuple[PairDifference, ...]:
        """Runs significantly worse than the baseline."""
        return tuple(d for one in self.measures for d in one.differences if d.worse) if self.baseline else ()


def compare(
    *inputs: Input,
    baseline: str | None = None,
    runs: Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    missing: Missing = "error",
    alternative: Alternative = "two-sided",
    on_error: OnError = "stop",
    seed: int = 0,
) -> Comparison:
    """Compare the runs of the inputs: keys with judgements, or tables of scores by query.

    baseline: compare every run with this one alone (fewer tests, more power). runs: these (and the baseline) alone.
    alternative="less" asks only whether runs are worse.
    """
    return compare_collection(
        load(*inputs, on_error=on_error), baseline=baseline, runs=runs, measures=measures, beta=beta, average=average,
        missing=missing, alternative=alternative, seed=seed,
    )  # fmt: skip


def compare_collection(
    collection: Collection,
    *,
    baseline: str | None = None,
    runs: Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    beta: float | None = None,
    average: Average = "query",
    missing: Missing = "error",
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> Comparison:
    """Compare the runs of a collection."""
    if average == "median":
        raise UsageError("the tests are of mean or pooled scores; choose --average query or pool")
    found = tabulated(collection, measures=measures, beta=beta, average=average, missing=missing, most=1)
    cases = found.cases
    for table in found.tables:
        for run_id in (*(runs or ()), *([] if baseline is None else [baseline])):
            if run_id not in table.run_ids:
                raise UsageError(f"there is no run {run_id!r}; choose from {', '.join(table.run_ids)}")
    wanted = None if runs is None else {*runs, *([] if baseline is None else [baseline])}
    tables = [table if wanted is None else table.of_runs(wanted) for table in found.tables]
    for table in tables:
        if len(table.run_ids) < 2:
            by = f" by {table.name}" if len(tables) > 1 else ""
            raise UsageError(f"there is one run alone, {table.run_ids[0]}: nothing to compare it with{by}")
    compared = tuple(_compared(table, baseline, alternative, seed) for table in tables)
    first = tables[0]
    totals = first.totals()
    versus = baseline or (None if np.isnan(totals).all() else first.run_ids[first.best_first()[0]])
    changes = nug_changes(cases, first.run_ids, versus) if cases is not None and cases.judgements and versus else []
    beside = None
    if len(tables) == 2 and tables[0].run_ids == tables[1].run_ids:
        beside = separated_side_by_side(tables[0].values, tables[1].values)
    return Comparison(
        measures=compared, baseline=baseline, changes=tuple(changes), versus=versus, side_by_side=beside,
        notes=(*found.notes, *dict.fromkeys(one.powerless for one in compared if one.powerless)),
    )  # fmt: skip


def _compared(table: ScoreTable, baseline: str | None, alternative: Alternative, seed: int) -> MeasureComparison:
    rows = range(len(table.run_ids))
    if baseline is None:
        order = table.best_first()
        pairs = np.array([(one, other) for at, one in enumerate(order) for other in order[at + 1 :]])
    else:
        base = table.run_ids.index(baseline)
        pairs = np.array([(row, base) for row in rows if row != base])
    if table.less_is_better and alternative != "two-sided":
        alternative = "greater" if alternative == "less" else "less"
    tested = permutation_pairs(table, pairs, alternative=alternative, seed=seed, resolution=ALPHA / len(pairs))
    adjusted, t_test = holm(tested.p), paired_t(table.values, pairs, alternative=alternative)
    intervals = _intervals(table, pairs, seed)
    by_query = table.values[pairs[:, 0]] - table.values[pairs[:, 1]]
    found = [
        PairDifference(
            measure=table.name,
            run_id=table.run_ids[one],
            versus=table.run_ids[other],
            value=_known(tested.differences[at]),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            n=int(tested.n[at]),
            p=_known(tested.p[at]),
            p_holm=_known(adjusted[at]),
            p_t=_known(t_test.p[at]),
            less_is_better=table.less_is_better,
            detectable=_detectable(by_query[at]),
        )
        for at, ((one, other), interval) in enumerate(zip(pairs.tolist(), intervals, strict=True))
    ]
    settings = {
        "test": "permutation-holm", "pairs": str(len(pairs)), "alternative": alternative, "average": table.average,
        "seed": str(seed), "v": __version__,
    }  # fmt: skip
    return MeasureComparison(
        table=table,
        differences=tuple(found),
        tukey=tukey_hsd(table.values),
        obstacle=obstacle(table.values),
        powerless=powerless(tested, alternative=alternative),
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

    found = []
    for one, other in pairs.tolist():
        joined = np.concatenate([cube[one], cube[other]], axis=-1)[~(table.skipped[one] | table.skipped[other])]
        found.append(statistic_interval(joined, difference, resamples=RESAMPLES, seed=seed))
    return found


def _detectable(differences: Array) -> float | None:
    """What these queries would show: the smallest difference of standard deviation 1, times the one at hand."""
    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return None
    return float(np.std(known, ddof=1)) * _standard_detectable(len(known))


@lru_cache
def _standard_detectable(n: int) -> float:
    return detectable_difference(1.0, n)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
