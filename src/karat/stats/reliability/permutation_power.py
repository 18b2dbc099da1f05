"""The power of the paired permutation test that `compare` uses, for differences of a given shape.

The test swaps the two runs query by query; below six queries no swap can be rarer than 0.05, however large the
difference, so that the power is 0 there. Where a program judged, the error that all queries share (`added_variance`)
is in the power, too: more queries do not remove it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt

from karat.model import UsageError
from karat.stats.arrays import Floats
from karat.stats.reliability.power import (
    ALTERNATIVES,
    MOST_QUERIES,
    detectable_difference,
    paired_power,
    queries_needed,
)

COUNTED = 10
"""With so many queries or fewer, all 2^n swaps are counted."""
DRAWN = 200
"""Up to so many queries swaps are drawn; beyond, the sum of random signs is normal."""
FINEST = 5_000
MANY = 2000
"""From here on the numbers of the t test are those of the permutation test."""
NEAR_T = 50
"""From here on the two tests are alike for normal differences, and nothing is simulated without a pilot."""
TIE = 1e-5
"""Sums of differences that are nearer than this share of their size are equal: they are kept in single precision."""
LARGEST_EFFECT = 1e6
KEPT = 16
CLOSE = 0.004
"""How closely what can be found is determined: a power is known to about 0.01."""
MOST_COMPARISONS = 10**9
SMALLEST_ALPHA = 1e-9


def fewest_queries(*, alpha: float = 0.05, alternative: str = "two-sided", comparisons: int = 1) -> int:
    """With fewer queries the smallest p, 2 / 2^n (one-sided 1 / 2^n), is above alpha / comparisons.

    >>> fewest_queries(), fewest_queries(alternative="greater"), fewest_queries(comparisons=10)
    (6, 5, 9)
    """
    check_goal(alpha=alpha, alternative=alternative, comparisons=comparisons)
    sides = 2 if alternative == "two-sided" else 1
    return max(1, math.ceil(math.log2(sides * comparisons) - math.log2(alpha) - 1e-12))


@dataclass(frozen=True)
class PermutationTest:
    """The paired permutation test at alpha / comparisons, and what it finds among differences of a given shape.

    A difference is told by its size in sds of the differences a query (`effect`). n differences are drawn from the
    shape with replacement, `simulations` times, moved to the effect, and each draw is tested: p is the share of sign
    choices with a sum at least as large. Up to 10 queries all choices are counted, up to 200 they are drawn, and beyond
    (or where alpha / comparisons is below 0.0008) the sum of signs is taken as normal. With judge_variance v (in
    squared sds) every draw has a further error of this variance that all its queries share, and p is the larger of the
    permutation test's and that of t = mean / sqrt(se^2 + v) (`added_variance_p`), as in `compare`.

    The standard error of a power is at most 0.5 / sqrt(simulations).
    """

    shape: Floats | None = None
    """Differences of a pilot, of which only the shape counts; None: normal ones."""
    alpha: float = 0.05
    alternative: str = "two-sided"
    comparisons: int = 1
    judge_variance: float = 0.0
    simulations: int = 1000
    seed: int = 0
    kept: dict[int, _Draws] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_goal(alpha=self.alpha, alternative=self.alternative, comparisons=self.comparisons)

    @property
    def level(self) -> float:
        return self.alpha / self.comparisons

    @property
    def fewest(self) -> int:
        """With fewer queries no difference can be significant."""
        return fewest_queries(alpha=self.alpha, alternative=self.alternative, comparisons=self.comparisons)

    def power(self, effect: float, n: int) -> float:
        """The chance that the test over n queries is significant; in the direction asked for, if it is one-sided."""
        if n < self.fewest:
            return 0.0
        if self.alternative == "less":
            effect = -effect
        effect = min(max(effect, -LARGEST_EFFECT), LARGEST_EFFECT)
        if n > MANY or (self.shape is None and n > NEAR_T):
            spread = math.sqrt(1 + n * self.judge_variance)
            return paired_power(effect, spread, n, alpha=self.level, alternative=self._sides)
        if n not in self.kept:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            self.kept[n] = _Draws.of(self, n)
        return self.kept[n].power(effect, self)

    def needed(self, effect: float, *, power: float = 0.8) -> int | None:
        """The fewest queries (to about 2 %) that find the effect with this power; None: over a million, or none can."""
        effect = -effect if self.alternative == "less" else effect
        effect = abs(effect) if self.alternative == "two-sided" else effect
        if effect <= 0 or effect <= self.floor(power=power):
            return None
        effect = min(effect, LARGEST_EFFECT)
        alternative = self._sides
        start = queries_needed(
            effect, 1.0, power=power, alpha=self.alpha, alternative=alternative, comparisons=self.comparisons
        )
        if start is None:
            return None
        signed = -effect if self.alternative == "less" else effect

        def enough(n: int) -> bool:
            return self.power(signed, n) >= power

        if start > MANY and not self.judge_variance:  # so many that the two tests need the same
            return start
        found = _first(enough, start=max(start, self.fewest), fewest=self.fewest)
        # A simulation does not see the last thousandth of power.
        return found if found is None or power <= 0.99 else max(found, start)

    def detectable(self, n: int, *, power: float = 0.8) -> float:
        """The smallest effect that n queries find with this power; NaN where they can find none."""
        if n < self.fewest:
            return math.nan
        spread = math.sqrt(1 + n * self.judge_variance)
        by_t = detectable_difference(
            spread, n, power=power, alpha=self.alpha, alternative=self._sides, comparisons=self.comparisons
        )
        if n > MANY or (self.shape is None and n > NEAR_T) or not by_t:
            return by_t
        sign = -1.0 if self.alternative == "less" else 1.0
        low, high = 0.9 * by_t, 1.1 * by_t
        while low > 1e-3 * by_t and self.power(sign * low, n) >= power:
            low, high = low / 1.5, low
        while self.power(sign * high, n) < power:
            low, high = high, 1.5 * high
            if high > LARGEST_EFFECT:
                return math.nan
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(sign * middle, n) >= power else (middle, high)
        return high

    def floor(self, *, power: float = 0.8) -> float:
        """Below this effect no number of queries is enough, because of the judge: (z(alpha) + z(power)) sqrt(v)."""
        from scipy.special import ndtri

        tail = self.level / 2 if self.alternative == "two-sided" else self.level
        reach = -float(ndtri(tail)) + float(ndtri(power))
        return max(0.0, reach) * math.sqrt(self.judge_variance)

    @property
    def _sides(self) -> str:
        return "two-sided" if self.alternative == "two-sided" else "greater"


@dataclass(frozen=True)
class _Draws:
    """Draws of n differences with mean 0 and sd 1; what has to be known of them to test them at any effect."""

    n: int
    sums: Floats
    squares: Floats
    signs: Floats | None
    """The sum of each choice of signs; None where the normal distribution is used."""
    flipped: npt.NDArray[np.float32] | None
    """The sum of each draw by each choice of signs."""
    extra: int
    errors: Floats
    """Of the judge, one for each draw."""

    @classmethod
    def of(cls, test: PermutationTest, n: int) -> _Draws:
        from scipy.special import ndtri

        # More queries go on with the same draws, so that the power rises smoothly with their number.
        rng, of_signs, of_judge = (np.random.default_rng((test.seed, stream)) for stream in range(3))
        if test.shape is None:
            drawn = rng.normal(size=(n, test.simulations)).T
        else:
            values = np.asarray(test.shape, dtype=np.float64)
            values = (values - values.mean()) / values.std()
            drawn = values[rng.integers(len(values), size=(n, test.simulations)).T]
        # Quantiles in a random order vary less than draws do.
        places = (np.arange(test.simulations) + 0.5) / test.simulations
        errors = of_judge.permutation(ndtri(places)) * math.sqrt(test.judge_variance)
        signs, extra = None, 0
        if n <= COUNTED:
            signs = np.array(list(product([1.0, -1.0], repeat=n))).T
        elif n <= DRAWN and 4 / test.level <= FINEST:
            signs, extra = of_signs.integers(2, size=(n, max(999, math.ceil(4 / test.level)))) * 2.0 - 1.0, 1
        return cls(
            n, drawn.sum(axis=1), (drawn**2).sum(axis=1), None if signs is None else signs.sum(axis=0),
            None if signs is None else (drawn @ signs).astype(np.float32), extra, errors,
        )  # fmt: skip

    def power(self, effect: float, test: PermutationTest) -> float:
        both = test.alternative == "two-sided"
        moved = effect + self.errors
        p = self._pvalues(moved, both=both)
        if test.judge_variance:
            p = np.maximum(p, self._with_judge(moved, test.judge_variance, both=both))
        return float(np.mean(p <= test.level * (1 + 1e-12)))

    def _pvalues(self, moved: Floats, *, both: bool) -> Floats:
        from scipy.special import ndtr

        sums = self.n * moved + self.sums
        squares = np.sqrt(np.maximum(self.squares + 2 * moved * self.sums + self.n * moved**2, 0.0))
        sums = np.abs(sums) if both else sums
        if self.signs is None or self.flipped is None:
            z = np.divide(sums, squares, out=np.zeros(len(sums)), where=squares > 0)
            return np.asarray(ndtr(-z) * (2 if both else 1), dtype=np.float64)
        flipped = self.flipped + (moved[:, None] * self.signs).astype(np.float32)
        if both:
            np.abs(flipped, out=flipped)
        extreme = (flipped >= (sums - TIE * math.sqrt(self.n) * squares)[:, None]).sum(axis=1)
        return np.asarray((extreme + self.extra) / (len(self.signs) + self.extra), dtype=np.float64)

    def _with_judge(self, moved: Floats, variance: float, *, both: bool) -> Floats:
        from scipy.special import stdtr

        means = moved + self.sums / self.n
        own = np.maximum(self.squares - self.sums**2 / self.n, 0.0) / (self.n - 1) / self.n
        whole = own + variance
        t = means / np.sqrt(whole)
        degrees = np.minimum(whole**2 * (self.n - 1) / np.maximum(own, 1e-150) ** 2, 1e9)
        return np.asarray(stdtr(degrees, -np.abs(t)) * 2 if both else stdtr(degrees, -t), dtype=np.float64)


def permutation_power(
    differences: npt.ArrayLike,
    n: int,
    *,
    effect: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    comparisons: int = 1,
    simulations: int = 1000,
    seed: int = 0,
) -> float:
    """The chance that the permutation test over n queries is significant, with differences like those of a pilot.

    With `effect`, the pilot's differences are moved so that their mean is effect times their sd: their shape stays.

    >>> permutation_power([0.1, 0.2, 0.3], 5), permutation_power([0.1, 0.2, 0.3], 6)
    (0.0, 1.0)
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise UsageError(f"differences are a vector of two or more, not of shape {values.shape}")
    spread = float(values.std())
    if spread == 0:
        raise UsageError("equal differences cannot be moved to an effect")
    moved = float(values.mean()) / spread if effect is None else effect
    test = PermutationTest(values, alpha, alternative, comparisons, simulations=simulations, seed=seed)
    return test.power(moved, n)


def _first(enough: Callable[[int], bool], *, start: int, fewest: int) -> int | None:
    """A number that is enough, while one about 2 % lower is not; from the neighbourhood of a first guess."""
    low, high = start, start
    if enough(start):
        while low > fewest and enough(low):
            high, low = low, max(fewest, int(low / 1.3))
        if enough(low):
            return low
    else:
        while not enough(high):
            if high >= MOST_QUERIES:
                return None
            low, high = high, min(MOST_QUERIES, math.ceil(high * 1.3))
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def check_goal(*, alpha: float, alternative: str, comparisons: int, **shares: float) -> None:
    """Refuse what no test can have."""
    for name, share in {"alpha": alpha, **shares}.items():
        if not 0 < share < 1:
            raise UsageError(f"{name}={share} is not between 0 and 1")
    if alternative not in ALTERNATIVES:
        raise UsageError(f"alternative {alternative!r} is not one of {', '.join(ALTERNATIVES)}")
    if not 1 <= comparisons <= MOST_COMPARISONS:
        raise UsageError(f"comparisons must be at least 1, and at most a billion, not {comparisons}")
    if alpha < SMALLEST_ALPHA:
        raise UsageError(f"alpha={alpha} is below {SMALLEST_ALPHA}, which no test of differences can tell")
