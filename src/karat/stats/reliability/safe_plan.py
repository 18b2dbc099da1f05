"""A number of queries that is safe: one for which a pilot's difference and spread need not be believed to the digit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat.model import UsageError
from karat.stats.arrays import Floats, checked_scores
from karat.stats.reliability.permutation_power import PermutationTest, check_goal
from karat.stats.studentized_range import scaled_chi

CONFIDENCE = 0.95
LEAST_PILOT = 20
"""A smaller pilot gives no safe number for the difference that it shows: too many that give one show it too large."""
NO_DIFFERENCE = (
    "the pilot's difference cannot be distinguished from 0: name the difference that matters with --difference"
)
SMALL_PILOT = (
    f"a pilot of fewer than {LEAST_PILOT} queries shows too large a difference too often: name the difference that "
    "matters with --difference"
)
WRONG_WAY = "the difference is in the direction that the test does not look for: name the runs in the other order"
ALL_EQUAL = "all differences of the pilot but one are equal, so that it does not show how much they vary"
NO_VARIATION = (
    "the pilot shows no variation (all differences of the two runs are equal), so that nothing can be planned from it"
)
TOO_MANY = "more than a million queries"
JUDGE_MAY_HIDE = (
    "the true difference may be so small that the judge's own error hides it however many queries there are: name the "
    "difference that matters with --difference, or label some answers (--review)"
)
JUDGE_FLOOR = "the judge's own error hides a difference of this size however many queries there are"


@dataclass(frozen=True, slots=True, kw_only=True)
class SafePlan:
    """What a pilot says of how many queries the permutation test needs."""

    difference: float
    """The difference planned for."""
    observed_difference: float
    sd: float
    """Of the differences a query."""
    queries: int
    """Of the pilot: those for which both runs have a value."""
    left_out: int
    fewest: int
    """With fewer queries no difference can be significant."""
    test: PermutationTest
    queries_needed: int | None
    """If the difference and the spread were exactly those of the plan; None: `reason` says why."""
    safe_effect: float
    """The lower limit of difference / sd that the safe number is made for; 0 where there is none."""
    safe_queries: int | None
    """None where no number is safe, and `reason` says why."""
    reason: str | None = None


def plan_queries(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    comparisons: int = 1,
    judge_variance: float = 0.0,
    confidence: float = CONFIDENCE,
    simulations: int = 1000,
    seed: int = 0,
) -> SafePlan | None:
    """How many queries the permutation test needs, from two runs' values on the same queries of a pilot.

    The difference planned for is the mean of a - b, unless one is given. `queries_needed` takes it and the pilot's sd
    at their word; one pilot of two finds too large a difference or too small a spread. `safe_queries` is made for a
    lower limit of difference / sd: `effect_limit` where the difference was observed, difference / `sd_limit` where it
    is given. Where the limit is not above 0 no number is safe, and the plan says so; nor is one made of the difference
    observed in fewer than 20 queries. judge_variance: of the error in the difference that all queries share.

    Of simulated pilots that gave a safe number, the true power was at least 0.8 in .86 to 1.00 (20 to 50 queries;
    normal, skewed and zero-inflated differences of .25 sd and more), but in .78 with 20 queries and a long tail against
    the better run (benchmarks/honesty/plans.py). No rule keeps that for any difference: of two equal runs every number
    is too small, and 1 pilot of 10 gives one.

    None with fewer than two paired queries.
    """
    check_goal(alpha=alpha, alternative=alternative, comparisons=comparisons, power=power, confidence=confidence)
    first, second = (_vector(values) for values in (a, b))
    if first.shape != second.shape:
        raise UsageError(f"a and b are values for the same queries, not of shapes {first.shape} and {second.shape}")
    known = ~(np.isnan(first) | np.isnan(second))
    pilot = first[known] - second[known]
    if len(pilot) < 2:
        return None
    observed = float(pilot.mean())
    varies = float(np.ptp(pilot)) > 1e-12 * float(np.abs(pilot).max())
    sd = float(pilot.std(ddof=1)) if varies else 0.0
    planned = observed if difference is None else difference
    towards = {"two-sided": abs(planned), "greater": planned, "less": -planned}[alternative]
    signed = -pilot if planned < 0 else pilot
    test = PermutationTest(
        signed if varies else None, alpha, "two-sided" if alternative == "two-sided" else "greater", comparisons,
        judge_variance / sd**2 if sd else 0.0, simulations, seed,
    )  # fmt: skip
    plan = SafePlan(
        difference=planned, observed_difference=observed, sd=sd, queries=len(pilot), left_out=int((~known).sum()),
        fewest=test.fewest, test=test, queries_needed=None, safe_effect=0.0, safe_queries=None,
    )  # fmt: skip
    if not varies:
        return replace(plan, reason=NO_VARIATION)
    if towards <= 0:
        return replace(plan, reason=WRONG_WAY if towards < 0 else NO_DIFFERENCE)
    at_its_word = test.needed(towards / sd, power=power)
    plan = replace(plan, queries_needed=at_its_word)
    if at_its_word is None:
        return replace(plan, reason=JUDGE_FLOOR if towards / sd <= test.floor(power=power) else TOO_MANY)
    at_limit = test
    if difference is not None:
        limit = sd_limit(pilot, confidence=confidence)
        safe = towards / limit if math.isfinite(limit) else 0.0
        none = ALL_EQUAL
        # In sds: where these are larger, the judge's error is as large as it was.
        at_limit = replace(test, judge_variance=judge_variance / limit**2, kept={})
    elif len(pilot) < LEAST_PILOT:
        return replace(plan, reason=SMALL_PILOT)
    else:
        safe = _with_judge(effect_limit(signed, confidence=confidence), towards / sd, test.judge_variance, confidence)
        none = NO_DIFFERENCE
    if safe <= 0:
        return replace(plan, reason=none)
    found = at_limit.needed(safe, power=power)
    if found is None:
        return replace(plan, reason=JUDGE_MAY_HIDE if safe <= at_limit.floor(power=power) else TOO_MANY)
    return replace(plan, safe_effect=safe, safe_queries=max(found, at_its_word))


def effect_limit(differences: npt.ArrayLike, *, confidence: float = CONFIDENCE) -> float:
    """A one-sided lower limit of mean / sd from a pilot's differences, their mean above 0; 0 where it would be below.

    The lower of two: d with P(T >= t) = 1 - confidence, T noncentral t with n - 1 degrees and noncentrality sqrt(n) d,
    which is exact for normal differences; and mean / sd - t(confidence; n - 1) s with the jackknife's standard error s,
    which sees that a long tail on the other side makes mean / sd uncertain.

    >>> round(effect_limit([0.1, 0.3, 0.2, 0.4, 0.0, 0.2], confidence=0.9), 3)
    0.409
    """
    from scipy.special import ndtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    without = _spreads_without(values)
    if n < 3 or without is None or values.mean() <= 0:
        return 0.0
    effect = float(values.mean() / values.std(ddof=1))
    t = effect * math.sqrt(n)

    def above(shift: float) -> float:
        spread = scaled_chi(n - 1, step=max(1e-6, min(0.03, 0.5 / (1 + abs(shift)))))
        return float(spread.weights @ ndtr(shift - t * spread.points))

    low, high = 0.0, max(t, 0.0)
    if above(low) >= 1 - confidence:
        return 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) < 1 - confidence else (low, middle)
    effects = (values.sum() - values) / (n - 1) / without
    error = math.sqrt((n - 1) / n * float(((effects - effects.mean()) ** 2).sum()))
    return max(0.0, min(low / math.sqrt(n), effect - float(stdtrit(n - 1, confidence)) * error))


def sd_limit(differences: npt.ArrayLike, *, confidence: float = CONFIDENCE) -> float:
    """A one-sided upper limit of the sd of a pilot's differences; infinite where all but one of them are equal.

    The larger of two: sd sqrt(df / chi2(1 - confidence; df)), which is exact for normal differences (Browne 1995), and
    sd exp(t(confidence; n - 1) s) with the jackknife's standard error s of log sd, which sees long tails.

    >>> round(sd_limit([0.1, 0.3, 0.2, 0.4, 0.0, 0.2]), 3)
    0.295
    """
    from scipy.special import chdtri, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    sd = float(values.std(ddof=1))
    normal = sd * math.sqrt((n - 1) / float(chdtri(n - 1, confidence)))
    without = _spreads_without(values)
    if n < 3:
        return normal
    if without is None:
        return math.inf
    logs = np.log(without)
    error = math.sqrt((n - 1) / n * float(((logs - logs.mean()) ** 2).sum()))
    return max(normal, sd * math.exp(min(float(stdtrit(n - 1, confidence)) * error, 50.0)))


def _spreads_without(values: Floats) -> Floats | None:
    """The sd without each value in turn; None where all but one are equal: nothing is known of the spread."""
    n = len(values)
    if n < 3:
        return None
    means = (values.sum() - values) / (n - 1)
    squares = ((values**2).sum() - values**2) - (n - 1) * means**2
    if (squares <= 1e-12 * float((values**2).sum())).any():
        return None
    return np.asarray(np.sqrt(squares / (n - 2)), dtype=np.float64)


def _with_judge(limit: float, effect: float, variance: float, confidence: float) -> float:
    """The limit of an effect whose values have an error of this variance (in squared sds) that all queries share."""
    from scipy.special import ndtri

    if limit <= 0 or not variance:
        return limit
    return max(0.0, effect - math.hypot(effect - limit, float(ndtri(confidence)) * math.sqrt(variance)))


def _vector(values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"a and b are values for the same queries, not of shape {array.shape}")
    return checked_scores(array, infinite="values are finite numbers, or NaN where they are undefined")
