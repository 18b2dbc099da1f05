"""Which runs do not differ significantly: corrected tests of pairs of runs, and their compact letter display."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.evaluate.tables.score_table import ScoreTable
from karat.measures.base import Array
from karat.stats.significance.added_variance import (
    SamplingError,
    added_variance_p,
    jackknife_errors,
    mean_errors,
    pair_variances,
)
from karat.stats.significance.holm import holm
from karat.stats.significance.max_t import LEAST_QUERIES, max_t
from karat.stats.significance.permutation import (
    PermutationResult,
    pair_pvalues,
    possible_pvalues,
    statistic_pair_pvalues,
)
from karat.stats.significance.t_test import Alternative
from karat.stats.significance.tie_letters import letter_groups

ALPHA = 0.05
NO_TIES = "no tie groups"
UNTESTED_NOTE = (
    "*: a run that was not tested against every other, because they have too few queries in common; two runs with a * "
    "and no common letter may be equal or not"
)
MOST_RUNS = 120
"""With more runs Holm's correction needs p-values so small that they take minutes to compute."""


@dataclass(frozen=True)
class Ties:
    """One or more letters per run: runs that share a letter are not significantly different. None: not tested."""

    letters: tuple[str, ...]
    note: str | None = None
    """Why there are no letters, or what a mark beside them means."""
    test: str = "none"
    """The name of the corrected test."""


def permutation_pairs(
    table: ScoreTable,
    pairs: NDArray[np.int64],
    *,
    alternative: Alternative = "two-sided",
    seed: int,
    resolution: float | None = None,
    judge_variance: Array | None = None,
) -> PermutationResult:
    """Paired permutation tests of run pairs: of pooled scores where the table pools, else of means over queries.

    judge_variance: the covariance of the runs' scores (runs x runs) by errors of the judge that all queries share
    (`JudgeError.lasting`), which a permutation of queries does not see. Where a pair has some, p is the larger of the
    permutation test's and that of a t test with this variance added (`added_variance_p`).
    """
    if table.average == "pool":
        # A query that one of the two was not asked is left out for both.
        counts = np.where(table.skipped[..., None], np.nan, table.cube())
        tested = statistic_pair_pvalues(
            counts, table.of_sums, pairs, alternative=alternative, resolution=resolution, seed=seed
        )
    else:
        tested = pair_pvalues(table.values, pairs, alternative=alternative, resolution=resolution, seed=seed)
    if judge_variance is None:
        return tested
    variance = pair_variances(judge_variance, pairs)
    with_judge = added_variance_p(sampling_errors(table, pairs), variance, alternative=alternative)
    return replace(tested, p=np.where(variance > 0, np.fmax(tested.p, with_judge), tested.p))


def sampling_errors(table: ScoreTable, pairs: NDArray[np.int64]) -> SamplingError:
    """Differences of run pairs and their standard errors over queries."""
    if table.average != "pool":
        return mean_errors(table.values, pairs)
    cube = table.cube()
    without = table.of_sums(cube.sum(axis=1, keepdims=True) - cube)
    return jackknife_errors(table.totals(), np.where(table.skipped, np.nan, without), pairs)


def tie_groups(table: ScoreTable, *, seed: int, alpha: float = ALPHA, judge_variance: Array | None = None) -> Ties:
    """Tie groups of the runs of a table, best run first.

    Every pair is tested over the queries where both are defined, and the chance of any false difference is kept at
    alpha (`corrected_pairs`). Runs without a score have no letter, and a single run has none either. Two runs without
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
        return Ties(tuple(letters), f"{NO_TIES} for more than {MOST_RUNS} runs; see `karat compare --tukey`")
    pairs = np.array([(first, second) for at, first in enumerate(scored) for second in scored[at + 1 :]])
    # Known before any test is made: however large the differences, they cannot be significant.
    if reason := powerless(table, pairs, alpha=alpha):
        return Ties(tuple(letters), f"{NO_TIES}: {reason}")
    tests = corrected_pairs(table, pairs, seed=seed, judge_variance=judge_variance)
    different, tested = np.zeros((len(scored), len(scored)), bool), np.eye(len(scored), dtype=bool)
    place = {row: at for at, row in enumerate(scored)}
    for (first, second), p in zip(pairs.tolist(), tests.adjusted.tolist(), strict=True):
        cells = [place[first], place[second]], [place[second], place[first]]
        # A pair without enough common queries has no p-value: it is neither tied nor different.
        tested[cells], different[cells] = not np.isnan(p), p <= alpha
    order = [place[row] for row in table.best_first() if row in place]
    for row, letter in zip(scored, letter_groups(different, order, tested=tested), strict=True):
        letters[row] = letter
    return Ties(tuple(letters), None if tested.all() else UNTESTED_NOTE, tests.test)


def tie_notes(notes: Iterable[str | None]) -> list[str]:
    """The notes of several tables; why there are no tie groups, the first reason is enough."""
    given = [note for note in notes if note]
    without = [note for note in given if note.startswith(NO_TIES)]
    return [*dict.fromkeys(note for note in given if note not in without), *without[:1]]


@dataclass(frozen=True)
class CorrectedPairs:
    """Tests of run pairs: each by itself, and corrected for their number."""

    single: PermutationResult | None
    """None where the corrected test does not need them."""
    adjusted: Array
    """NaN: the pair was not tested."""
    test: str
    """The name of the corrected test."""
    low: Array | None = None
    """low, high: limits of the differences for all pairs together; None where the test has none."""
    high: Array | None = None


def corrected_pairs(
    table: ScoreTable,
    pairs: NDArray[np.int64],
    *,
    alternative: Alternative = "two-sided",
    seed: int,
    judge_variance: Array | None = None,
) -> CorrectedPairs:
    """Test run pairs so that the chance of any false difference among them is at most 0.05.

    Means over queries are tested by the max-T test of all pairs together (`max_t`) where there are several pairs and
    some have ten or more common queries; pairs with fewer are then not tested. Everything else (one pair, few queries,
    pooled scores) has permutation tests with Holm's correction. judge_variance: see `permutation_pairs`; it is part of
    the max-T statistics.
    """
    judged = "" if judge_variance is None else "-judge"
    if not uses_max_t(table, pairs):
        single = permutation_pairs(
            table, pairs, alternative=alternative, seed=seed, resolution=ALPHA / len(pairs),
            judge_variance=judge_variance,
        )  # fmt: skip
        return CorrectedPairs(single, holm(single.p), f"permutation{judged}-holm")
    tests = max_t(
        table.values, pairs, alternative=alternative, confidence=1 - ALPHA, seed=seed, covariance=judge_variance
    )
    return CorrectedPairs(None, tests.p, f"max-t{judged}", tests.low, tests.high)


def uses_max_t(table: ScoreTable, pairs: NDArray[np.int64]) -> bool:
    """Whether pairs are tested together: means over queries, several pairs, and enough common queries somewhere."""
    if table.average != "query" or len(pairs) < 2:
        return False
    present = (~np.isnan(table.values)).astype(float)
    return bool(((present @ present.T)[pairs[:, 0], pairs[:, 1]] >= LEAST_QUERIES).any())


def powerless(
    table: ScoreTable, pairs: NDArray[np.int64], *, alternative: Alternative = "two-sided", alpha: float = ALPHA
) -> str | None:
    """The reason, as a sentence, where no difference could be significant after the correction; otherwise None."""
    if uses_max_t(table, pairs):
        return None
    defined = ~table.skipped if table.average == "pool" else ~np.isnan(table.values)
    possible = possible_pvalues(defined, pairs, alternative=alternative)
    queries = int(possible.n.max(initial=0))
    if not queries:
        return "no two runs have a query in common"
    smallest = float(np.nanmin(possible.smallest))
    count, sides = len(pairs), 2 if alternative == "two-sided" else 1
    if smallest <= alpha / count:
        return None
    needed = 1
    while sides / 2**needed > alpha / count:
        needed += 1
    if table.average == "query" and count > 1:
        # From here on the pairs are tested together (`uses_max_t`).
        needed = min(needed, LEAST_QUERIES)
    return (
        f"with {queries} quer{'y' if queries == 1 else 'ies'} no difference, however large, "
        f"is significant ({count} pair{'s' * (count != 1)} of runs need{'s' * (count == 1)} at least {needed} queries)"
    )
