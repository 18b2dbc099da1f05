"""The order of runs and the letters beside them, from one table of scores with gaps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.stats.adjusted_means import AdjustedMeans, adjusted_means
from karat.stats.arrays import Floats, score_matrix
from karat.stats.significance.max_t import LEAST_QUERIES, RESAMPLES, MaxT, max_t
from karat.stats.significance.tie_letters import letter_groups


@dataclass(frozen=True, slots=True, eq=False)
class RunGroups:
    """Runs without any value have no letter and stand last in the order."""

    letters: tuple[str, ...]
    """As `letter_groups` gives them: two runs share one if they were tested and not told apart; a `*` says that a run
    was not tested against every other (alone: against none). All empty where no pair could be tested."""
    order: tuple[int, ...]
    """The rows, best first, by adjusted means."""
    adjusted: AdjustedMeans
    tested: NDArray[np.bool_]
    """(runs, runs); False also on the diagonal of a run without any value."""
    p: Floats
    """(runs, runs): step-down p-values; NaN where untested and on the diagonal."""
    pairs: NDArray[np.int64]
    """The pairs of runs with a value, the better one by adjusted means first."""
    tests: MaxT
    """Their tests, an entry a pair."""


def run_groups(
    values: ArrayLike,
    *,
    alpha: float = 0.05,
    less_is_better: bool = False,
    least: int = LEAST_QUERIES,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> RunGroups:
    """Order the runs of a table (runs, queries) by adjusted means and test all pairs at once (`max_t`).

    Both look at queries that runs have in common, so that a run which answered easy queries only is neither ranked nor
    told apart by its raw mean.

    >>> easy, hard = [0.8, 0.9, 0.7, 0.8, 0.9] * 2, [0.1, 0.2] * 5
    >>> weak = [0.5, 0.7, 0.6, 0.5, 0.6] * 2 + [float("nan")] * 10
    >>> found = run_groups([weak, easy + hard])
    >>> found.order, found.letters
    ((1, 0), ('b', 'a'))
    """
    table = score_matrix(values)
    adjusted = adjusted_means(table)
    goodness = np.nan_to_num(-adjusted.means if less_is_better else adjusted.means, nan=-np.inf)
    order = np.argsort(-goodness, kind="stable")
    ranked = order[adjusted.parts[order] >= 0]
    pairs = np.array(list(combinations(ranked.tolist(), 2)), dtype=np.int64).reshape(-1, 2)
    tests = max_t(table, pairs, confidence=1 - alpha, least=least, resamples=resamples, seed=seed)
    p = np.full((len(table), len(table)), np.nan)
    tested = np.diag(adjusted.parts >= 0)
    for matrix, found in ((p, tests.p), (tested, tests.tested)):
        matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = found
    letters = [""] * len(table)
    if tests.tested.any():
        square = np.ix_(ranked, ranked)
        # A comparison with NaN is False: an untested pair is not told apart, and letter_groups does not tie it either.
        shown = letter_groups(p[square] <= alpha, range(len(ranked)), tested=tested[square])
        for row, letter in zip(ranked.tolist(), shown, strict=True):
            letters[row] = letter
    return RunGroups(tuple(letters), tuple(order.tolist()), adjusted, tested, p, pairs, tests)
