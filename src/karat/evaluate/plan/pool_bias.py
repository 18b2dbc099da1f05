"""Would a run have scored as well if it had not helped to build the key? Leave one run out, and see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from karat.evaluate.tables.score_table import tabulate
from karat.measures.base import Array, Measure, none_if_nan
from karat.measures.cases.case import Pool
from karat.measures.cases.cases import Cases
from karat.model import UsageError
from karat.stats.correlation.ranks import kendall_tau_b

Track = Callable[[Sequence[Any], str], Iterable[Any]]
"""Goes through a sequence and shows its progress; the second argument is the name of the work."""
DIGITS = 12
"""Decimals that count: equal scores summed in another order differ a little, and are a tie nevertheless."""
Group = tuple[str, str]
"""The name of a group, or else of a run that has none."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """One run, with the nugs that nobody else found and without them."""

    run_id: str
    group: str | None
    unique_nugs: int
    """Nugs that only this run, or only runs of its group, contain."""
    score: float | None
    without: float | None
    """The score by the key without its unique nugs; None where it is undefined."""
    difference: float | None
    """`without` minus `score`."""
    rank: float | None
    """1 is the best; tied runs share their mean rank."""
    rank_without: float | None
    """Its rank where all runs are scored by that smaller key."""
    queries_lost: int
    """Queries for which the smaller key gives the run no denominator."""


class PoolBias(msgspec.Struct, frozen=True, kw_only=True):
    """How much of its score every run owes to nugs that no other run contains."""

    measure: str
    runs: tuple[LeftOut, ...]
    mean_absolute_change: float | None
    """None where no run has both scores."""
    largest_rank_change: float | None
    tau: float | None
    """Kendall's tau-b of the scores with and without the unique nugs; None where it is undefined."""


def pool_bias(
    cases: Cases,
    measure: Measure,
    *,
    groups: Mapping[str, str | None] | None = None,
    track: Track = lambda items, _what: items,
) -> PoolBias:
    """Score each run again without the nugs that only it (or only its group, by run_id) contains.

    A key built from the responses of runs favours those runs over one that comes later, whose finds nobody wrote down.
    Taking out of the key what only one run contains makes that run such a latecomer (Zobel, SIGIR 1998; Voorhees &
    Harman, TREC-8: by group, because runs of one group find the same). A response contains a nug whose credit by
    degree is above zero. `rank_without` is among all runs by the smaller key.
    """
    if "judgements" not in measure.needs() or not cases.judgements:
        raise UsageError(f"{measure}: pool bias needs a key with judgements, and a measure that counts judgements")
    groups = groups or {}
    group_of = {run_id: (groups.get(run_id) or "", "" if groups.get(run_id) else run_id) for run_id in cases.run_ids}
    table = tabulate(cases, measure)
    less, scores = measure.less_is_better(), table.totals()
    ranks = _ranks(scores, less)
    rows_of: dict[Group, list[int]] = {}
    for row, run_id in enumerate(cases.run_ids):
        rows_of.setdefault(group_of[run_id], []).append(row)
    without, ranks_without = scores.copy(), ranks.copy()
    unique_nugs, queries_lost = np.zeros(len(scores), int), np.zeros(len(scores), int)
    # Few groups have a nug of their own, however many runs there are: only for those is there a smaller key.
    for group, unique in track(list(_unique(cases, group_of).items()), "pool bias"):
        values = _rescored(cases, measure, table.values, unique)
        means = replace(table, values=values).totals()
        # The other runs are scored for the ranks only: to keep a table of all runs and queries per group is too much.
        rows = rows_of[group]
        unique_nugs[rows] = sum(map(len, unique.values()))
        without[rows], ranks_without[rows] = means[rows], _ranks(means, less)[rows]
        queries_lost[rows] = (np.isnan(values[rows]) & ~np.isnan(table.values[rows])).sum(axis=1)
    left_out = [
        LeftOut(
            run_id=run_id,
            group=groups.get(run_id),
            unique_nugs=int(unique_nugs[row]),
            score=none_if_nan(scores[row]),
            without=none_if_nan(without[row]),
            difference=none_if_nan(without[row] - scores[row]),
            rank=none_if_nan(ranks[row]),
            rank_without=none_if_nan(ranks_without[row]),
            queries_lost=int(queries_lost[row]),
        )
        for row, run_id in enumerate(cases.run_ids)
    ]
    both = [run for run in left_out if run.difference is not None]
    moved = [abs(run.rank_without - run.rank) for run in both if run.rank and run.rank_without]
    return PoolBias(
        measure=str(measure),
        runs=tuple(left_out),
        mean_absolute_change=sum(abs(run.difference or 0.0) for run in both) / len(both) if both else None,
        largest_rank_change=max(moved, default=None),
        tau=kendall_tau_b(
            [round(run.score or 0.0, DIGITS) for run in both], [round(run.without or 0.0, DIGITS) for run in both]
        ).value,
    )


def _unique(cases: Cases, group_of: Mapping[str, Group]) -> dict[Group, dict[str, set[str]]]:
    """The nugs that only one group contains, by group and query."""
    unique: dict[Group, dict[str, set[str]]] = {}
    for query_id in cases.query_ids:
        # Which group contains each nug; None: several do, and who they are is not needed.
        finder: dict[str, Group | None] = {}
        for run_id in cases.run_ids:
            case = cases.case(run_id, query_id)
            group = group_of[run_id]
            for nug_id, credit in case.lenient.credits.items() if case is not None else ():
                if credit > 0:
                    finder[nug_id] = group if finder.get(nug_id, group) == group else None
        for nug_id, only in finder.items():
            if only is not None:
                unique.setdefault(only, {}).setdefault(query_id, set()).add(nug_id)
    return unique


def _rescored(cases: Cases, measure: Measure, full: Array, unique: Mapping[str, set[str]]) -> Array:
    """The values of all runs (runs, queries) by the key without these nugs."""
    values = full.copy()
    for column, query_id in enumerate(cases.query_ids):
        if query_id not in unique:
            continue
        pool = _without(cases.pools[query_id], unique[query_id])
        for row, run_id in enumerate(cases.run_ids):
            case = cases.case(run_id, query_id)
            if case is not None:
                values[row, column] = measure.values(np.asarray(measure.counts(replace(case, pool=pool))))
    return values


def _without(pool: Pool, nug_ids: set[str]) -> Pool:
    """The pool without these nugs and their parts."""
    gone = set(nug_ids)
    while parts := {nug.nug_id for nug in pool.nugs if nug.parent in gone} - gone:
        gone |= parts
    return replace(pool, nugs=[nug for nug in pool.nugs if nug.nug_id not in gone])


def _ranks(scores: Array, less_is_better: bool) -> Array:
    """From the best, which has 1; NaN where there is no score."""
    scores = (-scores if less_is_better else scores).round(DIGITS)
    rising = np.sort(scores[~np.isnan(scores)])
    below, reached = (np.searchsorted(rising, scores, side=side) for side in ("left", "right"))
    above, level = len(rising) - reached, reached - below
    return np.where(np.isnan(scores), np.nan, above + (level + 1) / 2)
