"""Which kind of interval scores have, why it is not the usual one, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.evaluate.tables.score_table import Average, ScoreTable
from karat.measures.cases.cases import ALL_QUERIES
from karat.model.wording import number_of
from karat.stats.intervals.bounded import EQUAL, FEW_QUERIES, Bounds, Method, ScoreInterval, interval_trust

KINDS: dict[Method, str] = {
    "BCa": "bootstrap-bca",
    "bounded": "bounded-gaffke",
    "equal values": "equal-values",
    "percentile": "bootstrap-percentile",
}
"""The names of the kinds in a signature."""


def interval_kinds(intervals: Iterable[ScoreInterval | None]) -> str:
    """The kinds that occur, for a signature; "none" where there is no interval."""
    methods = {interval.method for interval in intervals if interval is not None}
    return "+".join(name for method, name in KINDS.items() if method in methods) or "none"


def table_interval_notes(table: ScoreTable, intervals: Sequence[ScoreInterval | None], part: str) -> list[str]:
    """What to know about the intervals of a table's runs. part: ALL_QUERIES, or the name of a slice."""
    return interval_notes(
        table.name, table.run_ids, intervals, [table.n(row) for row in range(len(table.run_ids))],
        average=table.average, bounds=table.bounds, of="" if part == ALL_QUERIES else f", {part}",
    )  # fmt: skip


def interval_notes(
    measure: str,
    names: Sequence[str],
    intervals: Sequence[ScoreInterval | None],
    numbers: Sequence[int],
    *,
    average: Average = "query",
    bounds: Bounds | None,
    of: str = "",
) -> list[str]:
    """What to know about the intervals of runs, or of pairs of runs; one note for all of a kind, but equal values.

    names: whose intervals; numbers: of queries; bounds: of the values, None where they are not known; of: of which
    queries, where not of all.
    """
    notes = []
    few = [end for end in intervals if end is not None and end.n < FEW_QUERIES]
    bounded = [end.n for end in few if end.method == "bounded"]
    if bounded and bounds is not None:
        notes.append(
            f"{measure}{of}: intervals from fewer than {FEW_QUERIES} queries (here {min(bounded)}) use the bounds "
            f"{bounds.low:g} and {bounds.high:g} of the values and are wide, because resampling so few queries gives "
            "intervals that are too narrow"
        )
    resampled = [end.n for end in few if end.method not in ("bounded", "equal values")]
    if resampled:
        notes.append(_resampled_note(measure, of, min(resampled), average))
    for name, end, n in zip(names, intervals, numbers, strict=True):
        if end is not None and end.method == "equal values":
            notes.append(
                f"{measure}{of}: all {n} values of {name} are equal; the interval is what as many equal values leave "
                "open about other queries, by the bounds of the values (Clopper & Pearson)"
            )
        elif end is not None and end.high - end.low <= EQUAL:
            notes.append(
                f"{measure}{of}: the interval of {name} has no width, because every resampled score is the same; this "
                "does not say that other queries would give the same score"
            )
        elif end is None and n > 1 and average == "query" and bounds is None:
            notes.append(
                f"{measure}{of}: no interval for {name}: all {number_of(n, 'value')} are equal, and the measure has no "
                "known bounds"
            )
    return notes


def _resampled_note(measure: str, of: str, n: int, average: Average) -> str:
    start = f"{measure}{of}: with fewer than {FEW_QUERIES} queries (here {n}) the intervals are too narrow"
    if average != "query":
        kind = {"pool": "pooled scores", "median": "medians"}[average]
        return f"{start}: they are resampled, because there is no other kind for {kind}"
    return (
        f"{start}: the measure has no known bounds, so queries are resampled (BCa), and in the worst of eight kinds of "
        f"scores {interval_trust(n).bca:.0%} of such intervals held the mean instead of 95 %"
    )
