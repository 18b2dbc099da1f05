"""Whether a run is shown to be not worse, or as good as equal: a test that finds no difference shows neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.evaluate.compare.comparison import MarginVerdict, PairDifference
from karat.evaluate.tables.score_table import ScoreTable
from karat.evaluate.tables.ties import ALPHA
from karat.measures.base import Array
from karat.model import UsageError
from karat.stats.intervals.bca import Interval, Side
from karat.stats.intervals.bounded import Bounds, bounded_mean_intervals
from karat.stats.significance.added_variance import pair_variances
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
            option = "--max-loss" if self.question == "not worse" else "--equivalent"
            raise UsageError(f"{option} {self.size:g}: a difference that does not matter is a number above 0")


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
    lasting: Array | None = None,
    pooled: PooledIntervals | None = None,
    seed: int = 0,
) -> MarginLimits:
    """Limits of each pair's difference: one-sided for "not worse", two one-sided ones for "equivalent".

    Means over queries have simultaneous max-T limits (`noninferiority`, `equivalence`) from ten common queries on.
    Where no pair has as many, or resampling gives no limit (differences that are all equal, or nearly all), shares have
    limits from their bounds (`bounded_mean_intervals`), each at 1 - 0.05 / pairs (Bonferroni); so have pooled scores
    from the bootstrap. lasting: the covariance of the runs' scores by the judge's lasting errors.
    """
    if table.average == "pool":
        assert pooled is not None
        low, high = _separate(pairs, margin, table.less_is_better, pooled)
        return MarginLimits(*_widened(low, high, table, pairs, lasting), "bootstrap-bonferroni")
    paired = paired_differences(table.values, pairs)
    low, high = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    tested = paired.n >= LEAST_QUERIES
    kinds = []
    if tested.any():
        together = (
            noninferiority(
                table.values, pairs, margin=margin.size, less_is_better=table.less_is_better, seed=seed,
                covariance=lasting,
            )
            if margin.question == "not worse"
            else equivalence(table.values, pairs, margin=margin.size, seed=seed, covariance=lasting)
        )  # fmt: skip
        low, high = together.low.copy(), together.high.copy()
        kinds.append("max-t")
    # Where nothing varies over queries, the limits would be those of the judge's error and of nothing else.
    flat = not np.any(np.nanmax(paired.by_query[tested], axis=1) > np.nanmin(paired.by_query[tested], axis=1))
    open_ended = (_open(low, high, margin, table.less_is_better) | flat) & (tested | ~tested.any())
    low, high = np.where(open_ended, np.nan, low), np.where(open_ended, np.nan, high)
    if open_ended.any() and table.bounds is not None:
        by_query = np.clip(paired.by_query, DIFFERENCES.low, DIFFERENCES.high)

        def of_bounds(confidence: float, side: Side) -> Sequence[Interval | None]:
            return bounded_mean_intervals(by_query, bounds=DIFFERENCES, confidence=confidence, side=side, seed=seed)

        ends = _widened(*_separate(pairs, margin, table.less_is_better, of_bounds), table, pairs, lasting)
        low, high = np.where(open_ended, ends[0], low), np.where(open_ended, ends[1], high)
        kinds.append("bounded-bonferroni")
    return MarginLimits(low, high, "+".join(kinds) or "none")


def with_margin(pair: PairDifference, low: float, high: float, margin: Margin) -> PairDifference:
    """A pair with the limits of its difference, and what they show; NaN shows nothing.

    "not worse": a loss of the margin or more is ruled out; "worse": it is not, and the loss is significant.
    "equivalent": differences of the margin or more are ruled out; "different": they are not, and the difference is
    significant. A significant difference can be smaller than the margin: then it does not matter.
    """
    verdict: MarginVerdict
    if margin.question == "equivalent":
        shown = low > -margin.size and high < margin.size
        verdict = "equivalent" if shown else "different" if pair.significant else "undecided"
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


def _separate(
    pairs: Pairs,
    margin: Margin,
    less_is_better: bool,
    intervals: PooledIntervals,
) -> tuple[Array, Array]:
    """Limits pair by pair, at levels that hold for all pairs together."""
    confidence = 1 - ALPHA / len(pairs)
    if margin.question == "not worse":
        return _ends(intervals(confidence, "high" if less_is_better else "low"))
    if len(pairs) == 1:
        return _ends(intervals(confidence, "low"))[0], _ends(intervals(confidence, "high"))[1]
    return _ends(intervals(confidence, "both"))


def _ends(intervals: Sequence[Interval | None]) -> tuple[Array, Array]:
    ends = np.array([(np.nan, np.nan) if end is None else (end.low, end.high) for end in intervals])
    return ends[:, 0], ends[:, 1]


def _widened(low: Array, high: Array, table: ScoreTable, pairs: Pairs, lasting: Array | None) -> tuple[Array, Array]:
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
    reach = float(ndtri(1 - ALPHA / 2 / len(pairs))) * np.sqrt(pair_variances(lasting, pairs))
    return means - np.hypot(means - low, reach), means + np.hypot(high - means, reach)
