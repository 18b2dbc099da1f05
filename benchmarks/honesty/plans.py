"""How often the safe number of queries of a pilot gives the power asked for.

python benchmarks/honesty/plans.py [PILOTS]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from intervals import Floats, head, row
from karat.stats.reliability.permutation_power import PermutationTest, permutation_power
from karat.stats.reliability.power import queries_needed
from karat.stats.reliability.safe_plan import LEAST_PILOT, effect_limit, sd_limit
from karat.stats.significance.max_t import max_t

Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]
DIFFERENCES: dict[str, Draw] = {
    "normal, .25 sd": lambda rng, shape: rng.normal(0.25, 1, shape),
    "normal, .4 sd": lambda rng, shape: rng.normal(0.4, 1, shape),
    "normal, .6 sd": lambda rng, shape: rng.normal(0.6, 1, shape),
    "long tail towards the better run": lambda rng, shape: rng.exponential(size=shape) - 0.6,
    "long tail against the better run": lambda rng, shape: 1.4 - rng.exponential(size=shape),
    "70 % zeros": lambda rng, shape: np.where(rng.random(shape) < 0.7, 0.0, rng.normal(1, 1, shape)),
    # The failure is in one pilot of 20 of 3 not seen at all.
    "gain of .13, but a failure in 6 %": lambda rng, shape: np.where(
        rng.random(shape) < 0.06, -rng.uniform(0.4, 0.7, shape), rng.normal(0.13, 0.05, shape)
    ),
    "scores from 0 to 1": lambda rng, shape: rng.beta(0.9, 1, shape) - rng.beta(0.5, 1, shape),
}


SIZES = (10, 20, 30, 50)


@dataclass(frozen=True)
class Pilots:
    """What simulated pilots of one size say, and what is truly needed."""

    needed: int
    at_its_word: Floats
    safe: Floats
    """NaN: the pilot gives no safe number."""
    named: Floats
    """The safe number where the true difference is named; NaN: none."""

    def right(self, numbers: Floats) -> float:
        """Of the pilots that give a number: the share whose number gives a true power of .8 (needed, within 3 %)."""
        # What one number is right for depends on the shape.
        given = numbers[~np.isnan(numbers)]
        return float((given >= 0.97 * self.needed).mean()) if len(given) else math.nan


def true_size(kind: str) -> tuple[int, float, float]:
    """The queries that are truly needed for a power of .8, the true effect, and the true standard deviation."""
    large = DIFFERENCES[kind](np.random.default_rng(2), (200_000,))
    needed = next(n for n in range(10, 200, 2) if permutation_power(large, n, simulations=4000, seed=1) >= 0.8)
    return needed, float(large.mean() / large.std()), float(large.std())


def simulated_pilots(kind: str, size: int, times: int, *, true: tuple[int, float, float]) -> Pilots:
    """So many pilots of a size, and their numbers of queries."""
    rng = np.random.default_rng([2, size, list(DIFFERENCES).index(kind)])
    needed, effect, true_sd = true
    word, safe, named = np.zeros(times), np.full(times, math.nan), np.full(times, math.nan)
    for at in range(times):
        pilot = DIFFERENCES[kind](rng, (size,))
        signed = pilot if pilot.mean() > 0 else -pilot
        sd = float(pilot.std(ddof=1))
        word[at] = number_for(float(signed.mean()) / sd) if sd else 0.0
        limit = effect_limit(signed) if size >= LEAST_PILOT else 0.0
        if limit > 0:
            safe[at] = number_for(limit)
        spread = sd_limit(pilot) if sd else math.inf
        if math.isfinite(spread):
            named[at] = number_for(effect * true_sd / spread)
    return Pilots(needed, word, safe, named)


def plans(times: int = 1000) -> None:
    print(f"\n### Pilots whose number of queries gives a true power of .8 or more ({times} pilots a cell)\n")
    head(
        "differences", "pilot", "truly needed", "at its word: right", "safe: pilots with a number", "of these right",
        "its median", "difference given: right",
    )  # fmt: skip
    for name in DIFFERENCES:
        true = true_size(name)
        for size in SIZES:
            found = simulated_pilots(name, size, times, true=true)
            given = ~np.isnan(found.safe)
            median = float(np.median(found.safe[given])) if given.any() else "none"
            print(
                row(
                    name, size, found.needed, found.right(found.at_its_word), float(given.mean()),
                    found.right(found.safe), median, found.right(found.named),
                ),
                flush=True,
            )  # fmt: skip


def number_for(effect: float) -> float:
    """The number of queries for an effect, as a smooth function: (z(.025) + z(.2))^2 / effect^2 + 1.9."""
    return 2.8016**2 / effect**2 + 1.9 if effect > 0 else math.inf


def power_together(runs: int, effect: float, times: int) -> tuple[int, float]:
    """The queries planned for all pairs of so many runs (alpha / pairs), and the power of max-T for one pair then."""
    rng = np.random.default_rng([3, runs])
    pairs = [(a, b) for a in range(runs) for b in range(a + 1, runs)]
    n = PermutationTest(comparisons=len(pairs)).needed(effect)
    assert n is not None
    found = 0
    for at in range(times):
        values = rng.normal(0, 1 / math.sqrt(2), (runs, n))
        values[0] += effect
        found += bool(max_t(values, pairs, confidence=0.95, seed=at).p[0] <= 0.05)
    return n, found / times


def corrected(times: int = 300) -> None:
    """Plans for several comparisons are made for alpha / comparisons: what max-T finds with that many queries."""
    print(f"\n### Power of the max-T test with the number planned for k comparisons ({times} samples a cell)\n")
    head("runs", "comparisons", "effect", "queries planned", "power of max-T for the pair")
    for runs in (3, 6):
        for effect in (0.4, 0.8):
            n, power = power_together(runs, effect, times)
            print(row(runs, runs * (runs - 1) // 2, effect, n, power), flush=True)


if __name__ == "__main__":
    plans(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    corrected()
    print(queries_needed(0.5, 1.0), PermutationTest().needed(0.5))
    sys.exit(0)
