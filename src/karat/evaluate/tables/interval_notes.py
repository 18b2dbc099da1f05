"""Which kind of interval scores have, why it is not the usual one, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

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
ENOUGH_FOR_RARE = 50
"""With fewer queries, what happens to one answer in twenty is often not seen at all."""
FAR = 4.0
FEW_NAMES = 3


def interval_kinds(intervals: Iterable[ScoreInterval | None]) -> str:
    """The kinds that occur, for a signature; "none" where there is no interval."""
    methods = {interval.method for interval in intervals if interval is not None}
    return "+".join(name for method, name in KINDS.items() if method in methods) or "none"


def table_interval_notes(table: ScoreTable, intervals: Sequence[ScoreInterval | None], part: str) -> list[str]:
    """What to know about the intervals of a table's runs. part: ALL_QUERIES, or the name of a slice."""
    of = "" if part == ALL_QUERIES else f", {part}"
    return interval_notes(
        table.name, table.run_ids, intervals, [table.n(row) for row in range(len(table.run_ids))],
        average=table.average, bounds=table.bounds, of=of,
    )  # fmt: skip


def rare_failure_notes(tables: Iterable[tuple[ScoreTable, Sequence[ScoreInterval | None], str]]) -> list[str]:
    """One note about the runs whose scores lie close together and far from a bound: tables, intervals, slices.

    Resampling knows only what was seen, and a rare failure would change everything.
    """
    where = []
    for table, intervals, part in tables:
        if names := _narrow(table, intervals):
            where.append(f"{table.name}{'' if part == ALL_QUERIES else f', {part}'} ({_named(names)})")
    if not where:
        return []
    return [
        f"{'; '.join(where)}: all scores lie close together, far from a bound of the scores; a rare failure that these "
        "queries do not show is in no interval (where one answer in twenty fails, .4 of such intervals from 10 queries "
        "held the mean, .6 from 20, .9 from 50)"
    ]


def _narrow(table: ScoreTable, intervals: Sequence[ScoreInterval | None]) -> list[str]:
    """The runs. Far: the gap to a bound is four times as wide as the scores' range."""
    if table.average != "query":
        return []
    narrow = []
    for row, (end, bounds) in enumerate(zip(intervals, table.bounds, strict=True)):
        if end is None or bounds is None or end.method != "BCa" or not FEW_QUERIES <= end.n < ENOUGH_FOR_RARE:
            continue
        least, most = float(np.nanmin(table.values[row])), float(np.nanmax(table.values[row]))
        if max(least - bounds.low, bounds.high - most) >= FAR * (most - least):
            narrow.append(table.run_ids[row])
    return narrow


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW_NAMES]) + (f" and {len(names) - FEW_NAMES} more" if len(names) > FEW_NAMES else "")


def interval_notes(
    measure: str,
    names: Sequence[str],
    intervals: Sequence[ScoreInterval | None],
    numbers: Sequence[int],
    *,
    average: Average = "query",
    bounds: Sequence[Bounds | None],
    of: str = "",
) -> list[str]:
    """What to know about the intervals of runs, or of pairs of runs; one note for all of a kind.

    names: whose intervals; numbers: of queries; bounds: of the values of each, None where they are not known; of: of
    which queries, where not of all.
    """
    notes = []
    few = [end for end in intervals if end is not None and end.n < FEW_QUERIES]
    bounded = [end.n for end in few if end.method == "bounded"]
    known = next((each for each in bounds if each is not None), None)
    if bounded and known is not None:
        notes.append(
            f"{measure}{of}: intervals from fewer than {FEW_QUERIES} queries (here {min(bounded)}) use the bounds "
            f"{known.low:g} and {known.high:g} of the values and are wide, because resampling so few queries gives "
            "intervals that are too narrow"
        )
    resampled = [end.n for end in few if end.method not in ("bounded", "equal values")]
    if resampled:
        notes.append(_resampled_note(measure, of, min(resampled), average))
    equal = [
        (name, n)
        for name, end, n in zip(names, intervals, numbers, strict=True)
        if end is not None and end.method == "equal values"
    ]
    if equal:
        values = f"{equal[0][1]} values" if len({n for _, n in equal}) == 1 else "values"
        notes.append(
            f"{measure}{of}: all {values} of {_named([name for name, _ in equal])} are equal; the interval is what as "
            "many equal values leave open about other queries, by the bounds of the values (Clopper & Pearson)"
        )
    for name, end, n, of_name in zip(names, intervals, numbers, bounds, strict=True):
        if end is not None and end.method != "equal values" and end.high - end.low <= EQUAL:
            notes.append(
                f"{measure}{of}: the interval of {name} has no width, because every resampled score is the same; this "
                "does not say that other queries would give the same score"
            )
        elif end is None and n > 1 and average == "query" and of_name is None:
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
