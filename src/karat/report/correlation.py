"""Correlated scores -> tables and rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

from karat.evaluate.compare.correlate import CorrelatedScores
from karat.model import Score
from karat.report.tables import print_table
from karat.stats.correlation.record import Correlation

_UNITS = {"run": "runs", "query": "cells", "within-query": "queries"}


def print_correlations(found: CorrelatedScores) -> Iterator[str]:
    """Print the tables; yields what is to be said beside them."""
    rows = [
        [one.name, level.level, _value(one), f"{one.n} {_UNITS[level.level]}"]
        for level in found.levels
        for one in level.correlations
    ]
    print_table(["coefficient", "by", f"{found.measures[0]} with {found.measures[1]}", "over"], rows)
    if found.swaps is not None:
        bins = [one for one in found.swaps.bins if one.pairs]
    if found.swaps is not None and bins:
        print_table(
            [f"{found.measures[0]} differs by", "pairs", "swapped", "rate"],
            [[f"{one.low:g} to {one.high:g}", str(one.pairs), str(one.swapped), _share(one.rate)] for one in bins],
            right=["pairs", "swapped", "rate"],
        )
    if found.separated is not None:
        beside = found.separated
        yield (
            f"Tukey's HSD separates {beside.separated_a:,} of {beside.pairs:,} pairs of runs by {found.measures[0]} "
            f"and {beside.separated_b:,} by {found.measures[1]} ({beside.both:,} by both, "
            f"{beside.contradictions:,} the other way round)"
        )


def correlation_scores(found: CorrelatedScores) -> list[Score]:
    """The coefficients as score records: the run is "all", the query "all", the level stands in the measure."""
    return [
        Score(
            run_id="all", query_id="all", measure=f"{one.name}({level.level})", value=one.value, low=one.low,
            high=_finite(one.high), n=one.n, undefined=int(one.value is None), signature=found.signature,
            extra={"a": found.measures[0], "b": found.measures[1]},
        )
        for level in found.levels
        for one in level.correlations
    ]  # fmt: skip


def _finite(end: float | None) -> float | None:
    """A one-sided interval of an error has no upper end; a record has no infinity."""
    return None if end is None or isinf(end) else end


def _value(one: Correlation) -> str:
    if one.value is None:
        return f"undefined: {one.undefined_reason}"
    interval = "" if one.low is None or one.high is None else f" [{one.low:.3f}, {one.high:.3f}]"
    return f"{one.value:.3f}{interval}"


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"
