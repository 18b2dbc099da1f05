"""Whether a run is shown to be not worse, or as good as equal: a test that finds no difference shows neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.evaluate.compare.comparison import MarginVerdict, PairDifference
from karat.evaluate.tables.corrected_tests import ALPHA, common_queries
from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Array
from karat.model import UsageError
from karat.stats.intervals.bca import Interval, Side
from karat.stats.intervals.bounded import EQUAL, Bounds, bounded_mean_intervals
from karat.stats.significance.added_variance import Covariance, pair_variances
from karat.stats.significance.equivalence import equivalence, noninferiority
from karat.stats.significance.max_t import LEAST_QUERIES
from karat.stats.significance.t_test import paired_differences

Question = Literal["not worse", "equivalent"]
Pairs = NDArray[np.int64]
PooledIntervals = Callable[[float, Side], Sequence[Interval | None]]
"""From a confidence and a side, the intervals of the differences of pooled scores."""
DIFFERENCES = Bounds(-1.0, 1.0)
"""Of two shares."""


@dataclass(frozen=True)
class Margin:
    """What is to be shown of every pair, and by how much a run may be worse, or differ."""

    question: Question
    size: float

    def __post_init__(self) -> None:
        if not 0 < self.size < np.inf:
            raise UsageError(f"{self.option} {self.size:g}: a difference that does not matter is a number above 0")

    @property
    def option(self) -> str:
        return "--max-loss" if self.question == "not worse" else "--equivalent"

    def check(self, measure: str, bounds: Sequence[Bounds | None]) -> None:
        """A difference that cannot occur is no margin: everything would be shown."""
        if self.size >= DIFFERENCES.high and all(each is not None for each in bounds):
            raise UsageError(
                f"{self.option} {self.size:g}: {measure} lies between 0 and 1, so no two runs differ by more than 1; "
                "give a number below 1"
            )


@dataclass(frozen=True)
class MarginLimits:
    """One entry per pair: limits of its difference, true for all pairs together in 95 %.

    An end that the question does not ask for is infinite; NaN where there is no limit.
    """

    low: Array
    high: Array
    kind: str
    """For the signature."""


def margin_limits(
    table: ScoreTable,
    pairs: Pairs,
    margin: Margin,
    *,
    lasting: Covariance | None = None,
    pooled: PooledIntervals | None = None,
    seed: int = 0,
) -> MarginLimits:
    """Limits of each pair's difference: one-sided for "not worse", two one-sided ones for "equivalent".

    Means over queries have simultaneous max-T limits (`noninferiority`, `equivalence`) from ten common queries on.
    Where no pair has as many, or resampling gives no limit (differences that are all equal, or nearly all), shares have
    limits from their bounds (`bounded_mean_intervals`), each at 1 - 0.05 / pairs (Bonferroni). Pooled scores have
    limits from the bootstrap, from ten common queries on, on each side at 1 - 0.025 / pairs; a limit at the difference
    itself (every resample is the same) is none. Pairs without a common query do not count.

    lasting: the covariance of the runs' scores by the judge's lasting errors.
    """
    known = pair_bounds(table, pairs)
    margin.check(table.name, known)
    low, high = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    common = common_queries(table, pairs)
    count = max(1, int((common > 0).sum()))
    tested = common >= LEAST_QUERIES
    if table.average == "pool":
        assert pooled is not None
        low, high = _ends(pooled(1 - ALPHA / count, "both"))
        decided = tested & (high - low > EQUAL)
        low, high = (np.where(decided, end, np.nan) for end in _widened(low, high, table, pairs, lasting, count))
        if margin.question == "not worse":
            low, high = (
                (np.full(len(pairs), -np.inf), high) if table.less_is_better else (low, np.full(len(pairs), np.inf))
            )
        return MarginLimits(low, high, "bootstrap-bonferroni")
    paired = paired_differences(table.values, pairs)
    kinds = []
    if tested.any():
        together = (
            noninferiority(
                table.values, pairs[tested], margin=margin.size, less_is_better=table.less_is_better, seed=seed,
                covariance=lasting,
            )
            if margin.question == "not worse"
            else equivalence(table.values, pairs[tested], margin=margin.size, seed=seed, covariance=lasting)
        )  # fmt: skip
        low[tested], high[tested] = together.low, together.high
        kinds.append("max-t")
    # Where nothing varies over queries, the limits would be those of the judge's error and of nothing else.
    flat = not np.any(np.nanmax(paired.by_query[tested], axis=1) > np.nanmin(paired.by_query[tested], axis=1))
    open_ended = (_open(low, high, margin, table.less_is_better) | flat) & (tested | ~tested.any())
    low, high = np.where(open_ended, np.nan, low), np.where(open_ended, np.nan, high)
    shares = open_ended & np.array([each is not None for each in known])
    if shares.any():
        by_query = np.clip(paired.by_query, DIFFERENCES.low, DIFFERENCES.high)

        def of_bounds(confidence: float, side: Side) -> Sequence[Interval | None]:
            return bounded_mean_intervals(by_query, bounds=DIFFERENCES, confidence=confidence, side=side, seed=seed)

        level = ALPHA / count if margin.question == "not worse" or count == 1 else ALPHA / count / 2
        ends = _widened(*_separate(margin, table.less_is_better, of_bounds, level=level), table, pairs, lasting, count)
        low, high = np.where(shares, ends[0], low), np.where(shares, ends[1], high)
        kinds.append("bounded-bonferroni")
    return MarginLimits(low, high, "+".join(kinds) or "none")


def pair_bounds(table: ScoreTable, pairs: Pairs) -> list[Bounds | None]:
    """Of the difference of two runs: known where both are shares."""
    of_runs = table.bounds
    return [
        None if of_runs[first] is None or of_runs[second] is None else DIFFERENCES for first, second in pairs.tolist()
    ]


def with_margin(
    pair: PairDifference, low: float, high: float, margin: Margin, *, different: bool | None = None
) -> PairDifference:
    """A pair with the limits of its difference, and what they show; NaN shows nothing.

    "not worse": a loss of the margin or more is ruled out; "worse": it is not, and the loss is significant.
    "equivalent": differences of the margin or more are ruled out; "different": they are not, and the difference is
    significant. A significant difference can be smaller than the margin: then it does not matter. different: whether
    the two-sided test finds a difference; by default, whether the pair's own test does.
    """
    verdict: MarginVerdict
    different = pair.significant if different is None else different
    if margin.question == "equivalent":
        shown = low > -margin.size and high < margin.size
        verdict = "equivalent" if shown else "different" if different else "undecided"
    else:
        shown = high < margin.size if pair.less_is_better else low > -margin.size
        verdict = "not worse" if shown else "worse" if pair.worse else "not shown"
    return msgspec.structs.replace(
        pair, margin_verdict=verdict, margin_low=none_if_infinite(low), margin_high=none_if_infinite(high)
    )


def none_if_infinite(end: float) -> float | None:
    """A limit for a record; None where it is not known (NaN) or was not asked for."""
    return float(end) if np.isfinite(end) else None


def _open(low: Array, high: Array, margin: Margin, less_is_better: bool) -> NDArray[np.bool_]:
    """Where an end that the question asks for is missing or infinite."""
    if margin.question == "equivalent":
        return ~(np.isfinite(low) & np.isfinite(high))
    return ~np.isfinite(high if less_is_better else low)


def _separate(margin: Margin, less_is_better: bool, intervals: PooledIntervals, *, level: float) -> tuple[Array, Array]:
    """Limits pair by pair; level: the chance that one of them is wrong."""
    if margin.question == "not worse":
        return _ends(intervals(1 - level, "high" if less_is_better else "low"))
    return _ends(intervals(1 - 2 * level, "both"))


def _ends(intervals: Sequence[Interval | None]) -> tuple[Array, Array]:
    ends = np.array([(np.nan, np.nan) if end is None else (end.low, end.high) for end in intervals])
    return ends[:, 0], ends[:, 1]


def _widened(
    low: Array, high: Array, table: ScoreTable, pairs: Pairs, lasting: Covariance | None, count: int
) -> tuple[Array, Array]:
    """The limits, with the judge's lasting error at the same level: half widths add up in squares."""
    if lasting is None:
        return low, high
    from scipy.special import ndtri

    totals = table.totals()
    means = (
        totals[pairs[:, 0]] - totals[pairs[:, 1]]
        if table.average == "pool"
        else paired_differences(table.values, pairs).means
    )
    reach = float(ndtri(1 - ALPHA / 2 / count)) * np.sqrt(pair_variances(lasting, pairs))
    return means - np.hypot(means - low, reach), means + np.hypot(high - means, reach)
