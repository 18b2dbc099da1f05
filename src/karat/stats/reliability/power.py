"""Power planning: how many queries it takes to tell two runs apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.model import UsageError
from karat.stats.arrays import checked_scores
from karat.stats.significance.studentized_range import scaled_chi, smallest

ALTERNATIVES = ("two-sided", "greater", "less")
MOST_QUERIES = 1_000_000


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """What two runs on a few queries say of how many are needed."""

    difference: float
    """The difference planned for."""
    observed_difference: float
    sd: float
    """Of the differences a query."""
    sd_upper: float
    """Upper confidence limit of the sd: a small pilot may have found it too small by chance."""
    queries_needed: int | None
    queries_needed_upper: int | None
    """The same with `sd_upper`. None: more than a million, or no difference in the direction asked for."""
    queries: int
    """How many queries both runs have a value for."""
    left_out: int


def paired_power(difference: float, sd: float, n: int, *, alpha: float = 0.05, alternative: str = "two-sided") -> float:
    """The chance that the paired t test over n queries finds a true mean difference, by the noncentral t distribution.

    P(|T| > t(1 - alpha/2; n - 1)), T with n - 1 degrees of freedom and noncentrality sqrt(n) difference / sd; `sd` is
    that of the differences a query. "greater": the test finds differences above zero only.

    With sd 0 every difference is found (1, or 0 in the direction not asked for); no difference at all leaves the test
    undefined: NaN. So do fewer than two queries.

    >>> round(paired_power(0.05, 0.2, 128), 4)
    0.8015
    """
    _check(sd=sd, alpha=alpha, alternative=alternative)
    if not math.isfinite(difference):
        raise UsageError(f"a difference is a finite number, not {difference}")
    if n < 2:
        return math.nan
    if alternative == "less":
        difference = -difference
    if sd == 0:
        if difference == 0:
            return math.nan
        return 1.0 if difference > 0 or alternative == "two-sided" else 0.0
    shift = math.sqrt(n) * difference / sd
    if alternative == "two-sided":
        return _tail(shift, n - 1, alpha / 2) + _tail(-shift, n - 1, alpha / 2)
    return _tail(shift, n - 1, alpha)


def queries_needed(
    difference: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    comparisons: int = 1,
) -> int | None:
    """The fewest queries (at least 2) with which the paired t test finds this difference with this power.

    With several `comparisons` each is tested at alpha / comparisons (Bonferroni). None: more than a million, or no
    difference in the direction asked for.

    >>> queries_needed(0.05, 0.2), queries_needed(0.05, 0.2, comparisons=10)
    (128, 217)
    """
    _check(sd=sd, alpha=alpha, alternative=alternative, power=power, comparisons=comparisons)
    wrong_way = {"two-sided": False, "greater": difference < 0, "less": difference > 0}
    if difference == 0 or wrong_way[alternative]:
        return None

    def enough(n: int) -> bool:
        return paired_power(difference, sd, n, alpha=alpha / comparisons, alternative=alternative) >= power

    low, high = 1, MOST_QUERIES
    if not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def detectable_difference(
    sd: float,
    n: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    comparisons: int = 1,
) -> float:
    """The smallest difference (its size) that the paired t test over n queries finds with this power, to ten digits.

    0 if sd is 0, where every difference is found, or for a power that chance alone gives (up to alpha). NaN with fewer
    than two queries.
    """
    _check(sd=sd, alpha=alpha, alternative=alternative, power=power, comparisons=comparisons)
    if n < 2:
        return math.nan
    sides = "two-sided" if alternative == "two-sided" else "greater"

    def enough(effect: float) -> bool:
        return paired_power(effect, 1.0, n, alpha=alpha / comparisons, alternative=sides) >= power

    return 0.0 if sd == 0 or enough(0.0) else sd * smallest(enough)


def queries_needed_from_pilot(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    comparisons: int = 1,
    confidence: float = 0.8,
) -> PilotPlan | None:
    """Plan from two runs' values on the same queries; queries where either is NaN are left out and counted.

    The difference planned for is the mean of a - b, unless one is given: an observed difference is itself uncertain,
    and one that matters makes the better plan. sd_upper = sd sqrt(df / chi2(1 - confidence; df)) is a one-sided limit
    (Browne 1995, who recommends 80 %).

    None with fewer than two queries.
    """
    from scipy.special import chdtri

    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise UsageError(f"a and b are values for the same queries, not of shapes {first.shape} and {second.shape}")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence lies between 0 and 1, not at {confidence}")
    infinite = "values are finite numbers, or NaN where they are undefined; some are infinite"
    first, second = (checked_scores(one, infinite=infinite) for one in (first, second))
    defined = ~(np.isnan(first) | np.isnan(second))
    found = first[defined] - second[defined]
    if len(found) < 2:
        return None
    df = len(found) - 1
    # Equal differences vary by rounding alone.
    sd = float(found.std(ddof=1)) if np.ptp(found) > 1e-12 * np.abs(found).max() else 0.0
    sd_upper = sd * math.sqrt(df / float(chdtri(df, confidence)))
    observed = float(found.mean())
    planned = observed if difference is None else difference

    def needed(spread: float) -> int | None:
        return queries_needed(
            planned, spread, power=power, alpha=alpha, alternative=alternative, comparisons=comparisons
        )

    return PilotPlan(
        difference=planned,
        observed_difference=observed,
        sd=sd,
        sd_upper=sd_upper,
        queries_needed=needed(sd),
        queries_needed_upper=needed(sd_upper),
        queries=len(found),
        left_out=int((~defined).sum()),
    )


def _tail(shift: float, df: int, alpha: float) -> float:
    """P(T > t(1 - alpha; df)), T noncentral with this shift: the mean over s of Phi(shift - t s).

    scipy.special.nctdtr is as exact where it answers, but has NaN in the far tails.
    """
    from scipy.special import ndtr, stdtrit

    critical = -float(stdtrit(df, alpha))
    spread = scaled_chi(df, step=max(1e-6, min(0.03, 0.5 / (1 + abs(shift)))))
    return min(1.0, float(spread.weights @ ndtr(shift - critical * spread.points)))


def _check(*, sd: float, alpha: float, alternative: str, power: float = 0.5, comparisons: int = 1) -> None:
    if not 0 <= sd < math.inf:
        raise UsageError(f"a standard deviation is a finite number of at least 0, not {sd}")
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise UsageError(f"{name} lies between 0 and 1, not at {share}")
    if alternative not in ALTERNATIVES:
        raise UsageError(f"{alternative!r} is not one of {', '.join(ALTERNATIVES)}")
    if comparisons < 1:
        raise UsageError(f"comparisons must be at least 1, not {comparisons}")
