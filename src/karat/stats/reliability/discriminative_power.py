"""How many pairs of runs are significantly different with a given number of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from karat.model.errors import UsageError
from karat.stats.arrays import Floats, score_matrix
from karat.stats.run_pairs import RunPairs, run_pairs
from karat.stats.significance.holm import holm
from karat.stats.significance.t_test import paired_t

CORRECTIONS = ("holm", "none")
MOST_PAIRS = 100_000
"""Of more pairs (from 448 runs on) a random part of about this size is tested: each of the trials takes as long as the
number of pairs, which grows with the square of the runs. The share found has a sampling error of at most .002."""
PAIRS_AT_ONCE = 20_000
"""Bounds the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscriminativePower:
    """The mean share of run pairs that are significantly different with `size` questions."""

    size: int
    trials: int
    pairs: int
    share: float | None
    """None where no pair could be tested in any trial: one run, or one question."""
    low: float | None
    high: float | None
    """The 2.5 and 97.5 % quantiles over the trials."""
    untested: float
    """The mean number of pairs without a test (see `significant_pairs`); they are left out."""
    drawn: int | None = None
    """Where there are more than MOST_PAIRS pairs: how many of them were drawn, and stand for all; otherwise None."""


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """How many pairs of runs could be tested, and how many are significantly different."""

    tested: int
    different: int


def discriminative_power(
    values: npt.ArrayLike,
    *,
    sizes: Sequence[int],
    alpha: float = 0.05,
    trials: int = 100,
    seed: int = 0,
    correction: str = "holm",
) -> tuple[DiscriminativePower, ...]:
    """The share of run pairs found different at level alpha, by the number of questions (Sakai, SIGIR 2006).

    For each size, that many questions are drawn without replacement `trials` times, and all pairs of runs are compared
    by the paired t-test, with Holm's correction over the pairs or none. A draw of all questions is made only once. Of
    more than MOST_PAIRS pairs a random part is tested, the same in all trials (`drawn_pairs`), and corrected for the
    number of all.

    Raises:
        UsageError: a size is below 1 or above the number of questions.
    """
    scores = score_matrix(values)
    _check(alpha=alpha, correction=correction)
    check_draws(sizes, largest=scores.shape[1], trials=trials)
    pairs = drawn_pairs(len(scores), seed=seed)
    rng = np.random.default_rng(seed)
    rows = []
    for size in sizes:
        times = 1 if size == scores.shape[1] else trials
        outcomes = [
            significant_pairs(
                scores[:, rng.permutation(scores.shape[1])[:size]], alpha=alpha, correction=correction, pairs=pairs
            )
            for _ in range(times)
        ]
        rows.append(_summary(outcomes, size=size, runs=len(scores), drawn=None if pairs is None else len(pairs)))
    return tuple(rows)


def drawn_pairs(runs: int, *, seed: int) -> RunPairs | None:
    """The pairs that stand for all, where there are more than MOST_PAIRS (`run_pairs`); None: all are tested."""
    return run_pairs(runs, most=MOST_PAIRS, seed=seed) if comb(runs, 2) > MOST_PAIRS else None


def significant_pairs(
    scores: Floats, *, alpha: float = 0.05, correction: str = "holm", pairs: RunPairs | None = None
) -> PairOutcome:
    """How many pairs of runs differ by the paired t-test, over the questions where both are defined.

    Two runs with the same scores do not differ. There is no test, and the pair is left out, where the two share fewer
    than two questions, or where the difference is the same on each and not zero: then the noise is unknown.

    pairs: only these s of all m pairs, drawn at random; the counts are then of these. Holm's correction is that of all
    m: the j-th smallest of s p-values stands for place j m / s among all, so p_j is compared with
    alpha / (m - (j - 1) m / s), which is Holm's test of the s pairs at the level alpha s / m.
    """
    _check(alpha=alpha, correction=correction)
    p_values = _paired_p_values(scores) if pairs is None else _p_values_of(scores, pairs)
    part = 1.0 if pairs is None else len(pairs) / comb(len(scores), 2)
    p_values = p_values[~np.isnan(p_values)]
    adjusted, level = (holm(p_values), alpha * part) if correction == "holm" else (p_values, alpha)
    return PairOutcome(len(p_values), int(np.count_nonzero(adjusted <= level)))


def check_draws(sizes: Sequence[int], *, largest: int, trials: int, what: str = "questions") -> None:
    """Raises UsageError for sizes that cannot be drawn."""
    if trials < 1:
        raise UsageError(f"trials {trials} is not 1 or more")
    wrong = [str(size) for size in sizes if not 1 <= size <= largest]
    if wrong:
        raise UsageError(f"cannot draw {', '.join(wrong)} {what}: sizes must be from 1 to {largest} here")


def _paired_p_values(scores: Floats) -> Floats:
    """Two-sided, of every pair of runs; NaN where there is no test."""
    from scipy.special import stdtr

    defined = ~np.isnan(scores)
    there = defined.astype(np.float64)
    # Differences do not change when a question's mean is taken off, and sums of squares lose fewer digits.
    per_query = np.where(defined, scores, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    filled = np.where(defined, scores - per_query, 0)
    first, second = np.triu_indices(len(scores), k=1)
    n = (there @ there.T)[first, second]
    total = (filled @ there.T)[first, second] - (there @ filled.T)[first, second]
    squares_of_both = (filled**2 @ there.T)[first, second] + (there @ (filled**2).T)[first, second]
    squares = squares_of_both - 2 * (filled @ filled.T)[first, second]
    mean = total / np.maximum(n, 1)
    rest = squares - total * mean
    # Squares that are left by rounding are not a variance, and a mean that is left by rounding is not a difference.
    rest = np.where(rest <= 1e-12 * squares_of_both, 0, rest)
    mean = np.where(np.abs(mean) <= 1e-12 * np.sqrt(squares_of_both), 0, mean)
    error = np.sqrt(rest / np.maximum(n - 1, 1) / np.maximum(n, 1))
    t = np.divide(np.abs(mean), error, out=np.zeros(len(n)), where=error > 0)
    p = 2 * stdtr(np.maximum(n - 1, 1), -t)
    without_test = (n < 2) | ((error == 0) & (mean != 0))
    return np.asarray(np.where(without_test, np.nan, p), dtype=np.float64)


def _p_values_of(scores: Floats, pairs: RunPairs) -> Floats:
    """The same of some pairs."""
    starts = range(0, len(pairs), PAIRS_AT_ONCE)
    return np.concatenate([paired_t(scores, pairs[start : start + PAIRS_AT_ONCE]).p for start in starts])


def _summary(outcomes: Sequence[PairOutcome], *, size: int, runs: int, drawn: int | None) -> DiscriminativePower:
    pairs = comb(runs, 2)
    tested = np.array([outcome.tested for outcome in outcomes])
    shares = [outcome.different / outcome.tested for outcome in outcomes if outcome.tested]
    low, high = np.quantile(shares, [0.025, 0.975]).tolist() if shares else (None, None)
    return DiscriminativePower(
        size=size,
        trials=len(outcomes),
        pairs=pairs,
        share=float(np.mean(shares)) if shares else None,
        low=low,
        high=high,
        untested=float(np.mean(pairs - tested if drawn is None else pairs * (1 - tested / drawn))),
        drawn=drawn,
    )


def _check(*, alpha: float, correction: str) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"alpha {alpha} is not between 0 and 1")
    if correction not in CORRECTIONS:
        raise UsageError(f"correction {correction!r} is not one of {', '.join(CORRECTIONS)}")
