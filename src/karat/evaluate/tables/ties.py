"""Which runs do not differ significantly: the compact letter display of the tests of all pairs of runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.tables.corrected_tests import ALPHA, MOST_RUNS, Pairs, common_queries, corrected_pairs, powerless
from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Array
from karat.model.wording import number_of
from karat.stats.significance.added_variance import Covariance
from karat.stats.significance.anova import MOST_PAIRED_RUNS
from karat.stats.significance.tie_letters import letter_groups

__all__ = ["ALPHA", "MOST_RUNS", "Ties", "tie_groups", "tie_notes"]
NO_TIES = "no tie groups"
FEW_PAIRS = 3
"""So many pairs are named in a note."""


@dataclass(frozen=True)
class Ties:
    """One or more letters per run: runs that share a letter are not significantly different. None: not tested."""

    letters: tuple[str, ...]
    note: str | None = None
    """Why there are no letters, or what a mark beside them means."""
    test: str = "none"
    """The name of the corrected test."""
    reversals: tuple[str, ...] = ()
    """Which runs differ the other way than the order of the rows says."""


def tie_groups(table: ScoreTable, *, seed: int, judge_variance: Covariance | None = None) -> Ties:
    """Tie groups of the runs of a table, best run first.

    Every pair is tested over the queries where both are defined, and the chance of any false difference is kept at
    0.05 (`corrected_pairs`). Runs without a score have no letter, and a single run has none either. Two runs without
    enough common queries are not tested, and share no letter (see `letter_groups`).
    judge_variance: see `permutation_pairs`.
    """
    totals = table.totals()
    scored = [row for row in range(len(totals)) if not np.isnan(totals[row])]
    letters = [""] * len(totals)
    if len(scored) < 2:
        return Ties(tuple(letters))
    if table.average == "median":
        return Ties(tuple(letters), f"{NO_TIES}: there are tests for mean and pooled scores, not for medians")
    if len(scored) > MOST_RUNS:
        return Ties(tuple(letters), _too_many_note(len(scored)))
    if reason := table.without_order():
        return Ties(tuple(letters), f"{NO_TIES}: {reason}")
    pairs = np.array([(first, second) for at, first in enumerate(scored) for second in scored[at + 1 :]])
    # Known before any test is made: however large the differences, they cannot be significant.
    if reason := powerless(table, pairs):
        return Ties(tuple(letters), f"{NO_TIES}: {reason}")
    tests = corrected_pairs(table, pairs, seed=seed, judge_variance=judge_variance)
    different, tested = np.zeros((len(scored), len(scored)), bool), np.eye(len(scored), dtype=bool)
    place = {row: at for at, row in enumerate(scored)}
    for (first, second), p in zip(pairs.tolist(), tests.adjusted.tolist(), strict=True):
        cells = [place[first], place[second]], [place[second], place[first]]
        # A pair without enough common queries has no p-value: it is neither tied nor different.
        tested[cells], different[cells] = not np.isnan(p), p <= ALPHA
    order = [place[row] for row in table.best_first() if row in place]
    for row, letter in zip(scored, letter_groups(different, order, tested=tested), strict=True):
        letters[row] = letter
    untested = None if tested.all() else _untested_note(table, pairs[np.isnan(tests.adjusted)])
    reversals = _reversals(table, pairs, tests.differences, tests.adjusted <= ALPHA)
    return Ties(tuple(letters), untested, tests.test, reversals)


def _too_many_note(runs: int) -> str:
    if runs <= MOST_PAIRED_RUNS:
        return f"{NO_TIES} for more than {MOST_RUNS} runs; see `karat compare --tukey`"
    return (
        f"{NO_TIES} for more than {MOST_RUNS} runs, because all pairs of runs are tested; choose runs with --runs, or "
        "compare them with one run: `karat compare --baseline RUN`"
    )


def _untested_note(table: ScoreTable, pairs: Pairs) -> str:
    named = [f"{table.run_ids[first]} and {table.run_ids[second]}" for first, second in pairs[:FEW_PAIRS].tolist()]
    more = f" and {number_of(len(pairs) - FEW_PAIRS, 'further pair')}" if len(pairs) > FEW_PAIRS else ""
    return (
        "*: a run that was not tested against every other, because they have too few queries in common "
        f"({', '.join(named)}{more}); two runs of which one has a * and that share no letter may be equal or not"
    )


def _reversals(table: ScoreTable, pairs: Pairs, differences: Array, separated: NDArray[np.bool_]) -> tuple[str, ...]:
    """Pairs that differ, where the one that stands above is the worse on the queries that both have.

    Rows have one order, but pairs that have different queries in common need not agree on one.
    """
    rank = {row: at for at, row in enumerate(table.best_first())}
    common = common_queries(table, pairs)
    sign = -1 if table.less_is_better else 1
    found = []
    for at in np.flatnonzero(separated).tolist():
        first, second = pairs[at].tolist()
        above, below = (first, second) if rank[first] < rank[second] else (second, first)
        lead = float(differences[at]) * sign * (1 if above == first else -1)
        if lead < 0:
            found.append(f"{table.run_ids[below]} is better than {table.run_ids[above]} ({common[at]} common queries)")
    if not found:
        return ()
    more = f", and {number_of(len(found) - FEW_PAIRS, 'further pair')}" if len(found) > FEW_PAIRS else ""
    return (
        f"{table.name}: the order of the rows is not that of every pair, because the runs lack different queries: "
        f"{'; '.join(found[:FEW_PAIRS])}{more}. `karat compare` has all pairs",
    )


def tie_notes(notes: Iterable[str | None]) -> list[str]:
    """The notes of several tables; why there are no tie groups, the first reason is enough."""
    given = [note for note in notes if note]
    without = [note for note in given if note.startswith(NO_TIES)]
    return [*dict.fromkeys(note for note in given if note not in without), *without[:1]]
