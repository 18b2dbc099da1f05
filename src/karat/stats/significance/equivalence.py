"""Showing that runs are not worse, or as good as equal: a test that finds no difference shows neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.significance.added_variance import Covariance
from karat.stats.significance.max_t import LEAST_QUERIES, RESAMPLES, MaxT, max_t


@dataclass(frozen=True, slots=True, eq=False)
class MarginTest:
    """One entry a pair of runs: what was shown at `alpha` for all pairs together, and the limits that show it."""

    shown: NDArray[np.bool_]
    """False where it was not shown, which does not say that the opposite holds."""
    tested: NDArray[np.bool_]
    low: Floats
    high: Floats
    differences: Floats
    n: NDArray[np.int64]
    margin: float
    alpha: float


def noninferiority(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    less_is_better: bool = False,
    least: int = LEAST_QUERIES,
    resamples: int = RESAMPLES,
    seed: int = 0,
    covariance: Covariance | None = None,
) -> MarginTest:
    """Whether the first run of each pair is worse than the second by less than `margin`.

    Shown where the one-sided lower limit of the difference (first - second) at 1 - alpha lies above -margin; with
    `less_is_better`, where the upper limit lies below +margin. The limits of a lone pair are at 1 - alpha / 2, as for
    new drugs (ICH E9): a lone pair has only its own variance, and with skewed differences, or many zeros, 10 or 20
    queries gave .07 to .11 false passes at 1 - alpha. The limits are simultaneous (`max_t`): the chance that
    any pair is called not worse wrongly is at most alpha. covariance: of errors of the runs that all queries share, see
    `max_t`.

    >>> base = [0.4, 0.5, 0.7, 0.6, 0.5, 0.3, 0.8, 0.6, 0.2, 0.4]
    >>> scores = [[0.4, 0.6, 0.7, 0.5, 0.5, 0.3, 0.8, 0.6, 0.2, 0.4], base]
    >>> [bool(noninferiority(scores, [[0, 1]], margin=margin).shown[0]) for margin in (0.001, 0.2)]
    [False, True]
    """
    _check(margin, alpha)
    found = max_t(
        values,
        pairs,
        alternative="less" if less_is_better else "greater",
        confidence=1 - alpha / (2 if len(np.asarray(pairs)) == 1 else 1),
        least=least,
        resamples=resamples,
        seed=seed,
        covariance=covariance,
    )
    # A comparison with NaN is False: nothing is shown of an untested pair.
    shown = found.high < margin if less_is_better else found.low > -margin
    return _of(found, shown, margin, alpha)


def equivalence(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    least: int = LEAST_QUERIES,
    resamples: int = RESAMPLES,
    seed: int = 0,
    covariance: Covariance | None = None,
) -> MarginTest:
    """Whether the difference of each pair lies between -margin and margin: two one-sided tests (TOST; Schuirmann 1987).

    One pair: both one-sided tests at alpha / 2 (see `noninferiority`): the limits are an interval at 1 - alpha. Several
    pairs: the limits are those of the simultaneous two-sided intervals at 1 - alpha, since of two pairs one may be too
    high and the other too low: the chance that any pair is called equivalent wrongly is at most alpha.
    """
    _check(margin, alpha)
    if len(np.asarray(pairs)) > 1:
        found = max_t(
            values, pairs, confidence=1 - alpha, least=least, resamples=resamples, seed=seed, covariance=covariance
        )
        return _of(found, (found.low > -margin) & (found.high < margin), margin, alpha)
    above, below = (
        max_t(
            values,
            pairs,
            alternative=side,
            confidence=1 - alpha / 2,
            least=least,
            resamples=resamples,
            seed=seed,
            covariance=covariance,
        )
        for side in ("greater", "less")
    )
    return _of(above, (above.low > -margin) & (below.high < margin), margin, alpha, high=below.high)


def _of(
    found: MaxT, shown: NDArray[np.bool_], margin: float, alpha: float, *, high: Floats | None = None
) -> MarginTest:
    high = found.high if high is None else high
    return MarginTest(shown, found.tested, found.low, high, found.differences, found.n, margin, alpha)


def _check(margin: float, alpha: float) -> None:
    if not 0 < margin < np.inf:
        raise UsageError(f"margin {margin}: a loss that does not matter is a number above 0")
    if not 0 < alpha < 0.5:
        raise UsageError(f"alpha {alpha} is not between 0 and 0.5")
