"""What a pilot says about two runs: their difference, its spread, and how many queries it takes to show it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from karat.evaluate.plan.goal import Goal
from karat.evaluate.tables.score_table import ScoreTable
from karat.model import UsageError
from karat.model.wording import number_of

SAFE = 0.8
"""The probability that the true spread is not larger than that of a safe plan (Browne 1995)."""


class SpreadLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A standard deviation of the differences, and how many queries are needed if it is the true one."""

    sd: float
    queries_needed: int | None
    """None: more than a million, or no difference in the direction asked for."""


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs that were given say about their difference."""

    run_id: str | None
    """None: all pairs of runs; then `observed` is the median size of their differences, and sd is their median sd."""
    versus: str | None
    pairs: int
    queries: int
    """On how many queries both runs are defined."""
    left_out: int
    observed: float
    low: float | None
    """95 % interval of the observed difference of two runs, by the t distribution."""
    high: float | None
    least: SpreadLimit
    """The ends of the 95 % interval of the sd, where differences are normally distributed."""
    most: SpreadLimit
    safe: SpreadLimit
    """With the upper limit of the sd that holds with 80 % confidence."""
    power: float | None
    """Of a test with the queries at hand; None where it is undefined."""
    detectable: float | None
    """The difference that the queries at hand show with the power asked for."""


class Piloted(msgspec.Struct, frozen=True):
    """A pilot, with the difference and the spread to plan for."""

    pilot: Pilot
    difference: float
    sd: float


def pilot_of(
    table: ScoreTable, *, runs: Sequence[str] | None, difference: float | None, goal: Goal, notes: list[str]
) -> Piloted:
    """What a table says about two of its runs, or about a typical pair; adds to `notes` what a reader should know."""
    named = _pair(table, runs)
    first, second, observed, pairs = _typical_pair(table, notes) if named is None else (*named, None, 1)
    planned_for = difference if difference is not None else observed
    limits = {}
    for confidence in (0.025, SAFE, 0.975):
        limit = goal.from_pilot(table.values[first], table.values[second], planned_for, confidence)
        if limit is None:
            names = f"{table.run_ids[first]} and {table.run_ids[second]}"
            raise UsageError(f"{table.name}: {names} have fewer than two queries in common")
        limits[confidence] = limit
    pilot = limits[SAFE]
    half = _half_width(pilot.sd, pilot.queries)
    if named is not None and pilot.left_out:
        left_out = number_of(pilot.left_out, "query")
        notes.append(f"{table.name}: {left_out} left out, where one of the two runs has no value")
    if goal.one_sided and pilot.difference < 0:
        names = f"{table.run_ids[first]} is below {table.run_ids[second]}"
        notes.append(f"{table.name}: {names}, which a one-sided test does not look for; name them in the other order")
    elif difference is None:
        may_be = ", and may be zero" if named is not None and abs(pilot.difference) <= half else ""
        notes.append(f"{table.name}: planned for the difference observed, which is uncertain itself{may_be}; "
                     "--difference plans for one that matters")  # fmt: skip
    seen = pilot.observed_difference if observed is None else observed
    said = Pilot(
        run_id=None if named is None else table.run_ids[first],
        versus=None if named is None else table.run_ids[second],
        pairs=pairs,
        queries=pilot.queries,
        left_out=pilot.left_out,
        observed=seen,
        low=None if named is None else seen - half,
        high=None if named is None else seen + half,
        least=SpreadLimit(sd=limits[0.025].sd_upper, queries_needed=limits[0.025].queries_needed_upper),
        most=SpreadLimit(sd=limits[0.975].sd_upper, queries_needed=limits[0.975].queries_needed_upper),
        safe=SpreadLimit(sd=pilot.sd_upper, queries_needed=pilot.queries_needed_upper),
        power=goal.power_of(pilot.difference, pilot.sd, pilot.queries),
        detectable=goal.detectable(pilot.sd, pilot.queries),
    )
    return Piloted(said, pilot.difference, pilot.sd)


def _pair(table: ScoreTable, runs: Sequence[str] | None) -> tuple[int, int] | None:
    """The rows of the two runs to compare; None for all pairs. If there are two and none is named: the better first."""
    if runs is None:
        if len(table.run_ids) > 2:
            return None
        best, other = table.best_first()
        return best, other
    if len(runs) != 2 or runs[0] == runs[1]:
        raise UsageError(f"a plan is for two runs, A,B; {', '.join(runs) or 'nothing'} was named")
    unknown = [run_id for run_id in runs if run_id not in table.run_ids]
    if unknown:
        raise UsageError(f"there is no run {' or '.join(map(repr, unknown))}; choose from {', '.join(table.run_ids)}")
    return table.run_ids.index(runs[0]), table.run_ids.index(runs[1])


def _typical_pair(table: ScoreTable, notes: list[str]) -> tuple[int, int, float, int]:
    """The pair of median sd, the median size of all differences, and the number of pairs."""
    spreads = []
    for first in range(len(table.run_ids)):
        for second in range(first + 1, len(table.run_ids)):
            by_query = table.values[first] - table.values[second]
            known = by_query[~np.isnan(by_query)]
            if len(known) >= 2:
                spreads.append((float(known.std(ddof=1)), abs(float(known.mean())), first, second))
    if not spreads:
        raise UsageError(f"{table.name}: no two runs have two queries in common")
    spreads.sort()
    _, _, first, second = spreads[(len(spreads) - 1) // 2]
    notes.append(
        f"{table.name}: no two runs are named, so the median sd of the differences of {len(spreads):,} pairs of runs "
        f"is taken (they go from {spreads[0][0]:.3f} to {spreads[-1][0]:.3f}); --runs A,B plans for two"
    )
    return first, second, float(np.median([size for _, size, *_ in spreads])), len(spreads)


def _half_width(sd: float, queries: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(queries - 1, 0.975)) * sd / math.sqrt(queries)
