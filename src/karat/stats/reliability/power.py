"""Power planning: how many queries are needed to tell two runs apart."""

from __future__ import annotations

import math

from karat.model import UsageError
from karat.stats.studentized_range import scaled_chi, smallest

ALTERNATIVES = ("two-sided", "greater", "less")
MOST_QUERIES = 1_000_000


def paired_power(difference: float, sd: float, n: int, *, alpha: float = 0.05, alternative: str = "two-sided") -> float:
    """The chance that the paired t test over n queries finds a true mean difference, by the noncentral t distribution.

    P(|T| > t(1 - alpha/2; n - 1)), T with n - 1 degrees of freedom and noncentrality sqrt(n) difference / sd; `sd` is
    that of the differences per query. "greater": the test finds differences above zero only.

    With sd 0 every difference is found (1, or 0 in the direction not asked for). NaN where the test is undefined: no
    difference at all, or fewer than two queries.

    >>> round(paired_power(0.05, 0.2, 128), 4)
    0.8015
    """
    _check(sd=sd, alpha=alpha, alternative=alternative)
    if not math.isfinite(difference):
        raise UsageError(f"difference={difference} is not a finite number")
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

    0 if sd is 0, where every difference is found, or for a power up to alpha, which chance already gives. NaN with
    fewer than two queries.
    """
    _check(sd=sd, alpha=alpha, alternative=alternative, power=power, comparisons=comparisons)
    if n < 2:
        return math.nan
    sides = "two-sided" if alternative == "two-sided" else "greater"

    def enough(effect: float) -> bool:
        return paired_power(effect, 1.0, n, alpha=alpha / comparisons, alternative=sides) >= power

    return 0.0 if sd == 0 or enough(0.0) else sd * smallest(enough)


def _tail(shift: float, df: int, alpha: float) -> float:
    """P(T > t(1 - alpha; df)), T noncentral with this shift: the mean over s of Phi(shift - t s).

    scipy.special.nctdtr is as exact, but gives NaN in the far tails.
    """
    from scipy.special import ndtr, stdtrit

    critical = -float(stdtrit(df, alpha))
    spread = scaled_chi(df, step=max(1e-6, min(0.03, 0.5 / (1 + abs(shift)))))
    return min(1.0, float(spread.weights @ ndtr(shift - critical * spread.points)))


def _check(*, sd: float, alpha: float, alternative: str, power: float = 0.5, comparisons: int = 1) -> None:
    if not 0 <= sd < math.inf:
        raise UsageError(f"sd={sd} is not a finite number of at least 0")
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise UsageError(f"{name}={share} is not between 0 and 1")
    if alternative not in ALTERNATIVES:
        raise UsageError(f"alternative {alternative!r} is not one of {', '.join(ALTERNATIVES)}")
    if comparisons < 1:
        raise UsageError(f"comparisons must be at least 1, not {comparisons}")
