"""A correlation of two scorings -> tables for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from math import isinf

from karat.evaluate.compare.correlate import CorrelatedScores
from karat.model import Score, record_to_dict
from karat.reports.results.data import DataTable
from karat.reports.results.digits import decimals, with_interval
from karat.reports.results.shown import ShownResult
from karat.reports.results.tables import TextTable
from karat.reports.score.result import scores_data
from karat.stats.correlation.record import Correlation
from karat.stats.significance.tukey import SideBySide

_UNITS = {"run": "runs", "query": "cells", "within-query": "queries"}


def correlation_tables(correlated: CorrelatedScores) -> Iterator[TextTable | str]:
    """The coefficients and the swaps as tables; a remark is text."""
    observed = _observed(correlated)
    digits = decimals((each.low, each.high) for level in correlated.levels for each in level.correlations)
    rows = [
        [
            correlation.name, level.level, _value(correlation, digits),
            *([_number_or_undefined(observed[correlation.name])] if observed else []),
            f"{correlation.n} {_UNITS[level.level]}",
        ]
        for level in correlated.levels
        for correlation in level.correlations
    ]  # fmt: skip
    first, second = correlated.measures
    here = ["with these queries"] if observed else []
    a, b = correlated.sides
    if (a, b) != ("A", "B"):
        yield f"A is {a}, the reference; B is {b}"
    yield TextTable(["coefficient", "level", f"{first} of A with {second} of B", *here, "over"], rows)
    yield f"intervals: 95 %, for {correlated.about}"
    bins = [] if correlated.swaps is None else [part for part in correlated.swaps.bins if part.pairs]
    if bins:
        yield TextTable(
            [f"{first} of A differs by", "pairs", "swapped", "rate"],
            [
                [f"{part.low:g} to {part.high:g}", str(part.pairs), str(part.swapped), _share(part.rate)]
                for part in bins
            ],
            right=["pairs", "swapped", "rate"],
        )
    if correlated.separated is not None:
        yield side_by_side(correlated.separated, f"{first} of {a}", f"{second} of {b}")


def correlation_scores(correlated: CorrelatedScores) -> list[Score]:
    """The coefficients as score records: the run is "all", the query is "all", the level is part of the measure."""
    observed = _observed(correlated)
    return [
        Score(
            run_id="all", query_id="all", measure=f"{correlation.name}({level.level})", value=correlation.value,
            low=correlation.low, high=_finite(correlation.high), n=correlation.n,
            undefined=int(correlation.value is None), signature=correlated.signature,
            extra={
                "a": correlated.measures[0], "b": correlated.measures[1],
                **_files(correlated),
                **({"target": correlation.target} if correlation.target else {}),
                **({"observed": observed[correlation.name]} if observed else {}),
                **({"reason": correlation.undefined_reason} if correlation.value is None else {}),
            },
        )
        for level in correlated.levels
        for correlation in level.correlations
    ]  # fmt: skip


def _files(correlated: CorrelatedScores) -> dict[str, str]:
    """The files of the two sides, where they are known."""
    return {} if correlated.sides == ("A", "B") else dict(zip(("a_file", "b_file"), correlated.sides, strict=True))


def _observed(correlated: CorrelatedScores) -> dict[str, float | None]:
    """The coefficients with these queries, where the values are those of infinitely many; else empty."""
    return {
        correlation.name: value
        for level in correlated.levels
        for correlation, value in zip(level.correlations, level.observed, strict=False)
    }


def _number_or_undefined(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _finite(end: float | None) -> float | None:
    """A one-sided interval of an error has no upper end; a record has no infinity."""
    return None if end is None or isinf(end) else end


def _value(correlation: Correlation, digits: int) -> str:
    if correlation.value is None:
        return f"undefined: {correlation.undefined_reason}"
    return with_interval(correlation.value, correlation.low, correlation.high, digits=digits)


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.1%}"


def side_by_side(both: SideBySide, first: str, second: str) -> str:
    """How many pairs of runs each of two scorings separates, in a sentence."""
    return (
        f"Tukey's HSD separates {both.separated_a:,} of {both.pairs:,} pairs of runs by {first} and "
        f"{both.separated_b:,} by {second}: {both.both:,} by both, {both.only_a:,} only by the first, "
        f"{both.only_b:,} only by the second, {both.contradictions:,} in opposite directions"
    )


def correlation_result(correlated: CorrelatedScores) -> ShownResult:
    """What `karat correlate` prints."""
    swaps = [] if correlated.swaps is None else [part for part in correlated.swaps.bins if part.pairs]
    names = ("low", "high", "pairs", "swapped", "rate")

    def tables() -> list[DataTable]:
        found = [scores_data(correlation_scores(correlated), "correlations")]
        if swaps:
            found.append(DataTable.of("swaps", [{name: getattr(part, name) for name in names} for part in swaps]))
        if correlated.separated is not None:
            found.append(DataTable.of("separated", [asdict(correlated.separated)]))
        return found

    return ShownResult(
        parts=lambda width: correlation_tables(correlated),
        tables=tables,
        lines=lambda: [record_to_dict(score) for score in correlation_scores(correlated)],
        notes=(*correlated.notes, *correlated.interval_notes),
        signatures=[] if correlated.signature is None else [correlated.signature],
    )
