"""Would other questions have put the runs in the same order?

A pair of runs is swapped where one set of questions places the first run above the second, and the other set below.
Pairs that are tied in either set are counted separately; pairs with a run without a defined score in either set are
left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, Ints, run_means, score_matrix
from karat.stats.correlation.rank_pairs import counts_of_vectors
from karat.stats.reliability.discriminative_power import check_draws

MODES = ("disjoint", "subset-vs-all")
PAIRS_AT_ONCE = 1_000_000
"""Bounds the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRate:
    """The mean share of run pairs in another order, with `size` questions in a set."""

    size: int
    mode: str
    trials: int
    pairs: int
    swapped: float | None
    """None where there is no pair to compare: one run, or no defined scores."""
    tied: float | None
    """The share of pairs that are tied in at least one of the two sets."""
    low: float | None
    high: float | None
    """The 2.5 and 97.5 % quantiles of the swapped share over the trials."""
    undefined: float
    """The mean number of pairs with a run without a score; they are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceBin:
    """Pairs whose official difference is at least `low` and below `high` (in the last bin: or equal to it)."""

    low: float
    high: float
    pairs: int
    swapped: int
    tied: int
    rate: float | None
    """swapped / pairs; None where the bin is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapsByDifference:
    bins: tuple[DifferenceBin, ...]
    official_ties: int
    """Pairs that are tied by the official scores: they have no order that could be swapped."""
    outside: int
    """Pairs whose official difference is in no bin."""
    undefined: int


def swap_rates(
    values: npt.ArrayLike, *, sizes: Sequence[int], trials: int = 100, seed: int = 0, mode: str = "disjoint"
) -> tuple[SwapRate, ...]:
    """How often run pairs change their order with other questions, by the number of questions.

    `mode="disjoint"`: two sets of questions without a common question are drawn and their orders compared (Voorhees &
    Buckley, SIGIR 2002); sizes go up to half of the questions. `mode="subset-vs-all"`: one set is drawn and compared
    with all questions, up to all of them; as part of the whole it has fewer swaps.

    Raises:
        UsageError: a size cannot be drawn; the message names the largest.
    """
    scores = score_matrix(values)
    if mode not in MODES:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(MODES)}")
    queries = scores.shape[1]
    check_draws(sizes, largest=queries // 2 if mode == "disjoint" else queries, trials=trials)
    rng = np.random.default_rng(seed)
    rates = []
    for size in sizes:
        compared = []
        for _ in range(1 if size == queries else trials):
            drawn = rng.permutation(queries)
            other = scores[:, drawn[size : 2 * size]] if mode == "disjoint" else scores
            compared.append((run_means(scores[:, drawn[:size]])[:, 0], run_means(other)[:, 0]))
        orders = OrderChanges.of(*(np.array(side) for side in zip(*compared, strict=True)))
        swapped, tied, low, high = orders.shares()
        rates.append(
            SwapRate(
                size=size,
                mode=mode,
                trials=len(compared),
                pairs=comb(len(scores), 2),
                swapped=swapped,
                tied=tied,
                low=low,
                high=high,
                undefined=float(np.mean(comb(len(scores), 2) - orders.known)),
            )
        )
    return tuple(rates)


def swaps_by_difference(official: npt.ArrayLike, other: npt.ArrayLike, *, bins: Sequence[float]) -> SwapsByDifference:
    """How often `other` swaps a pair of runs, by the official difference (Lin & Demner-Fushman, HLT-NAACL 2006).

    Both are scores (runs,) or (runs, queries), of which the means are taken; `bins` are the rising edges of the bins
    of the absolute official difference.
    """
    first, second = _one_score_per_run(official), _one_score_per_run(other)
    edges = np.asarray(bins, dtype=np.float64)
    if len(first) != len(second):
        raise UsageError(f"official has {len(first)} runs, but other has {len(second)}; they must be the same runs")
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise UsageError(f"bins must be two or more rising edges, not {list(bins)}")
    # A difference that misses its edge only by rounding belongs to the edge: 0.3 - 0.2 is 0.1.
    slack = 1e-12 * float(np.max(np.abs(first), initial=0, where=~np.isnan(first)))
    counts = np.zeros((3, len(edges) - 1), dtype=np.intp)
    official_ties = untied_pairs = undefined = 0
    for difference, product in _order_blocks(first, second):
        known, untied = ~np.isnan(product), difference > 0
        inside = np.searchsorted(edges - slack, difference, side="right") - 1
        inside[np.abs(difference - edges[-1]) <= slack] = len(edges) - 2
        binned = known & untied & (inside >= 0) & (inside < len(edges) - 1)
        for row, which in enumerate((binned, binned & (product < 0), binned & (product == 0))):
            counts[row] += np.bincount(inside[which], minlength=len(edges) - 1)
        official_ties += int(np.count_nonzero(known & ~untied))
        untied_pairs += int(np.count_nonzero(known & untied))
        undefined += int(np.count_nonzero(~known))
    in_bins = [
        DifferenceBin(
            low=float(low), high=float(high), pairs=pairs, swapped=swapped, tied=tied,
            rate=swapped / pairs if pairs else None,
        )
        for (low, high), (pairs, swapped, tied) in zip(pairwise(edges), counts.T.tolist(), strict=True)
    ]  # fmt: skip
    return SwapsByDifference(
        bins=tuple(in_bins),
        official_ties=official_ties,
        outside=untied_pairs - sum(part.pairs for part in in_bins),
        undefined=undefined,
    )


@dataclass(frozen=True, slots=True, eq=False)
class OrderChanges:
    """How many pairs of runs change their order between two vectors of scores; one entry per comparison."""

    known: Ints
    """Pairs of which both runs have both scores."""
    swapped: Ints
    tied: Ints
    """Tied in either vector."""

    @classmethod
    def of(cls, first: Floats, second: Floats) -> OrderChanges:
        """From scores (comparisons, runs), NaN undefined; counted as merge sort counts inversions, in n log n steps."""
        known, swapped, same = [], [], []
        for counts in counts_of_vectors(first, second):
            runs = counts.copies.sum(axis=0)
            known.append(runs * (runs - 1) / 2)
            # Each swapped pair is counted by the run that is below in the second vector, each other by the lower run.
            swapped.append((counts.above_y_below_x * counts.copies).sum(axis=0))
            same.append((counts.above_both * counts.copies).sum(axis=0))
        of_all, changed, kept = (np.rint(np.concatenate(part)).astype(np.intp) for part in (known, swapped, same))
        return cls(of_all, changed, of_all - changed - kept)

    def shares(self) -> tuple[float | None, float | None, float | None, float | None]:
        """The mean shares that are swapped and tied, and the 2.5 and 97.5 % quantiles of the first; None without any
        known pair."""
        some = self.known > 0
        if not some.any():
            return None, None, None, None
        swapped, tied = self.swapped[some] / self.known[some], self.tied[some] / self.known[some]
        low, high = np.quantile(swapped, [0.025, 0.975]).tolist()
        return float(np.mean(swapped)), float(np.mean(tied)), low, high


def _order_blocks(first: Floats, second: Floats) -> Iterator[tuple[Floats, Floats]]:
    """For each pair of runs, some at a time: the size of its first difference, and 1 in the same order, -1 swapped, 0
    tied in either, NaN without a score."""
    runs = len(first)
    at_once = max(1, PAIRS_AT_ONCE // max(1, runs))
    for start in range(0, runs, at_once):
        rows = np.arange(start, min(start + at_once, runs))
        later = np.arange(runs) > rows[:, None]
        of_first, of_second = ((scores[rows, None] - scores)[later] for scores in (first, second))
        yield np.abs(of_first), np.sign(of_first) * np.sign(of_second)


def _one_score_per_run(values: npt.ArrayLike) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    return run_means(score_matrix(scores[:, None] if scores.ndim == 1 else scores))[:, 0]
