"""Would fewer assessors have put the runs in the same order, and found as many significant differences?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Ints, run_means, score_matrix
from karat.stats.reliability.discriminative_power import check_draws, drawn_pairs, significant_pairs
from karat.stats.reliability.rank_stability import OrderChanges


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessorStability:
    """The order of runs by panels of `size` assessors, compared with the full panel, and the differences rows."""

    size: int
    panels: int
    pairs: int
    swapped: float | None
    tied: float | None
    low: float | None
    high: float | None
    share_different: float | None
    """The mean share of run pairs that differ significantly over all questions."""


def by_assessors(
    score_with_assessors: Callable[[Ints], npt.ArrayLike],
    n_assessors: int,
    *,
    sizes: Sequence[int],
    trials: int = 20,
    seed: int = 0,
    alpha: float = 0.05,
    correction: str = "holm",
) -> tuple[AssessorStability, ...]:
    """Swap rate against the full panel, and discriminative power, for each number of assessors.

    `score_with_assessors` takes the indices of a panel and gives its scores (runs, queries). For each size `trials`
    panels are drawn; where there are not more than that, every panel is taken once. Of more than MOST_PAIRS pairs of
    runs, a random part is tested (`drawn_pairs`).
    """
    check_draws(sizes, largest=n_assessors, trials=trials, what="assessors")
    full = run_means(score_matrix(score_with_assessors(np.arange(n_assessors))))[:, 0]
    pairs = drawn_pairs(len(full), seed=seed)
    rng = np.random.default_rng(seed)
    rows = []
    for size in sizes:
        compared, shares = [], []
        for panel in _panels(n_assessors, size, trials=trials, rng=rng):
            scores = score_matrix(score_with_assessors(panel))
            if len(scores) != len(full):
                raise UsageError(f"a panel has scores of {len(scores)} runs, but the full panel of {len(full)}")
            compared.append(run_means(scores)[:, 0])
            outcome = significant_pairs(scores, alpha=alpha, correction=correction, pairs=pairs)
            shares += [outcome.different / outcome.tested] if outcome.tested else []
        of_panels = np.array(compared)
        swapped, tied, low, high = OrderChanges.of(of_panels, np.broadcast_to(full, of_panels.shape)).shares()
        rows.append(
            AssessorStability(
                size=size,
                panels=len(compared),
                pairs=comb(len(full), 2),
                swapped=swapped,
                tied=tied,
                low=low,
                high=high,
                share_different=float(np.mean(shares)) if shares else None,
            )
        )
    return tuple(rows)


def _panels(n: int, size: int, *, trials: int, rng: np.random.Generator) -> Iterator[Ints]:
    if comb(n, size) <= trials:
        yield from (np.array(panel, dtype=np.intp) for panel in combinations(range(n), size))
    else:
        yield from (np.sort(rng.permutation(n)[:size]) for _ in range(trials))
