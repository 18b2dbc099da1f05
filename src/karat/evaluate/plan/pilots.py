"""What a pilot says about two runs: their difference, its spread, and how many queries it takes to show it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import comb

import msgspec
import numpy as np

from karat.evaluate.plan.goal import Goal
from karat.evaluate.tables.score_table import ScoreTable
from karat.model import UnfitInput, UsageError
from karat.model.wording import number_of
from karat.stats.reliability.permutation_power import PermutationTest
from karat.stats.reliability.safe_plan import WRONG_WAY, SafePlan
from karat.stats.run_pairs import run_pairs
from karat.stats.significance.added_variance import Covariance, pair_variances
from karat.stats.significance.t_test import difference_spreads

MANY_PAIRS = "the median difference of all pairs is no pair's own: name two runs with --runs, or a difference"

MOST_PAIRS = 500_000
"""From 1,001 runs on, the typical pair is that of about so many pairs, drawn at random: the number of all pairs grows
with the square of the runs."""

SAFE_TRUST = (
    "in simulations the safe number was enough for at least 84 % of the pilots that gave one, but for as few as 77 % "
    "where the better run loses much on a few queries; a rare failure that the pilot did not show is in no plan"
)
"""How far a safe number can be trusted (benchmarks/honesty/plans.py)."""


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
    sd_low: float
    """The ends of the 95 % interval of the sd, where differences are normally distributed."""
    sd_high: float
    safe_queries: int | None
    """The true power is as asked for in 4 of 5 pilots that give this number, by simulation (`plan_queries`)."""
    reason: str | None
    """Why there is no safe number, or no number at all."""
    judge_floor: float | None
    """Below this difference no number of queries is enough, because of the judge's own error; None: people judged."""
    needed: int | None = None
    """Where a pilot stands without a plan (`pilots_of_pairs`): the queries that show the observed difference."""


class Piloted(msgspec.Struct, frozen=True):
    """A pilot, with the difference and the spread to plan for, and the test."""

    pilot: Pilot
    difference: float
    sd: float
    queries_needed: int | None
    test: PermutationTest


def pilot_of(
    table: ScoreTable, *, runs: Sequence[str] | None, difference: float | None, goal: Goal, notes: list[str],
    seed: int = 0, judge_variance: Covariance | None = None,
) -> Piloted:  # fmt: skip
    """What a table says about two of its runs, or about a typical pair; adds to `notes` what a reader should know.

    judge_variance: the covariance of the runs' scores (runs x runs) by errors of the judge that all queries share.
    """
    named = _pair(table, runs)
    first, second, observed, pairs = _typical_pair(table, notes, seed) if named is None else (*named, None, 1)
    variance = 0.0 if judge_variance is None else float(pair_variances(judge_variance, [[first, second]])[0])
    plan = goal.from_pilot(
        table.values[first], table.values[second], difference if difference is not None else observed,
        judge_variance=variance, seed=seed,
    )  # fmt: skip
    if plan is None:
        names = f"{table.run_ids[first]} and {table.run_ids[second]}"
        raise UnfitInput(f"{table.name}: {names} have fewer than two queries in common")
    safe_queries, reason = plan.safe_queries, plan.reason
    if difference is None and observed is not None and reason is None:
        safe_queries, reason = None, MANY_PAIRS
    if safe_queries is not None:
        notes.append(f"{table.name}: {SAFE_TRUST}")
    half = _half_width(plan.sd, plan.queries)
    notes += _notes(table, (first, second), plan, half, named is not None, difference, goal)
    if reason is not None and reason != WRONG_WAY:
        notes.append(f"{table.name}: no {'safe ' if plan.queries_needed else ''}number of queries: {reason}")
    floor = plan.test.floor(power=goal.power) * plan.sd if variance else None
    if floor is not None:
        notes.append(
            f"{table.name}: with this judge no number of queries shows a difference below {floor:.3f} with power "
            f"{goal.power:g}, because its error stays; label some answers (--review) or name another judge"
        )
    seen = plan.observed_difference if observed is None else observed
    low, high = _spread_interval(plan.sd, plan.queries)
    said = Pilot(
        run_id=None if named is None else table.run_ids[first],
        versus=None if named is None else table.run_ids[second],
        pairs=pairs,
        queries=plan.queries,
        left_out=plan.left_out,
        observed=seen,
        low=None if named is None else seen - half,
        high=None if named is None else seen + half,
        sd_low=low,
        sd_high=high,
        safe_queries=safe_queries,
        reason=reason,
        judge_floor=floor,
    )
    return Piloted(said, plan.difference, plan.sd, plan.queries_needed, plan.test)


def _notes(
    table: ScoreTable, rows: tuple[int, int], plan: SafePlan, half: float, named: bool, difference: float | None,
    goal: Goal,
) -> list[str]:  # fmt: skip
    notes = []
    if named and plan.left_out:
        left_out = number_of(plan.left_out, "query")
        notes.append(f"{table.name}: {left_out} left out, where one of the two runs has no value")
    if goal.one_sided and plan.difference < 0:
        names = f"{table.run_ids[rows[0]]} is below {table.run_ids[rows[1]]}"
        notes.append(f"{table.name}: {names}, which a one-sided test does not look for; name them in the other order")
    elif difference is None:
        may_be = ", and may be zero" if named and abs(plan.difference) <= half else ""
        notes.append(f"{table.name}: planned for the difference observed, which is uncertain itself{may_be}; "
                     "--difference plans for one that matters")  # fmt: skip
    return notes


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


def _typical_pair(table: ScoreTable, notes: list[str], seed: int) -> tuple[int, int, float, int]:
    """The pair of median sd, the median size of all differences, and the number of pairs."""
    pairs = run_pairs(len(table.run_ids), most=MOST_PAIRS, seed=seed)
    sizes, spreads = difference_spreads(table.values, pairs)
    has_spread = ~np.isnan(spreads)
    if not has_spread.any():
        raise UnfitInput(f"{table.name}: no two runs have two queries in common")
    pairs, sizes, spreads = pairs[has_spread], sizes[has_spread], spreads[has_spread]
    order = np.lexsort((pairs[:, 1], pairs[:, 0], sizes, spreads))
    first, second = pairs[order[(len(order) - 1) // 2]].tolist()
    of_all = comb(len(table.run_ids), 2)
    drawn = f", drawn at random from {of_all:,}," if len(has_spread) < of_all else ""
    notes.append(
        f"{table.name}: no two runs are named, so the median sd of the differences of {len(pairs):,} pairs of runs"
        f"{drawn} is taken (they go from {spreads[order[0]]:.3f} to {spreads[order[-1]]:.3f}); --runs A,B plans for two"
    )
    return first, second, float(np.median(sizes)), len(pairs)


def _half_width(sd: float, queries: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(queries - 1, 0.975)) * sd / math.sqrt(queries)


def _spread_interval(sd: float, queries: int) -> tuple[float, float]:
    from scipy.special import chdtri

    df = queries - 1
    return sd * math.sqrt(df / float(chdtri(df, 0.025))), sd * math.sqrt(df / float(chdtri(df, 0.975)))
